package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// tone is a note as a synthesizer plays it: with the program and the volume of its
// channel when it starts.
type tone struct {
	tick, length           int64
	channel, pitch, vel    int
	program, volume, track int
}

func (n tone) String() string {
	return fmt.Sprintf("%d+%d ch%d %d v%d prog%d vol%d", n.tick, n.length, n.channel, n.pitch, n.vel, n.program, n.volume)
}

// moment is one channel message.
type moment struct {
	tick  int64
	track int
	data  [3]byte
}

// stream reads a file without our own code, as a synthesizer does: the channel messages
// of all tracks of format 0 and 1 as one stream.
func stream(file []byte) []moment {
	var all []moment
	for track, rest := 0, file[8+binary.BigEndian.Uint32(file[4:]):]; len(rest) >= 8; {
		size := binary.BigEndian.Uint32(rest[4:])
		if string(rest[:4]) == "MTrk" {
			all = append(all, messages(rest[8:8+size], track)...)
			track++
		}
		rest = rest[8+size:]
	}
	slices.SortStableFunc(all, func(a, b moment) int { return int(a.tick - b.tick) })
	return all
}

// listen returns what a synthesizer plays of that stream. Channels have state, tracks
// do not.
func listen(t testing.TB, file []byte) []tone {
	t.Helper()
	var out []tone
	var program, volume [17]int
	for i := range volume {
		volume[i] = 100
	}
	for _, m := range stream(file) {
		c, a, b := int(m.data[0]&15)+1, int(m.data[1]), int(m.data[2])
		switch kind := m.data[0] >> 4; {
		case kind == 0xC:
			program[c] = a
		case kind == 0xB && a == 7:
			volume[c] = b
		case kind == 9 && b > 0:
			out = append(out, tone{m.tick, -1, c, a, b, program[c], volume[c], m.track})
		case kind == 8, kind == 9:
			for i := range out {
				if n := &out[i]; n.length < 0 && n.channel == c && n.pitch == a && n.track == m.track {
					n.length = m.tick - n.tick
					break
				}
			}
		}
	}
	return out
}

func messages(b []byte, track int) (out []moment) {
	number := func() (n int64) {
		for more := true; more; b = b[1:] {
			n, more = n<<7|int64(b[0]&0x7F), b[0] > 0x7F
		}
		return n
	}
	var tick int64
	var status byte
	for len(b) > 0 {
		tick += number()
		if b[0] >= 0x80 {
			status, b = b[0], b[1:]
		}
		switch {
		case status >= 0xF0:
			if status == 0xFF {
				b = b[1:]
			}
			n := number()
			b = b[n:]
		case status >= 0xC0 && status < 0xE0:
			out, b = append(out, moment{tick, track, [3]byte{status, b[0]}}), b[1:]
		default:
			out, b = append(out, moment{tick, track, [3]byte{status, b[0], b[1]}}), b[2:]
		}
	}
	return out
}

// played lists, as text, what a synthesizer plays of a document.
func played(t testing.TB, doc *pdktest.Doc) []string {
	t.Helper()
	var out []string
	for _, n := range listen(t, doc.Save()) {
		out = append(out, n.String())
	}
	return out
}
