// Package asm assembles small WebAssembly modules for tests: modules that no compiler would write, in a few hundred bytes,
// so that a table can compile one for every case.
package asm

import "encoding/binary"

// Module is a module to assemble. Sections without content are left out.
type Module struct {
	Imports []Import
	Funcs   []Func
	Tables  []Table
	Memory  []uint32 // minimum and, optionally, maximum in pages; empty for no memory. It is exported as "memory"
	Globals int      // mutable i32 variables, all 0
	Start   int      // index of the start function in Funcs, from 1; 0 for none
	Element bool     // puts function 0 into table 0 at 0
	Data    []Segment
	Name    string // of the module, in a name section
}

// Import is a function that the host provides. Its index is its position in the list. Params and Results have one letter
// for each value: i for i32, l for i64.
type Import struct{ Module, Name, Params, Results string }

// Table is a table of functions, all null. A Max of 0 means no maximum.
type Table struct{ Min, Max uint64 }

// Func is a function of the module; Code lacks the final end. Its index counts from the last import. It is exported if
// Export is set.
type Func struct {
	Export, Params, Results string
	Locals                  string // types of the variables after the parameters, such as "ii"
	Code                    []byte
}

// Segment is the initial content of memory from At on.
type Segment struct {
	At    uint32
	Bytes []byte
}

// DataAt returns a list of one segment.
func DataAt(at uint32, text string) []Segment { return []Segment{{at, []byte(text)}} }

// Header starts every module.
const Header = "\x00asm\x01\x00\x00\x00"

// Bytes encodes the module.
func (m Module) Bytes() []byte {
	out := []byte(Header)
	section := func(id byte, n int, items []byte) {
		if n > 0 {
			out = append(out, Section(id, Join(Uleb(uint64(n)), items))...)
		}
	}
	var types, imports, funcs, exports, bodies []byte
	exported := 0
	for i, im := range m.Imports {
		types = append(types, funcType(im.Params, im.Results)...)
		imports = append(imports, Join(Name(im.Module), Name(im.Name), []byte{0}, Uleb(uint64(i)))...)
	}
	for i, f := range m.Funcs {
		index := Uleb(uint64(len(m.Imports) + i))
		types = append(types, funcType(f.Params, f.Results)...)
		funcs = append(funcs, index...)
		if f.Export != "" {
			exports = append(exports, Join(Name(f.Export), []byte{0}, index)...)
			exported++
		}
		body := Join(locals(f.Locals), f.Code, []byte{0x0b})
		bodies = append(bodies, Join(Uleb(uint64(len(body))), body)...)
	}
	if len(m.Memory) > 0 {
		exports = append(exports, Join(Name("memory"), []byte{2, 0})...)
		exported++
	}
	section(1, len(m.Imports)+len(m.Funcs), types)
	section(2, len(m.Imports), imports)
	section(3, len(m.Funcs), funcs)
	section(4, len(m.Tables), m.tables())
	section(5, min(1, len(m.Memory)), m.memory())
	var globals []byte
	for range m.Globals {
		globals = append(globals, typeI32, 1, 0x41, 0, 0x0b)
	}
	section(6, m.Globals, globals)
	section(7, exported, exports)
	if m.Start > 0 {
		out = append(out, Section(8, Uleb(uint64(len(m.Imports)+m.Start-1)))...)
	}
	if m.Element {
		section(9, 1, []byte{0, 0x41, 0, 0x0b, 1, 0})
	}
	section(10, len(m.Funcs), bodies)
	var data []byte
	for _, d := range m.Data {
		data = append(data, Join([]byte{0}, I32(int32(d.At)), []byte{0x0b}, Uleb(uint64(len(d.Bytes))), d.Bytes)...)
	}
	section(11, len(m.Data), data)
	if m.Name != "" {
		sub := Name(m.Name)
		out = append(out, Section(0, Join(Name("name"), []byte{0}, Uleb(uint64(len(sub))), sub))...)
	}
	return out
}

