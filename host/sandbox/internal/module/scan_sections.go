package module

import "strings"

// sectionOrder returns where in a module a section must come, 0 for an unknown section. The data count (12) comes before the code (10).
func sectionOrder(id int) int {
	switch {
	case id >= 1 && id <= 9:
		return id
	case id == 12:
		return 10
	case id == 10 || id == 11:
		return id + 1
	}
	return 0
}

// section reads the content of one section.
func (s *scanner) section(id int, r *reader) {
	switch id {
	case 0:
		r.name()
		r.skip(r.left())
	case 1:
		s.typeSection(r)
	case 2:
		s.importSection(r)
	case 3:
		n := r.count("functions", 1)
		if n > maxFunctions {
			r.fail("it has %d functions; the limit is %d", n, maxFunctions)
		}
		for i := 0; i < n && r.err == nil; i++ {
			s.funcs = append(s.funcs, s.typeIndex(r))
		}
		s.info.Functions = len(s.funcs) - s.imported
	case 4:
		n := r.count("tables", 3)
		for i := 0; i < n && r.err == nil; i++ {
			s.table(r)
		}
	case 5:
		n := r.count("memories", 2)
		for i := 0; i < n && r.err == nil; i++ {
			s.memory(r)
		}
	case 6:
		n := r.count("globals", 4)
		for i := 0; i < n && r.err == nil; i++ {
			valueType(r)
			r.u8()
			constExpr(r)
			s.globals++
		}
	case 7:
		s.exportSection(r)
	case 8:
		s.start = int64(r.u32())
		s.info.HasStart = true
		if r.err == nil && s.start >= int64(len(s.funcs)) {
			r.fail("the start section names function %d of %d", s.start, len(s.funcs))
		}
	case 9:
		s.elementSection(r)
	case 10:
		s.codeSection(r)
	case 11:
		s.dataSection(r)
	case 12:
		s.dataCount = int64(r.u32())
	}
}

func (s *scanner) typeSection(r *reader) {
	n := r.count("types", 3)
	if n > maxTypes {
		r.fail("it has %d types; the limit is %d", n, maxTypes)
	}
	for i := 0; i < n && r.err == nil; i++ {
		if form := r.u8(); r.err == nil && form != 0x60 {
			r.fail("type %d has form 0x%02x, which needs a newer proposal", i, form)
			return
		}
		params := typeList(r)
		results := typeList(r)
		s.types = append(s.types, Signature(params, results))
	}
}

// typeList reads the types of parameters or results and returns them as "i64, i32".
func typeList(r *reader) string {
	n := r.count("value types", 1)
	if n > maxParams {
		r.fail("a type has %d values; the limit is %d", n, maxParams)
	}
	var b strings.Builder
	for i := 0; i < n && r.err == nil; i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(valueType(r))
	}
	return b.String()
}

// Signature returns a function type as text: "(i64, i32) -> i64". params and results are lists such as "i64, i32".
func Signature(params, results string) string {
	if results == "" || strings.Contains(results, ",") {
		results = "(" + results + ")"
	}
	return "(" + params + ") -> " + results
}

// valueType reads a value type and returns its name.
func valueType(r *reader) string {
	switch c := r.u8(); c {
	case 0x7f:
		return "i32"
	case 0x7e:
		return "i64"
	case 0x7d:
		return "f32"
	case 0x7c:
		return "f64"
	case 0x7b:
		return "v128"
	case 0x70:
		return "funcref"
	case 0x6f:
		return "externref"
	default:
		r.fail("unknown value type 0x%02x", c)
		return "?"
	}
}

// typeIndex reads the index of a type that exists.
func (s *scanner) typeIndex(r *reader) uint32 {
	t := r.u32()
	if r.err == nil && t >= uint32(len(s.types)) {
		r.fail("type %d is used and there are only %d types", t, len(s.types))
	}
	return t
}

func (s *scanner) importSection(r *reader) {
	n := r.count("imports", 4)
	for i := 0; i < n && r.err == nil; i++ {
		im := Import{Module: r.name(), Name: r.name()}
		switch kind := r.u8(); kind {
		case 0:
			t := s.typeIndex(r)
			if r.err != nil {
				return
			}
			im.Kind, im.Signature = "func", s.types[t]
			s.funcs = append(s.funcs, t)
			s.imported++
		case 1:
			im.Kind = "table"
			s.table(r)
		case 2:
			im.Kind = "memory"
			s.memory(r)
		case 3:
			im.Kind, im.Signature = "global", valueType(r)
			r.u8()
			s.globals++
		default:
			r.fail("import %d has kind %d, which needs a newer proposal", i, kind)
		}
		if r.err == nil {
			s.info.Imports = append(s.info.Imports, im)
		}
	}
}

