package module

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// Lazy is a module cut into pieces for an interpreter, which has to translate each function before it can run any: most of a large
// module's functions are never called in its first calls. Main is the module with another body in place of each large one: it calls the
// loader, with the number of the function, and then the function through a table of its own, which holds all functions by number and
// behind them the loader. Piece returns the module with a function and its neighbours, which its instantiation puts into that table, and
// into the module's own tables where Main's stood. Its code calls other functions through the table.
type Lazy struct {
	Main []byte

	types    []byte              // content of the module's type section
	params   []int               // by type: the number of parameters
	imported int                 // functions
	funcs    []uint32            // types of all functions, imported ones first
	globals  []string            // types, encoded
	tables   int                 // how many, without the table of functions
	listed   map[uint32][]uint32 // by function: where it stands in table 0
	memory   bool
	bodies   [][]byte // of the module's own functions
	pieces   []int    // by piece: its first own function; and at the end the number of own functions
	piece    []int    // by own function
}

// LazyModule is the module name by which pieces import what Main exports.
const LazyModule = "fcp:main"

const (
	lazyExport = "fcp:main/" // prefix of the exports of Main
	lazyTable  = lazyExport + "functions"
	lazySmall  = 32      // a body of at most so many bytes is no larger than what would stand in its place
	lazyPiece  = 2 << 10 // bytes of the bodies in one piece, or one body
	header     = "\x00asm\x01\x00\x00\x00"
)

// NewLazy cuts a module into pieces. ok is false for a module that cannot be cut: it imports other things than functions, has a start
// function, or refers in its code to functions or segments by number. The module must have passed Scan.
func NewLazy(wasm []byte) (l *Lazy, ok bool) {
	l = &Lazy{listed: map[uint32][]uint32{}}
	r := &reader{b: Prepare(wasm), pos: 8}
	sections := map[byte][]byte{}
	for r.left() > 0 && r.err == nil {
		id := r.u8()
		body := r.sub(r.u32())
		if id == 8 || id == 12 {
			return nil, false
		}
		sections[id] = body.b
	}
	if r.err != nil || !l.read(sections) {
		return nil, false
	}
	return l, l.writeMain(sections)
}

// read reads what the pieces need from the module's sections.
func (l *Lazy) read(sections map[byte][]byte) bool {
	of := func(id byte) *reader {
		if b, ok := sections[id]; ok {
			return &reader{b: b}
		}
		return &reader{b: []byte{0}}
	}
	types := of(1)
	l.types = types.b
	for range types.u32() {
		types.u8()
		n := int(types.u32())
		types.skip(n)
		types.skip(int(types.u32()))
		l.params = append(l.params, n)
	}
	imports := of(2)
	for range imports.u32() {
		imports.name()
		imports.name()
		if imports.u8() != 0 {
			return false
		}
		l.funcs = append(l.funcs, imports.u32())
	}
	l.imported = len(l.funcs)
	funcs := of(3)
	for range funcs.u32() {
		l.funcs = append(l.funcs, funcs.u32())
	}
	tables := of(4)
	l.tables = int(tables.u32())
	for range l.tables {
		if tables.u8() != 0x70 {
			return false
		}
		bounds(tables)
	}
	l.memory = of(5).u32() > 0
	globals := of(6)
	for range globals.u32() {
		from := globals.pos
		globals.skip(2)
		l.globals = append(l.globals, string(globals.b[from:globals.pos]))
		if !skipConstant(globals) {
			return false
		}
	}
	l.readElements(of(9))
	code := of(10)
	size := 0
	for i := range code.u32() {
		body := code.sub(code.u32())
		l.bodies = append(l.bodies, body.b)
		if size += len(body.b); i == 0 || size > lazyPiece {
			size = len(body.b)
			l.pieces = append(l.pieces, int(i))
		}
		l.piece = append(l.piece, len(l.pieces)-1)
	}
	l.pieces = append(l.pieces, len(l.bodies))
	for _, s := range []*reader{types, imports, funcs, tables, globals, code} {
		if s.err != nil {
			return false
		}
	}
	return len(l.bodies) == len(l.funcs)-l.imported && len(l.funcs) < maxTableItems
}

// skipConstant skips the constant expression of a global; false if it is not a single number.
func skipConstant(r *reader) bool {
	switch r.u8() {
	case 0x41, 0x42:
		r.skipLEB(10)
	case 0x43:
		r.skip(4)
	case 0x44:
		r.skip(8)
	default:
		return false
	}
	return r.u8() == 0x0b
}

