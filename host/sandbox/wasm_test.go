package sandbox

import "encoding/binary"

// module assembles test modules from their parts, so that the tests need no tool but Go.
type module struct {
	imports []testImport
	funcs   []testFunc
	tables  []tableLimits
	memory  []uint32 // minimum and optional maximum in pages
	start   int      // index of the start function plus one
	data    []byte   // at address 16
	element bool     // puts function 0 into table 0 at 0
	name    string   // of the module, in a name section
}

type testImport struct{ module, name, params, results string }

type tableLimits struct{ lo, hi uint64 }

// testFunc is a function; code lacks the final end. An empty export is not exported.
type testFunc struct {
	export, params, results string
	locals                  int // i64 variables
	code                    []byte
}

func uleb(n uint64) []byte { return binary.AppendUvarint(nil, n) }

func sleb(n int64) []byte {
	var b []byte
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func wasmName(s string) []byte { return append(uleb(uint64(len(s))), s...) }

func wasmSection(id byte, content []byte) []byte {
	return join([]byte{id}, uleb(uint64(len(content))), content)
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func typeOf(params, results string) []byte {
	list := func(s string) []byte {
		b := uleb(uint64(len(s)))
		for _, c := range s {
			b = append(b, map[rune]byte{'i': 0x7f, 'l': 0x7e}[c])
		}
		return b
	}
	return join([]byte{0x60}, list(params), list(results))
}

const wasmHeader = "\x00asm\x01\x00\x00\x00"

func (m module) bytes() []byte {
	var types, imports, funcs, exports, code []byte
	n := uint64(0)
	for _, im := range m.imports {
		types = append(types, typeOf(im.params, im.results)...)
		imports = append(imports, join(wasmName(im.module), wasmName(im.name), []byte{0}, uleb(n))...)
		n++
	}
	exported := uint64(0)
	for i, f := range m.funcs {
		types = append(types, typeOf(f.params, f.results)...)
		funcs = append(funcs, uleb(n)...)
		n++
		if f.export != "" {
			exports = append(exports, join(wasmName(f.export), []byte{0}, uleb(uint64(len(m.imports)+i)))...)
			exported++
		}
		locals := []byte{0}
		if f.locals > 0 {
			locals = join([]byte{1}, uleb(uint64(f.locals)), []byte{0x7e})
		}
		body := join(locals, f.code, []byte{0x0b})
		code = append(code, join(uleb(uint64(len(body))), body)...)
	}
	out := []byte(wasmHeader)
	out = append(out, wasmSection(1, join(uleb(n), types))...)
	if len(m.imports) > 0 {
		out = append(out, wasmSection(2, join(uleb(uint64(len(m.imports))), imports))...)
	}
	out = append(out, wasmSection(3, join(uleb(uint64(len(m.funcs))), funcs))...)
	if len(m.tables) > 0 {
		b := uleb(uint64(len(m.tables)))
		for _, t := range m.tables {
			if t.hi > 0 {
				b = append(b, join([]byte{0x70, 1}, uleb(t.lo), uleb(t.hi))...)
			} else {
				b = append(b, join([]byte{0x70, 0}, uleb(t.lo))...)
			}
		}
		out = append(out, wasmSection(4, b)...)
	}
	if len(m.memory) > 0 {
		b := []byte{1, byte(len(m.memory) - 1)}
		for _, v := range m.memory {
			b = append(b, uleb(uint64(v))...)
		}
		out = append(out, wasmSection(5, b)...)
		exports = append(exports, join(wasmName("memory"), []byte{2, 0})...)
		exported++
	}
	out = append(out, wasmSection(7, join(uleb(exported), exports))...)
	if m.start > 0 {
		out = append(out, wasmSection(8, uleb(uint64(m.start-1)))...)
	}
	if m.element {
		out = append(out, wasmSection(9, []byte{1, 0, 0x41, 0, 0x0b, 1, 0})...)
	}
	out = append(out, wasmSection(10, join(uleb(uint64(len(m.funcs))), code))...)
	if len(m.data) > 0 {
		out = append(out, wasmSection(11, join([]byte{1, 0, 0x41, 16, 0x0b}, uleb(uint64(len(m.data))), m.data))...)
	}
	if m.name != "" {
		sub := wasmName(m.name)
		out = append(out, wasmSection(0, join(wasmName("name"), []byte{0}, uleb(uint64(len(sub))), sub))...)
	}
	return out
}

// Instructions.
func i32(n int32) []byte      { return join([]byte{0x41}, sleb(int64(n))) }
func i64(n int64) []byte      { return join([]byte{0x42}, sleb(n)) }
func call(index int) []byte   { return join([]byte{0x10}, uleb(uint64(index))) }
func drop() []byte            { return []byte{0x1a} }
func unreachable() []byte     { return []byte{0x00} }
func forever() []byte         { return []byte{0x03, 0x40, 0x0c, 0x00, 0x0b} }
func memGrow() []byte         { return []byte{0x40, 0x00} }
func loadI32(off int) []byte  { return join([]byte{0x28, 2}, uleb(uint64(off))) }
func storeI32(off int) []byte { return join([]byte{0x36, 2}, uleb(uint64(off))) }
func localGet(i int) []byte   { return join([]byte{0x20}, uleb(uint64(i))) }
func localSet(i int) []byte   { return join([]byte{0x21}, uleb(uint64(i))) }

// run is an export named run of type () -> i32.
func run(code ...[]byte) testFunc { return testFunc{export: "run", results: "i", code: join(code...)} }
