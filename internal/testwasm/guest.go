package testwasm

import "encoding/binary"

// Guest is a hand-assembled module, for tests of what no compiler would write. It has a few hundred bytes, so a table
// can compile one for every case.
type Guest struct {
	Imports []Import
	Funcs   []Func
	Memory  [2]uint32 // pages: minimum, maximum (0 for none); both 0 for no memory
	Table   uint32    // entries of table 0, all null; 0 for no table
	Globals int       // mutable i32 variables, all 0
	Start   int       // index of the start function in Funcs, from 1; 0 for none
	Data    []Segment
}

// Import is a function that the host provides. Its index is its position in the list. Params and Results have one
// letter for each value: i for i32, l for i64.
type Import struct{ Module, Name, Params, Results string }

// Func is a function of the module; Code lacks the final end. Its index counts from the last import. It is exported if
// Export is set.
type Func struct {
	Export, Params, Results string
	Locals                  int // i32 variables after the parameters
	Code                    []byte
}

// Segment is the initial content of memory from At on.
type Segment struct {
	At    uint32
	Bytes []byte
}

// Bytes encodes the module.
func (g Guest) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	put := func(id byte, n int, items []byte) {
		if n > 0 {
			out = append(out, Section(id, Code(uleb(n), items))...)
		}
	}
	var types, imports, funcs, exports, bodies []byte
	exported := 0
	for i, im := range g.Imports {
		types = append(types, funcType(im.Params, im.Results)...)
		imports = append(imports, Code(name(im.Module), name(im.Name), []byte{0}, uleb(i))...)
	}
	for i, f := range g.Funcs {
		index := len(g.Imports) + i
		types = append(types, funcType(f.Params, f.Results)...)
		funcs = append(funcs, uleb(index)...)
		if f.Export != "" {
			exports = append(exports, Code(name(f.Export), []byte{0}, uleb(index))...)
			exported++
		}
		locals := []byte{0}
		if f.Locals > 0 {
			locals = Code([]byte{1}, uleb(f.Locals), []byte{0x7f})
		}
		body := Code(locals, f.Code, []byte{0x0b})
		bodies = append(bodies, Code(uleb(len(body)), body)...)
	}
	put(1, len(g.Imports)+len(g.Funcs), types)
	put(2, len(g.Imports), imports)
	put(3, len(g.Funcs), funcs)
	if g.Table > 0 {
		put(4, 1, Code([]byte{0x70, 0}, uleb(int(g.Table))))
	}
	switch {
	case g.Memory[1] > 0:
		put(5, 1, Code([]byte{1}, uleb(int(g.Memory[0])), uleb(int(g.Memory[1]))))
	case g.Memory[0] > 0:
		put(5, 1, Code([]byte{0}, uleb(int(g.Memory[0]))))
	}
	var globals []byte
	for range g.Globals {
		globals = append(globals, 0x7f, 1, 0x41, 0, 0x0b)
	}
	put(6, g.Globals, globals)
	put(7, exported, exports)
	if g.Start > 0 {
		out = append(out, Section(8, uleb(len(g.Imports)+g.Start-1))...)
	}
	put(10, len(g.Funcs), bodies)
	var data []byte
	for _, d := range g.Data {
		data = append(data, Code([]byte{0}, I32(int32(d.At)), []byte{0x0b}, uleb(len(d.Bytes)), d.Bytes)...)
	}
	put(11, len(g.Data), data)
	return out
}

// Section encodes a section of a module: its number, length and content.
func Section(id byte, content []byte) []byte {
	return Code([]byte{id}, uleb(len(content)), content)
}

// Code joins instructions.
func Code(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// I32 is i32.const n.
func I32(n int32) []byte { return append([]byte{0x41}, sleb(int64(n))...) }

// I64 is i64.const n.
func I64(n int64) []byte { return append([]byte{0x42}, sleb(n)...) }

// Call is call of the function with the index.
func Call(index int) []byte { return append([]byte{0x10}, uleb(index)...) }

// Get is local.get.
func Get(local int) []byte { return append([]byte{0x20}, uleb(local)...) }

// GlobalGet is global.get.
func GlobalGet(n int) []byte { return append([]byte{0x23}, uleb(n)...) }

// GlobalSet is global.set.
func GlobalSet(n int) []byte { return append([]byte{0x24}, uleb(n)...) }

// If runs code when the condition on the stack is not zero.
func If(code ...[]byte) []byte { return Code([]byte{0x04, 0x40}, Code(code...), []byte{0x0b}) }

// Forever repeats code endlessly.
func Forever(code ...[]byte) []byte {
	return Code([]byte{0x03, 0x40}, Code(code...), []byte{0x0c, 0x00, 0x0b})
}

// Unreachable is the instruction that traps.
func Unreachable() []byte { return []byte{0x00} }

// Drop drops the value on the stack.
func Drop() []byte { return []byte{0x1a} }

func funcType(params, results string) []byte {
	list := func(s string) []byte {
		b := uleb(len(s))
		for _, c := range s {
			if c == 'l' {
				b = append(b, 0x7e)
			} else {
				b = append(b, 0x7f)
			}
		}
		return b
	}
	return Code([]byte{0x60}, list(params), list(results))
}

func name(s string) []byte { return append(uleb(len(s)), s...) }

func uleb(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

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
