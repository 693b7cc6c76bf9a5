package module

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Skeleton returns what a worker needs of a module whose compiled code it loads: the module as Prepare rewrites it, without function
// bodies. The module must have passed Scan.
func Skeleton(wasm []byte) []byte { return Prepare(withoutBodies(wasm)) }

// Prepare returns the module that an engine compiles: the given one with a maximum for each table and with neighbouring data segments
// joined. The module must have passed Scan.
func Prepare(wasm []byte) []byte { return joinData(capTables(wasm)) }

// withoutBodies replaces the body of each function with one that traps. A worker that loads compiled code never reads the bodies, and
// sending, decoding and validating them took 40 % of its start. The module must have passed Scan.
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
			return wasm // Scan refuses such a module, and so will the engine
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
