package sandbox

import (
	"encoding/binary"
	"slices"
)

const (
	// maxGap is how many zeros between two data segments are written to make one of them. A segment costs the engine more than
	// that, and a module grows by no more.
	maxGap = 64
	// maxPieces is how many segments may be left. A module that is not joined to fewer stays as it is.
	maxPieces = 1024
)

// joinData makes one data segment of those that follow each other in memory with few zeros between. Go's linker leaves out every
// short run of zeros: its modules have some 85,000 segments, the engine evaluates each and keeps it for each instance, and that was
// half of an instance's start. Instances begin with the same memory. A module that counts its segments may name them in its code
// and stays as it is. The module must have passed Scan.
func joinData(wasm []byte) []byte {
	r := &reader{b: wasm, pos: 8}
	for r.left() > 0 && r.err == nil {
		from := r.pos
		id := r.u8()
		body := r.sub(r.u32())
		switch id {
		case 12:
			return wasm
		case 11:
			section := joinSegments(body)
			if section == nil {
				return wasm
			}
			out := make([]byte, 0, len(wasm)+len(section))
			out = append(out, wasm[:from]...)
			out = append(out, id)
			out = binary.AppendUvarint(out, uint64(len(section)))
			out = append(out, section...)
			return append(out, wasm[r.pos:]...)
		}
	}
	return wasm
}

// piece is memory that segments fill.
type piece struct {
	at   uint32
	data []byte
}

func (p piece) end() uint64 { return uint64(p.at) + uint64(len(p.data)) }

// joinSegments gives the content of a data section with fewer segments, or nil where they cannot be joined.
func joinSegments(body *reader) []byte {
	var pieces []piece
	var free uint64 // where the zeros behind the last piece end: at what an earlier one has filled
	for range body.u32() {
		if body.u32() != 0 || body.u8() != 0x41 {
			return nil // it has no memory, another one, or an offset that is a global's
		}
		at := uint32(body.s32())
		if body.u8() != 0x0b {
			return nil
		}
		data := body.sub(body.u32()).b
		if body.err != nil || len(pieces) > maxPieces {
			return nil // Scan would have refused it, and the engine will
		}
		if n := len(pieces); n > 0 {
			last := &pieces[n-1]
			if end := last.end(); uint64(at) >= end && uint64(at) <= min(end+maxGap, free) {
				last.data = append(last.data, make([]byte, uint64(at)-end)...)
				last.data = append(last.data, data...)
				continue
			}
		}
		free = 1 << 32
		for _, earlier := range pieces {
			if earlier.end() > uint64(at) {
				free = min(free, uint64(earlier.at))
			}
		}
		pieces = append(pieces, piece{at, slices.Clone(data)})
	}
	out := binary.AppendUvarint(nil, uint64(len(pieces)))
	for _, p := range pieces {
		out = append(out, 0, 0x41)
		out = appendS32(out, int32(p.at))
		out = append(out, 0x0b)
		out = binary.AppendUvarint(out, uint64(len(p.data)))
		out = append(out, p.data...)
	}
	return out
}

// appendS32 appends a signed LEB128 number.
func appendS32(b []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
