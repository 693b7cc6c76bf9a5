package abi

import (
	"fmt"
	"math"
)

// reader reads a message that passed Check: it is complete, and its nesting is
// bounded. After an error it reads nothing more.
type reader struct {
	b   []byte
	s   string // the same bytes, where strings may share them; otherwise empty
	pos int
	err error
}

func (r *reader) fail(want string) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d (0x%02x) is not %s", r.pos, r.b[min(r.pos, len(r.b)-1)], want)
	}
	r.pos = len(r.b)
}

// head returns the first byte of the next value, which says what it is.
func (r *reader) head() byte {
	if r.err != nil || r.pos >= len(r.b) {
		return 0xc0
	}
	return r.b[r.pos]
}

func (r *reader) null() bool {
	if r.err == nil && r.head() == 0xc0 && r.pos < len(r.b) {
		r.pos++
		return true
	}
	return false
}

func (r *reader) uint(width int) uint64 {
	var n uint64
	for _, c := range r.b[r.pos : r.pos+width] {
		n = n<<8 | uint64(c)
	}
	r.pos += width
	return n
}

// fields reads the head of a map and returns how many fields follow. nil is a
// map without fields.
func (r *reader) fields() int {
	switch c := r.head(); {
	case c&0xf0 == 0x80:
		r.pos++
		return int(c & 0x0f)
	case c == 0xde:
		r.pos++
		return int(r.uint(2))
	case c == 0xdf:
		r.pos++
		return int(r.uint(4))
	case c == 0xc0:
		r.null()
	default:
		r.fail("a map")
	}
	return 0
}

// list reads the head of an array of at most limit elements, and makes the slice
// for them; nil is a nil slice.
func list[T any](r *reader, limit int) []T {
	n := 0
	switch c := r.head(); {
	case c&0xf0 == 0x90:
		r.pos++
		n = int(c & 0x0f)
	case c == 0xdc:
		r.pos++
		n = int(r.uint(2))
	case c == 0xdd:
		r.pos++
		n = int(r.uint(4))
	case c == 0xc0:
		r.null()
		return nil
	default:
		r.fail("a list")
		return nil
	}
	if n > limit {
		r.fail(fmt.Sprintf("a list of at most %d", limit))
		return nil
	}
	return make([]T, n) // Check has compared n with the number of bytes that follow
}

// span returns where the next string or bytes lie in the message, and skips them.
func (r *reader) span(what string) (from, to int) {
	n := 0
	switch c := r.head(); {
	case c&0xe0 == 0xa0:
		r.pos++
		n = int(c & 0x1f)
	case c == 0xd9 || c == 0xc4:
		r.pos++
		n = int(r.uint(1))
	case c == 0xda || c == 0xc5:
		r.pos++
		n = int(r.uint(2))
	case c == 0xdb || c == 0xc6:
		r.pos++
		n = int(r.uint(4))
	case c == 0xc0:
		r.null()
		return 0, 0
	default:
		r.fail(what)
		return 0, 0
	}
	r.pos += n
	return r.pos - n, r.pos
}

// key reads a field's name. It aliases the message.
func (r *reader) key() []byte {
	from, to := r.span("a field's name")
	return r.b[from:to]
}

func (r *reader) text() string {
	from, to := r.span("a string")
	if r.s != "" {
		return r.s[from:to]
	}
	return string(r.b[from:to])
}

// isText reports whether the next value is a string, or bytes in its place.
func (r *reader) isText() bool {
	c := r.head()
	return c&0xe0 == 0xa0 || c >= 0xd9 && c <= 0xdb || c >= 0xc4 && c <= 0xc6
}

func (r *reader) bytes() []byte {
	if r.null() {
		return nil
	}
	from, to := r.span("bytes")
	if r.err != nil {
		return nil
	}
	return append(make([]byte, 0, to-from), r.b[from:to]...)
}

func (r *reader) bool() bool {
	switch r.head() {
	case 0xc3:
		r.pos++
		return true
	case 0xc2:
		r.pos++
	case 0xc0:
		r.null()
	default:
		r.fail("true or false")
	}
	return false
}

func (r *reader) integer() int {
	c := r.head()
	var v int64
	switch {
	case c <= 0x7f || c >= 0xe0:
		r.pos++
		v = int64(int8(c))
	case c == 0xcc:
		r.pos++
		v = int64(r.uint(1))
	case c == 0xcd:
		r.pos++
		v = int64(r.uint(2))
	case c == 0xce:
		r.pos++
		v = int64(r.uint(4))
	case c == 0xcf:
		r.pos++
		u := r.uint(8)
		if u > math.MaxInt64 {
			r.pos -= 9
			r.fail("a number in range")
			return 0
		}
		v = int64(u)
	case c == 0xd0:
		r.pos++
		v = int64(int8(r.uint(1)))
	case c == 0xd1:
		r.pos++
		v = int64(int16(r.uint(2)))
	case c == 0xd2:
		r.pos++
		v = int64(int32(r.uint(4)))
	case c == 0xd3:
		r.pos++
		v = int64(r.uint(8))
	case c == 0xc0:
		r.null()
		return 0
	default:
		r.fail("a whole number")
		return 0
	}
	if int64(int(v)) != v {
		r.fail("a number in range")
		return 0
	}
	return int(v)
}

// skip skips one value of any kind.
func (r *reader) skip() {
	for left := uint64(1); left > 0 && r.err == nil; left-- {
		if r.pos >= len(r.b) {
			r.fail("a value")
			return
		}
		size, children, err := shape(r.b[r.pos:])
		if err != nil {
			r.fail("a value")
			return
		}
		r.pos += int(size)
		left += children
	}
}
