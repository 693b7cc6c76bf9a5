package module

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

// piece is memory that segments fill.
type piece struct{ at, end uint64 }

// joinSegments appends the content of a data section with fewer segments, unless they cannot be joined.
func joinSegments(out []byte, body *reader) ([]byte, bool) {
	var pieces []piece
	var free uint64 // where the zeros behind the last piece end: at what an earlier one has filled
	count, size := len(out), 0
	out = append(out, wide...)
	for range body.u32() {
		if body.u32() != 0 || body.u8() != 0x41 {
			return nil, false // it has no memory, another one, or an offset that is a global's
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
			return nil, false // Scan would have refused it, and the engine will
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

// wide keeps the place of a number that is not known yet.
const wide = "\x00\x00\x00\x00\x00"

// putWide writes an unsigned LEB128 number of five bytes.
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