// readElements notes where functions stand in table 0. It stops at a segment of an unusual kind: calls through what is not noted only take
// longer.
func (l *Lazy) readElements(r *reader) {
	for range r.u32() {
		if r.u32() != 0 || r.u8() != 0x41 {
			return
		}
		at := uint32(r.s32())
		if r.u8() != 0x0b {
			return
		}
		for range r.u32() {
			f := r.u32()
			if r.err != nil {
				return
			}
			l.listed[f] = append(l.listed[f], at)
			at++
		}
	}
}

// writeMain writes Main. The type of the loader comes after the module's own types. It returns false when the code of a function that stays
// in Main changes a table.
func (l *Lazy) writeMain(sections map[byte][]byte) bool {
	n := len(l.funcs)
	loader := uint64(len(l.params))
	sections[1] = appended(l.types, 1, 0x60, 1, 0x7f, 0)
	size := uleb(uint64(n + 1))
	sections[4] = appended(sections[4], 1, slices.Concat([]byte{0x70, 1}, size, size)...)
	exports, count := []byte(nil), 0
	add := func(name string, kind byte, index int) {
		exports = slices.Concat(exports, named(name), []byte{kind}, uleb(uint64(index)))
		count++
	}
	for i := range l.tables {
		add(lazyExport+"table/"+strconv.Itoa(i), 1, i)
	}
	add(lazyTable, 1, l.tables)
	if l.memory {
		add(lazyExport+"memory", 2, 0)
	}
	for i := range l.globals {
		add(lazyExport+"global/"+strconv.Itoa(i), 3, i)
	}
	sections[7] = appended(sections[7], count, exports...)
	all := slices.Concat([]byte{2}, uleb(uint64(l.tables)), []byte{0x41, 0, 0x0b, 0}, uleb(uint64(n)))
	for f := range n {
		all = binary.AppendUvarint(all, uint64(f))
	}
	sections[9] = appended(sections[9], 1, all...)
	code := uleb(uint64(len(l.bodies)))
	for i, body := range l.bodies {
		if len(body) > lazySmall {
			body = l.loading(l.imported+i, loader)
		} else if _, ok := callsOf(body); !ok {
			return false
		}
		code = append(binary.AppendUvarint(code, uint64(len(body))), body...)
	}
	sections[10] = code
	l.Main = []byte(header)
	for _, id := range []byte{1, 2, 3, 4, 5, 6, 7, 9, 10, 11} {
		if body, ok := sections[id]; ok {
			l.Main = section(l.Main, id, body)
		}
	}
	return true
}

// loading is the body that loads function f and calls it.
func (l *Lazy) loading(f int, loader uint64) []byte {
	b := appendS32([]byte{0, 0x41}, int32(f)) // no locals
	b = appendS32(append(b, 0x41), int32(len(l.funcs)))
	b = l.callIndirect(b, loader)
	for p := range l.params[l.funcs[f]] {
		b = binary.AppendUvarint(append(b, 0x20), uint64(p))
	}
	b = appendS32(append(b, 0x41), int32(f))
	return append(l.callIndirect(b, uint64(l.funcs[f])), 0x0b)
}

// callIndirect appends a call, through the table of functions, of a function of that type.
func (l *Lazy) callIndirect(b []byte, of uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(append(b, 0x11), of), uint64(l.tables))
}

// Pieces returns the number of pieces.
func (l *Lazy) Pieces() int { return len(l.pieces) - 1 }

// PieceOf returns the piece of a function, -1 for none.
func (l *Lazy) PieceOf(function uint32) int {
	if own := int64(function) - int64(l.imported); own >= 0 && own < int64(len(l.piece)) {
		return l.piece[own]
	}
	return -1
}

// Loader returns the module that puts the function load of the module host into the table.
func (l *Lazy) Loader(host, load string) []byte {
	out := section([]byte(header), 1, []byte{1, 0x60, 1, 0x7f, 0})
	out = section(out, 2, slices.Concat([]byte{2}, named(host), named(load), []byte{0, 0}, named(LazyModule), named(lazyTable), []byte{1, 0x70, 0, 0}))
	return section(out, 9, slices.Concat([]byte{1, 0}, appendS32([]byte{0x41}, int32(len(l.funcs))), []byte{0x0b, 1, 0}))
}

