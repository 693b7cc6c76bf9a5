package module

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Skeleton is what a worker reads of a module whose compiled code it is given: all but the bodies, as an engine has it compiled. The
// module must have passed Scan.
func Skeleton(wasm []byte) []byte { return Prepare(withoutBodies(wasm)) }

// Prepare rewrites a module as engines run it: tables cannot grow without bound, and data segments that lie close together are one. The
// module must have passed Scan.
func Prepare(wasm []byte) []byte { return joinData(capTables(wasm)) }

// withoutBodies replaces the body of each function by one that traps. A worker that is given the compiled code reads
// none of them: to send, decode and validate them was 40 % of what its start took. The module must have passed Scan.
func withoutBodies(wasm []byte) []byte {
	r := &reader{b: wasm, pos: 8}
	for r.left() > 0 && r.err == nil {
		from := r.pos
		id := r.u8()
		body := r.sub(r.u32())
		if id != 10 {
			continue
		}
		n := body.u32()
		if r.err != nil || body.err != nil || int(n) > body.left() {
			return wasm // Scan would have refused it, and the engine will
		}
		trap := []byte{3, 0, 0x00, 0x0b} // a body of three bytes: no locals, unreachable, end
		section := append(binary.AppendUvarint(nil, uint64(n)), bytes.Repeat(trap, int(n))...)
		out := slices.Clone(wasm[:from])
		out = append(out, 10)
		out = binary.AppendUvarint(out, uint64(len(section)))
		out = append(out, section...)
		return append(out, wasm[r.pos:]...)
	}
	return wasm
}
