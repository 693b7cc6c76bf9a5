package module

const (
	// maxGap is the largest gap, in bytes, between two data segments that are joined; it is filled with zeros. A segment costs the
	// engine more than that many bytes.
	maxGap = 64
	// maxPieces is the largest number of joined segments. A module that would keep more is not rewritten.
	maxPieces = 1024
)

// joinData joins data segments that lie close together in memory. Instances start with the same memory as before. Go's linker cuts
// segments at every short run of zeros, so its modules have some 85,000 of them; the engine evaluated and kept each one for each
// instance, which was half the time an instance took to start. A module with a data count section is not rewritten, since its code may
// refer to segments by number. The module must have passed Scan.
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
			out := make([]byte, 0, len(wasm)+len(body.b)/2)
			out = append(out, wasm[:from]...)
			out = append(out, id)
			size := len(out)
			out, ok := joinSegments(append(out, wide...), body)
			if !ok {
				return wasm
			}
			putWide(out[size:], len(out)-size-len(wide))
			return append(out, wasm[r.pos:]...)
		}
	}
	return wasm
}

// piece is a range of memory that joined segments fill.
type piece struct{ at, end uint64 }

// joinSegments appends to out the content of a data section with its segments joined. It returns false when they cannot be.
func joinSegments(out []byte, body *reader) ([]byte, bool) {
	var pieces []piece
	var free uint64 // end of the unused memory behind the last piece: where the next earlier piece begins
	count, size := len(out), 0
	out = append(out, wide...)
	for range body.u32() {
		if body.u32() != 0 || body.u8() != 0x41 {
			return nil, false // passive, of another memory, or at an offset that is not a constant
		}
		at := uint64(uint32(body.s32()))
		if body.u8() != 0x0b {
			return nil, false
		}
		length := body.u32()
		from := body.pos
		body.skip(int(length))
		data := body.b[from:body.pos]
		if body.err != nil || len(pieces) > maxPieces {
			return nil, false // too many pieces, or malformed, which the engine will refuse
		}
		n := len(pieces)
		if n == 0 || at < pieces[n-1].end || at > min(pieces[n-1].end+maxGap, free) {
			free = 1 << 32
			for _, earlier := range pieces {
				if earlier.end > at {
					free = min(free, earlier.at)
				}
			}
			pieces = append(pieces, piece{at, at})
			out = append(out, 0, 0x41)
			out = appendS32(out, int32(uint32(at)))
			out = append(out, 0x0b)
			size, n = len(out), n+1
			out = append(out, wide...)
		}
		last := &pieces[n-1]
		out = append(out, make([]byte, at-last.end)...)
		out = append(out, data...)
		last.end = at + uint64(len(data))
		putWide(out[size:], int(last.end-last.at))
	}
	putWide(out[count:], len(pieces))
	return out, true
}

// wide is the placeholder of a number that putWide writes later.
const wide = "\x00\x00\x00\x00\x00"

// putWide writes v as unsigned LEB128 in five bytes.
func putWide(b []byte, v int) {
	for i := range wide {
		b[i] = byte(v>>(7*i)) | 0x80
	}
	b[len(wide)-1] &= 0x7f
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