// Piece returns the module of a piece. ok is false when its code changes tables or refers to functions or segments by number.
func (l *Lazy) Piece(piece int) (wasm []byte, ok bool) {
	from, to := l.pieces[piece], l.pieces[piece+1]
	first, count := l.imported+from, to-from
	imports, total := []byte(nil), 0
	outside := func(name string, kind byte, of ...byte) {
		imports = slices.Concat(imports, named(LazyModule), named(name), []byte{kind}, of)
		total++
	}
	for i := range l.tables {
		outside(lazyExport+"table/"+strconv.Itoa(i), 1, 0x70, 0, 0)
	}
	outside(lazyTable, 1, 0x70, 0, 0)
	if l.memory {
		outside(lazyExport+"memory", 2, 0, 0)
	}
	for i, g := range l.globals {
		outside(lazyExport+"global/"+strconv.Itoa(i), 3, []byte(g)...)
	}
	n := uleb(uint64(count))
	funcs, code := slices.Clone(n), slices.Clone(n)
	elements := slices.Concat([]byte{2}, uleb(uint64(l.tables)), appendS32([]byte{0x41}, int32(first)), []byte{0x0b, 0}, n)
	segments := 1
	for i := range count {
		funcs = binary.AppendUvarint(funcs, uint64(l.funcs[first+i]))
		elements = binary.AppendUvarint(elements, uint64(i))
	}
	for i := range count {
		body, ok := l.moved(l.bodies[from+i], first, count)
		if !ok {
			return nil, false
		}
		code = append(binary.AppendUvarint(code, uint64(len(body))), body...)
		for _, at := range l.listed[uint32(first+i)] {
			elements = slices.Concat(elements, appendS32([]byte{0, 0x41}, int32(at)), []byte{0x0b, 1}, uleb(uint64(i)))
			segments++
		}
	}
	wasm = section([]byte(header), 1, l.types)
	wasm = section(wasm, 2, append(uleb(uint64(total)), imports...))
	wasm = section(wasm, 3, funcs)
	wasm = section(wasm, 9, append(uleb(uint64(segments)), elements...))
	return section(wasm, 10, code), true
}

// moved returns a body in which functions outside of the piece, whose first function and number of functions are given, are called through
// the table.
func (l *Lazy) moved(body []byte, first, count int) (out []byte, ok bool) {
	calls, ok := callsOf(body)
	if !ok {
		return nil, false
	}
	out = make([]byte, 0, len(body)+4*len(calls))
	done := 0
	for _, c := range calls {
		f := int(c.function)
		if f >= len(l.funcs) {
			return nil, false
		}
		out = append(out, body[done:c.from]...)
		if f >= first && f < first+count {
			out = binary.AppendUvarint(append(out, 0x10), uint64(f-first))
		} else {
			out = l.callIndirect(appendS32(append(out, 0x41), int32(f)), uint64(l.funcs[f]))
		}
		done = c.to
	}
	return append(out, body[done:]...), true
}

// callAt is a call instruction in a body.
type callAt struct {
	from, to int
	function uint32
}

// callsOf lists the calls in a body. ok is false when it refers to functions or segments by number in another way, or changes a table.
func callsOf(body []byte) (list []callAt, ok bool) {
	ok = true
	s := &scanner{names: func(r *reader, op byte) {
		look, at := *r, callAt{from: r.pos - 1}
		at.function = look.u32()
		at.to = look.pos
		list = append(list, at)
		ok = ok && op == 0x10
	}}
	r := &reader{b: body}
	s.body(r)
	return list, ok && r.err == nil
}

func uleb(v uint64) []byte { return binary.AppendUvarint(nil, v) }

// named encodes a name.
func named(name string) []byte { return append(uleb(uint64(len(name))), name...) }

// section appends a section to out.
func section(out []byte, id byte, body []byte) []byte {
	out = append(out, id)
	out = binary.AppendUvarint(out, uint64(len(body)))
	return append(out, body...)
}

// appended returns the content of a section with n more entries; nil is an empty section.
func appended(content []byte, n int, entries ...byte) []byte {
	if content == nil {
		content = []byte{0}
	}
	r := &reader{b: content}
	have := r.u32()
	return slices.Concat(uleb(uint64(have)+uint64(n)), content[r.pos:], entries)
}