func (m Module) tables() (b []byte) {
	for _, t := range m.Tables {
		if t.Max > 0 {
			b = append(b, Join([]byte{0x70, 1}, Uleb(t.Min), Uleb(t.Max))...)
		} else {
			b = append(b, Join([]byte{0x70, 0}, Uleb(t.Min))...)
		}
	}
	return b
}

func (m Module) memory() []byte {
	b := []byte{byte(len(m.Memory) - 1)}
	for _, pages := range m.Memory {
		b = append(b, Uleb(uint64(pages))...)
	}
	return b
}

const (
	typeI32 = 0x7f
	typeI64 = 0x7e
)

func valueType(letter rune) byte {
	if letter == 'l' {
		return typeI64
	}
	return typeI32
}

func funcType(params, results string) []byte {
	b := []byte{0x60}
	for _, list := range []string{params, results} {
		b = append(b, Uleb(uint64(len(list)))...)
		for _, letter := range list {
			b = append(b, valueType(letter))
		}
	}
	return b
}

// locals encodes local variables: one group for each run of equal types.
func locals(types string) []byte {
	var b []byte
	groups, n := 0, 0
	for i, letter := range types {
		n++
		if i+1 == len(types) || types[i+1] != types[i] {
			b = append(b, Join(Uleb(uint64(n)), []byte{valueType(letter)})...)
			groups, n = groups+1, 0
		}
	}
	return Join(Uleb(uint64(groups)), b)
}

// Section encodes a section of a module: its number, length and content.
func Section(id byte, content []byte) []byte {
	return Join([]byte{id}, Uleb(uint64(len(content))), content)
}

// Name encodes a name: its length and text.
func Name(s string) []byte { return append(Uleb(uint64(len(s))), s...) }

// Uleb encodes n as unsigned LEB128.
func Uleb(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// Sleb encodes n as signed LEB128.
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

// Join joins instructions, or other parts of a module.
func Join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// I32 is i32.const n.
func I32(n int32) []byte { return Join([]byte{0x41}, Sleb(int64(n))) }

// I64 is i64.const n.
func I64(n int64) []byte { return Join([]byte{0x42}, Sleb(n)) }

// Call calls the function with the index.
func Call(index int) []byte { return Join([]byte{0x10}, Uleb(uint64(index))) }

// Drop drops the value on the stack.
func Drop() []byte { return []byte{0x1a} }

// Unreachable traps.
func Unreachable() []byte { return []byte{0x00} }

// If runs code if the condition on the stack is not zero.
func If(code ...[]byte) []byte { return Join([]byte{0x04, 0x40}, Join(code...), []byte{0x0b}) }

// Forever repeats code endlessly.
func Forever(code ...[]byte) []byte {
	return Join([]byte{0x03, 0x40}, Join(code...), []byte{0x0c, 0x00, 0x0b})
}

// MemGrow is memory.grow.
func MemGrow() []byte { return []byte{0x40, 0x00} }

// LoadI32 is i32.load with an offset.
func LoadI32(off int) []byte { return Join([]byte{0x28, 2}, Uleb(uint64(off))) }

// StoreI32 is i32.store with an offset.
func StoreI32(off int) []byte { return Join([]byte{0x36, 2}, Uleb(uint64(off))) }

// LocalGet is local.get.
func LocalGet(i int) []byte { return Join([]byte{0x20}, Uleb(uint64(i))) }

// LocalSet is local.set.
func LocalSet(i int) []byte { return Join([]byte{0x21}, Uleb(uint64(i))) }

// GlobalGet is global.get.
func GlobalGet(i int) []byte { return Join([]byte{0x23}, Uleb(uint64(i))) }

// GlobalSet is global.set.
func GlobalSet(i int) []byte { return Join([]byte{0x24}, Uleb(uint64(i))) }

// Run is an export named run of type () -> i32.
func Run(code ...[]byte) Func { return Func{Export: "run", Results: "i", Code: Join(code...)} }
