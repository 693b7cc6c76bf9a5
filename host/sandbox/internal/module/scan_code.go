package module

// codeSection reads every function body, to bound what makes compilers slow. It does not validate types; the engine does.
func (s *scanner) codeSection(r *reader) {
	n := r.count("function bodies", 3)
	s.info.CodeSize = r.left()
	if defined := len(s.funcs) - s.imported; n != defined {
		r.fail("%d functions are declared and %d have bodies", defined, n)
		return
	}
	for i := 0; i < n && r.err == nil; i++ {
		size := r.u32()
		if size > maxBody {
			r.fail("function %d has %d bytes of code; the limit is %d; split it", i, size, maxBody)
			return
		}
		body := r.sub(size)
		if s.code {
			s.body(body)
		}
		if body.err != nil {
			r.err = body.err
			r.pos = len(r.b)
		}
		s.bodies++
	}
}

// body reads one function: its locals and instructions.
func (s *scanner) body(r *reader) {
	groups := r.count("groups of locals", 2)
	locals := uint64(0)
	for i := 0; i < groups && r.err == nil; i++ {
		locals += uint64(r.u32())
		valueType(r)
		if locals > maxLocals {
			r.fail("a function has %d local variables; the limit is %d", locals, maxLocals)
		}
	}
	depth, branches := 1, 0
	for r.err == nil {
		op := r.u8()
		switch {
		case op >= 0x45 && op <= 0xc4: // numeric, no immediates
		case op >= 0x20 && op <= 0x26: // local, global and table access
			if op == 0x26 && s.names != nil { // table.set
				s.names(r, op)
			}
			r.skipLEB(5)
		case op >= 0x28 && op <= 0x3e: // load and store
			r.skipLEB(5)
			r.skipLEB(5)
		default:
			switch op {
			case 0x00, 0x01, 0x05, 0x0f, 0x1a, 0x1b, 0xd1: // unreachable nop else return drop select ref.is_null
			case 0x02, 0x03, 0x04: // block loop if
				r.skipLEB(5)
				if depth++; depth > maxNesting {
					r.fail("blocks nest deeper than %d", maxNesting)
				}
			case 0x0b: // end
				if depth--; depth == 0 {
					if r.left() > 0 {
						r.fail("a function has code after its end")
					}
					return
				}
			case 0x10, 0xd2: // call ref.func
				if s.names != nil {
					s.names(r, op)
				}
				r.skipLEB(5)
			case 0x0c, 0x0d, 0x41: // br br_if i32.const
				r.skipLEB(5)
			case 0x0e: // br_table
				n := r.count("branch targets", 1)
				s.branches += n
				if branches += n; branches > maxBranches || s.branches > maxBranchSum {
					r.fail("branch tables have more than %d targets in a function, or %d in all", maxBranches, maxBranchSum)
				}
				for i := 0; i <= n && r.err == nil; i++ {
					r.skipLEB(5)
				}
			case 0x11: // call_indirect
				r.skipLEB(5)
				r.skipLEB(5)
			case 0x1c: // select with types
				r.skip(r.count("types", 1))
			case 0x3f, 0x40, 0xd0: // memory.size memory.grow ref.null
				r.u8()
			case 0x42:
				r.skipLEB(10)
			case 0x43:
				r.skip(4)
			case 0x44:
				r.skip(8)
			case 0xfc:
				if s.names != nil && r.left() > 0 && r.b[r.pos] >= 8 && r.b[r.pos] != 10 && r.b[r.pos] != 11 && r.b[r.pos] != 16 {
					s.names(r, op) // all but conversions, memory.copy, memory.fill and table.size
				}
				bulkInstruction(r)
			case 0xfd:
				vectorInstruction(r)
			default:
				r.fail("instruction 0x%02x needs a proposal that this host does not support (threads, tail calls, exceptions, GC)", op)
			}
		}
	}
}

// bulkInstruction skips the rest of an instruction with the prefix 0xfc.
func bulkInstruction(r *reader) {
	switch sub := r.u32(); {
	case sub <= 7: // saturating conversions
	case sub == 8, sub == 10, sub == 12, sub == 14: // memory.init memory.copy table.init table.copy
		r.skipLEB(5)
		r.skipLEB(5)
	case sub == 9, sub == 11, sub == 13, sub >= 15 && sub <= 17: // *.drop memory.fill table.grow/size/fill
		r.skipLEB(5)
	default:
		r.fail("unknown instruction 0xfc %d", sub)
	}
}

// vectorInstruction skips the rest of an instruction with the prefix 0xfd.
func vectorInstruction(r *reader) {
	switch sub := r.u32(); {
	case sub <= 11, sub == 92, sub == 93: // loads and stores
		r.skipLEB(5)
		r.skipLEB(5)
	case sub == 12, sub == 13: // v128.const, shuffle
		r.skip(16)
	case sub >= 21 && sub <= 34: // lanes
		r.u8()
	case sub >= 84 && sub <= 91: // load and store of a lane
		r.skipLEB(5)
		r.skipLEB(5)
		r.u8()
	case sub > 255:
		r.fail("unknown instruction 0xfd %d", sub)
	}
}
