// Package asm assembles small WebAssembly modules for the sandbox's tests, so that they need no tool but Go.
package asm

import "encoding/binary"

// Module is a test module; Bytes assembles it.
type Module struct {
	Imports []Import
	Funcs   []Func
	Tables  []Table
	Memory  []uint32 // minimum and optional maximum in pages
	Start   int      // index of the start function plus one
	Data    []byte   // at address 16
	Element bool     // puts function 0 into table 0 at 0
	Name    string   // of the module, in a name section
}

type Import struct{ Module, Name, Params, Results string }

type Table struct{ Min, Max uint64 }

// Func is a function; code lacks the final end. An empty export is not exported.
type Func struct {
	Export, Params, Results string
	Locals                  int // i64 variables
	Code                    []byte
}

func Uleb(n uint64) []byte { return binary.AppendUvarint(nil, n) }

func Sleb(n int64) []byte {
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

func Name(s string) []byte { return append(Uleb(uint64(len(s))), s...) }

func Section(id byte, content []byte) []byte {
	return Join([]byte{id}, Uleb(uint64(len(content))), content)
}

func Join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func typeOf(params, results string) []byte {
	list := func(s string) []byte {
		b := Uleb(uint64(len(s)))
		for _, c := range s {
			b = append(b, map[rune]byte{'i': 0x7f, 'l': 0x7e}[c])
		}
		return b
	}
	return Join([]byte{0x60}, list(params), list(results))
}

const Header = "\x00asm\x01\x00\x00\x00"

func (m Module) Bytes() []byte {
	var types, imports, funcs, exports, code []byte
	n := uint64(0)
	for _, im := range m.Imports {
		types = append(types, typeOf(im.Params, im.Results)...)
		imports = append(imports, Join(Name(im.Module), Name(im.Name), []byte{0}, Uleb(n))...)
		n++
	}
	exported := uint64(0)
	for i, f := range m.Funcs {
		types = append(types, typeOf(f.Params, f.Results)...)
		funcs = append(funcs, Uleb(n)...)
		n++
		if f.Export != "" {
			exports = append(exports, Join(Name(f.Export), []byte{0}, Uleb(uint64(len(m.Imports)+i)))...)
			exported++
		}
		locals := []byte{0}
		if f.Locals > 0 {
			locals = Join([]byte{1}, Uleb(uint64(f.Locals)), []byte{0x7e})
		}
		body := Join(locals, f.Code, []byte{0x0b})
		code = append(code, Join(Uleb(uint64(len(body))), body)...)
	}
	out := []byte(Header)
	out = append(out, Section(1, Join(Uleb(n), types))...)
	if len(m.Imports) > 0 {
		out = append(out, Section(2, Join(Uleb(uint64(len(m.Imports))), imports))...)
	}
	out = append(out, Section(3, Join(Uleb(uint64(len(m.Funcs))), funcs))...)
	if len(m.Tables) > 0 {
		b := Uleb(uint64(len(m.Tables)))
		for _, t := range m.Tables {
			if t.Max > 0 {
				b = append(b, Join([]byte{0x70, 1}, Uleb(t.Min), Uleb(t.Max))...)
			} else {
				b = append(b, Join([]byte{0x70, 0}, Uleb(t.Min))...)
			}
		}
		out = append(out, Section(4, b)...)
	}
	if len(m.Memory) > 0 {
		b := []byte{1, byte(len(m.Memory) - 1)}
		for _, v := range m.Memory {
			b = append(b, Uleb(uint64(v))...)
		}
		out = append(out, Section(5, b)...)
		exports = append(exports, Join(Name("memory"), []byte{2, 0})...)
		exported++
	}
	out = append(out, Section(7, Join(Uleb(exported), exports))...)
	if m.Start > 0 {
		out = append(out, Section(8, Uleb(uint64(m.Start-1)))...)
	}
	if m.Element {
		out = append(out, Section(9, []byte{1, 0, 0x41, 0, 0x0b, 1, 0})...)
	}
	out = append(out, Section(10, Join(Uleb(uint64(len(m.Funcs))), code))...)
	if len(m.Data) > 0 {
		out = append(out, Section(11, Join([]byte{1, 0, 0x41, 16, 0x0b}, Uleb(uint64(len(m.Data))), m.Data))...)
	}
	if m.Name != "" {
		sub := Name(m.Name)
		out = append(out, Section(0, Join(Name("name"), []byte{0}, Uleb(uint64(len(sub))), sub))...)
	}
	return out
}

// The instructions that tests need.

func I32(n int32) []byte      { return Join([]byte{0x41}, Sleb(int64(n))) }
func I64(n int64) []byte      { return Join([]byte{0x42}, Sleb(n)) }
func Call(index int) []byte   { return Join([]byte{0x10}, Uleb(uint64(index))) }
func Drop() []byte            { return []byte{0x1a} }
func Unreachable() []byte     { return []byte{0x00} }
func Forever() []byte         { return []byte{0x03, 0x40, 0x0c, 0x00, 0x0b} }
func MemGrow() []byte         { return []byte{0x40, 0x00} }
func LoadI32(off int) []byte  { return Join([]byte{0x28, 2}, Uleb(uint64(off))) }
func StoreI32(off int) []byte { return Join([]byte{0x36, 2}, Uleb(uint64(off))) }
func LocalGet(i int) []byte   { return Join([]byte{0x20}, Uleb(uint64(i))) }
func LocalSet(i int) []byte   { return Join([]byte{0x21}, Uleb(uint64(i))) }

// Run is an export named run of type () -> i32.
func Run(code ...[]byte) Func { return Func{Export: "run", Results: "i", Code: Join(code...)} }
