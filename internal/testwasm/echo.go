package testwasm

import "github.com/fcp-host/fcp-host/internal/asm"

// Echo returns a plugin whose answer is in its input: the hexadecimal digits after the last space of the input, where an op,
// a query, a session action, a file's content or an event's data ends with them. answers holds fixed answers of other
// exports.
func Echo(exports []string, answers map[string][]byte) []byte {
	const outputWrite, inputRead, inputLength = 0, 1, 2
	g := asm.Module{
		Imports: []asm.Import{
			{Module: "fcp:host/env", Name: "output_write", Params: "ii"},
			{Module: "fcp:host/env", Name: "input_read", Params: "iii", Results: "i"},
			{Module: "extism:host/env", Name: "input_length", Results: "l"},
		},
	}
	at := uint32(4096)
	size := at
	for _, answer := range answers {
		size += uint32(len(answer))
	}
	buffer := (size | 0xffff) + 1
	g.Memory = []uint32{buffer>>16 + 32} // two megabytes for input
	for _, export := range exports {
		code := echo(int32(buffer), outputWrite, inputRead, inputLength)
		if answer, ok := answers[export]; ok {
			g.Data = append(g.Data, asm.Segment{At: at, Bytes: answer})
			code = asm.Join(asm.I32(int32(at)), asm.I32(int32(len(answer))), asm.Call(outputWrite), asm.I32(0))
			at += uint32(len(answer))
		}
		g.Funcs = append(g.Funcs, asm.Func{Export: export, Results: "i", Locals: "iiii", Code: code})
	}
	return g.Bytes()
}

// echo returns the code of an export that answers from its input.
func echo(buffer int32, outputWrite, inputRead, inputLength int) []byte {
	const end, from, to, begin = 0, 1, 2, 3 // locals: end of the input, positions of digits and bytes, and where both started
	set := func(local byte) []byte { return []byte{0x21, local} }
	load := func(address ...[]byte) []byte { return asm.Join(asm.Join(address...), []byte{0x2d, 0, 0}) }
	add, and, shift := []byte{0x6a}, []byte{0x71}, []byte{0x76}
	digit := func(off int32) []byte { // (c & 15) + 9 * (c >> 6)
		c := load(asm.LocalGet(from), asm.I32(off), add)
		return asm.Join(c, asm.I32(15), and, c, asm.I32(6), shift, asm.I32(9), []byte{0x6c}, add)
	}
	return asm.Join(
		asm.I32(buffer), asm.Call(inputLength), []byte{0xa7}, asm.I32(0), asm.Call(inputRead), asm.I32(buffer), add, set(end),
		asm.LocalGet(end), set(from),
		// Go back to the position after the last space.
		[]byte{0x03, 0x40}, asm.LocalGet(from), asm.I32(buffer), []byte{0x4b}, asm.If(
			load(asm.LocalGet(from), asm.I32(1), []byte{0x6b}), asm.I32(' '), []byte{0x47}, asm.If(
				asm.LocalGet(from), asm.I32(1), []byte{0x6b}, set(from), []byte{0x0c, 2})),
		[]byte{0x0b},
		asm.LocalGet(from), set(to), asm.LocalGet(from), set(begin),
		// Decode two digits to a byte, in place.
		[]byte{0x02, 0x40, 0x03, 0x40}, asm.LocalGet(from), asm.I32(1), add, asm.LocalGet(end), []byte{0x4f, 0x0d, 1},
		load(asm.LocalGet(from)), asm.I32('0'), []byte{0x49, 0x0d, 1}, load(asm.LocalGet(from)), asm.I32('f'), []byte{0x4b, 0x0d, 1},
		asm.LocalGet(to), digit(0), asm.I32(4), []byte{0x74}, digit(1), []byte{0x72, 0x3a, 0, 0},
		asm.LocalGet(from), asm.I32(2), add, set(from), asm.LocalGet(to), asm.I32(1), add, set(to), []byte{0x0c, 0, 0x0b, 0x0b},
		asm.LocalGet(begin), asm.LocalGet(to), asm.LocalGet(begin), []byte{0x6b}, asm.Call(outputWrite), asm.I32(0))
}
