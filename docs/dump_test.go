package docs_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// dump formats a msgpack message byte by byte, with each value on a line of its own, followed by its meaning.
func dump(t *testing.T, data []byte) string {
	t.Helper()
	d := dumper{data: data}
	d.value(0)
	if len(d.data) > 0 {
		t.Fatalf("%d bytes after the message", len(d.data))
	}
	return d.out.String()
}

type dumper struct {
	data []byte
	out  strings.Builder
}

func (d *dumper) value(depth int) {
	c := d.data[0]
	be := func(width int) int {
		var b [8]byte
		copy(b[8-width:], d.data[1:])
		return int(binary.BigEndian.Uint64(b[:]))
	}
	switch {
	case c <= 0x7f || c >= 0xe0:
		d.line(depth, 1, fmt.Sprint(int8(c)))
	case c&0xf0 == 0x80:
		d.children(depth, 1, "map", int(c&0x0f), 2)
	case c&0xf0 == 0x90:
		d.children(depth, 1, "array", int(c&0x0f), 1)
	case c&0xe0 == 0xa0:
		d.text(depth, 1, int(c&0x1f), "")
	case c == 0xc0:
		d.line(depth, 1, "nil")
	case c == 0xc2 || c == 0xc3:
		d.line(depth, 1, fmt.Sprint(c == 0xc3))
	case c == 0xc4:
		d.text(depth, 2, be(1), "bytes ")
	case c == 0xd9:
		d.text(depth, 2, be(1), "")
	case c == 0xda:
		d.text(depth, 3, be(2), "")
	case c == 0xcc:
		d.line(depth, 2, fmt.Sprint(be(1)))
	case c == 0xcd:
		d.line(depth, 3, fmt.Sprint(be(2)))
	case c == 0xce:
		d.line(depth, 5, fmt.Sprint(be(4)))
	case c == 0xcb:
		d.line(depth, 9, fmt.Sprint(math.Float64frombits(uint64(be(8)))))
	default:
		panic(fmt.Sprintf("dump does not know %#x", c))
	}
}

func (d *dumper) children(depth, head int, what string, n, each int) {
	d.line(depth, head, fmt.Sprintf("%s of %d", what, n))
	for range n * each {
		d.value(depth + 1)
	}
}

func (d *dumper) text(depth, head, n int, what string) {
	d.line(depth, head+n, what+fmt.Sprintf("%q", d.data[head:head+n]))
}

// line prints n bytes, sixteen in a row, with their meaning beside the first row.
func (d *dumper) line(depth, n int, meaning string) {
	indent := strings.Repeat(" ", 2*depth)
	for i := 0; i < n; i += 16 {
		row := fmt.Sprintf("%s% x", indent, d.data[i:min(i+16, n)])
		if i == 0 {
			row = fmt.Sprintf("%-62s %s", row, meaning)
		}
		d.out.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	d.data = d.data[n:]
}
