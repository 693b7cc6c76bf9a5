package module

import "encoding/binary"

// capTables rewrites the table section so that no table can grow past maxTableItems. wazero's memory limit does not cover tables:
// under a limit of one megabyte, table.grow took 15.6 GB in ten seconds. The module must have passed Scan.
func capTables(wasm []byte) []byte {
	r := &reader{b: wasm, pos: 8}
	for r.left() > 0 && r.err == nil {
		from := r.pos
		id := r.u8()
		body := r.sub(r.u32())
		if id != 4 {
			continue
		}
		n := body.u32()
		section := binary.AppendUvarint(nil, uint64(n))
		for range n {
			kind := body.u8()
			lo, hi, hasMax := bounds(body)
			if !hasMax || hi > maxTableItems {
				hi = maxTableItems
			}
			section = append(section, kind, 1)
			section = binary.AppendUvarint(section, uint64(lo))
			section = binary.AppendUvarint(section, uint64(hi))
		}
		if body.err != nil {
			return wasm // Scan refuses such a module, and so will the engine
		}
		out := make([]byte, 0, len(wasm)+len(section)+8)
		out = append(out, wasm[:from]...)
		out = append(out, 4)
		out = binary.AppendUvarint(out, uint64(len(section)))
		out = append(out, section...)
		return append(out, wasm[r.pos:]...)
	}
	return wasm
}
