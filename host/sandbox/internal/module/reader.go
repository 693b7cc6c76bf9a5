package module

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

var errTruncated = errors.New("unexpected end of data")

// reader reads a module's bytes in order. After the first failure, err is set, with an offset, and every read returns zero.
type reader struct {
	b    []byte
	pos  int
	base int // offset of b in the file, for error texts
	err  error
}

// fail sets err unless it is set already, and skips the rest of the bytes.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("offset %d: "+format, append([]any{r.base + r.pos}, args...)...)
	}
	r.pos = len(r.b)
}

func (r *reader) truncated() {
	if r.err == nil {
		r.err = fmt.Errorf("offset %d: %w", r.base+r.pos, errTruncated)
	}
	r.pos = len(r.b)
}

func (r *reader) left() int { return len(r.b) - r.pos }

func (r *reader) u8() byte {
	if r.pos >= len(r.b) {
		r.truncated()
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	if r.pos < len(r.b) && r.b[r.pos] < 0x80 {
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.u8()
		if r.err != nil {
			return 0
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > 0xffffffff {
				break
			}
			return uint32(v)
		}
	}
	r.fail("a number does not fit 32 bits")
	return 0
}

// s32 reads a signed LEB128 number of at most 32 bits.
func (r *reader) s32() int32 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		c := r.u8()
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			if v != int64(int32(v)) {
				break
			}
			return int32(v)
		}
	}
	r.fail("a number does not fit 32 bits")
	return 0
}

// skipLEB skips a LEB128 number of at most limit bytes.
func (r *reader) skipLEB(limit int) {
	for range limit {
		if r.u8() < 0x80 {
			return
		}
	}
	r.fail("a number is too long")
}

func (r *reader) skip(n int) {
	if n < 0 || n > r.left() {
		r.truncated()
		return
	}
	r.pos += n
}

// count reads the length of a vector whose elements take at least size bytes each. It fails when the remaining bytes cannot hold so
// many, so callers never allocate more than the file justifies.
func (r *reader) count(what string, size int) int {
	n := r.u32()
	if r.err == nil && uint64(n) > uint64(r.left()/size) {
		r.fail("it claims %d %s and has room for at most %d", n, what, r.left()/size)
		return 0
	}
	return int(n)
}

// sub returns a reader of the next n bytes and moves past them.
func (r *reader) sub(n uint32) *reader {
	if uint64(n) > uint64(r.left()) {
		r.truncated()
		return &reader{err: r.err}
	}
	s := &reader{b: r.b[r.pos : r.pos+int(n)], base: r.base + r.pos}
	r.pos += int(n)
	return s
}

// name reads a name: its length, then UTF-8.
func (r *reader) name() string {
	n := r.u32()
	if uint64(n) > uint64(r.left()) {
		r.truncated()
		return ""
	}
	b := r.b[r.pos : r.pos+int(n)]
	if !utf8.Valid(b) {
		r.fail("a name is not UTF-8")
		return ""
	}
	r.pos += int(n)
	return string(b)
}