// bounds reads the limits of a table or memory: a minimum and, where the flag says so, a maximum.
func bounds(r *reader) (lo, hi uint32, hasMax bool) {
	switch flag := r.u8(); flag {
	case 0:
		return r.u32(), 0, false
	case 1:
		return r.u32(), r.u32(), true
	default:
		r.fail("a memory or table is shared or 64-bit, which this host does not support")
		return 0, 0, false
	}
}

func (s *scanner) table(r *reader) {
	if t := r.u8(); r.err == nil && t != 0x70 && t != 0x6f {
		r.fail("a table of type 0x%02x needs a newer proposal", t)
		return
	}
	lo, hi, hasMax := bounds(r)
	s.tables++
	s.info.TableItems += uint64(lo)
	if r.err == nil && (s.tables > maxTables || s.info.TableItems > maxTableItems) {
		r.fail("it wants %d tables with %d entries and may have %d tables with %d entries", s.tables, s.info.TableItems, maxTables, maxTableItems)
	}
	if r.err == nil && hasMax && hi < lo {
		r.fail("a table has the minimum %d and the maximum %d", lo, hi)
	}
}

func (s *scanner) memory(r *reader) {
	lo, hi, hasMax := bounds(r)
	s.memories++
	if r.err == nil && s.memories > 1 {
		r.fail("it has more than one memory, which this host does not support")
	}
	if r.err == nil && (lo > 65536 || hi > 65536 || hasMax && hi < lo) {
		r.fail("its memory has the minimum %d and the maximum %d pages", lo, hi)
	}
	s.info.MemoryMin, s.info.MemoryMax = uint64(lo)*PageSize, uint64(hi)*PageSize
}

func (s *scanner) exportSection(r *reader) {
	n := r.count("exports", 3)
	seen := make(map[string]bool, min(n, 64))
	for i := 0; i < n && r.err == nil; i++ {
		ex := Export{Name: r.name()}
		kind, index := r.u8(), r.u32()
		if r.err != nil {
			return
		}
		limit := 0
		switch kind {
		case 0:
			ex.Kind, limit = "func", len(s.funcs)
		case 1:
			ex.Kind, limit = "table", s.tables
		case 2:
			ex.Kind, limit = "memory", s.memories
		case 3:
			ex.Kind, limit = "global", s.globals
		default:
			r.fail("export %q has kind %d, which needs a newer proposal", ex.Name, kind)
			return
		}
		if uint64(index) >= uint64(limit) {
			r.fail("export %q names %s %d of %d", ex.Name, ex.Kind, index, limit)
			return
		}
		if seen[ex.Name] {
			r.fail("export %q appears twice", ex.Name)
			return
		}
		seen[ex.Name] = true
		if kind == 0 {
			ex.Signature = s.types[s.funcs[index]]
		}
		s.info.Exports = append(s.info.Exports, ex)
	}
}

func (s *scanner) elementSection(r *reader) {
	n := r.count("element segments", 2)
	for i := 0; i < n && r.err == nil; i++ {
		flag := r.u32()
		if flag > 7 {
			r.fail("element segment %d has the unknown form %d", i, flag)
			return
		}
		if flag&1 == 0 { // active
			if flag&2 != 0 {
				r.u32() // table
			}
			constExpr(r)
		}
		if flag&3 != 0 {
			r.u8() // element kind or reference type
		}
		items := r.count("elements", 1)
		for j := 0; j < items && r.err == nil; j++ {
			if flag&4 != 0 {
				constExpr(r)
			} else {
				r.skipLEB(5)
			}
		}
	}
}

func (s *scanner) dataSection(r *reader) {
	n := r.count("data segments", 2)
	s.info.DataSegments = n
	if s.dataCount >= 0 && s.dataCount != int64(n) {
		r.fail("the data count is %d and there are %d data segments", s.dataCount, n)
	}
	for i := 0; i < n && r.err == nil; i++ {
		switch flag := r.u32(); flag {
		case 0:
			constExpr(r)
		case 1:
		case 2:
			r.u32()
			constExpr(r)
		default:
			r.fail("data segment %d has the unknown form %d", i, flag)
		}
		size := r.u32()
		if uint64(size) > uint64(r.left()) {
			r.truncated()
			return
		}
		r.skip(int(size))
		s.info.DataSize += int(size)
	}
}

// constExpr skips a constant expression, such as the initialiser of a global.
func constExpr(r *reader) {
	for r.err == nil {
		switch op := r.u8(); op {
		case 0x0b:
			return
		case 0x41, 0x23, 0xd2: // i32.const, global.get, ref.func
			r.skipLEB(5)
		case 0x42:
			r.skipLEB(10)
		case 0x43:
			r.skip(4)
		case 0x44:
			r.skip(8)
		case 0xd0:
			r.u8()
		case 0xfd:
			if sub := r.u32(); sub != 12 {
				r.fail("an initialiser uses a vector instruction other than v128.const")
			}
			r.skip(16)
		default:
			r.fail("an initialiser uses instruction 0x%02x", op)
		}
	}
}
