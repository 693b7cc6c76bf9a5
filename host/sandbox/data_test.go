package sandbox

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
)

// segments is the content of a data section with these pieces.
func segments(pieces ...piece) []byte {
	out := uleb(uint64(len(pieces)))
	for _, p := range pieces {
		out = join(out, []byte{0, 0x41}, sleb(int64(int32(p.at))), []byte{0x0b}, uleb(uint64(len(p.data))), p.data)
	}
	return out
}

func TestDataSegmentsNearEachOtherBecomeOne(t *testing.T) {
	zeros := func(n int) string { return string(make([]byte, n)) }
	at := func(at uint32, data string) piece { return piece{at, []byte(data)} }
	for _, tt := range []struct {
		name       string
		have, want []piece
	}{
		{"none", nil, nil},
		{"one", []piece{at(16, "a")}, []piece{at(16, "a")}},
		{"one behind another", []piece{at(16, "a"), at(17, "bc")}, []piece{at(16, "abc")}},
		{"with zeros between", []piece{at(16, "a"), at(20, "b"), at(21+maxGap, "c")}, []piece{at(16, "a\x00\x00\x00b"+zeros(maxGap)+"c")}},
		{"too far away", []piece{at(16, "a"), at(18+maxGap, "b")}, []piece{at(16, "a"), at(18+maxGap, "b")}},
		{"backwards", []piece{at(20, "a"), at(16, "b")}, []piece{at(20, "a"), at(16, "b")}},
		{"over each other", []piece{at(16, "abc"), at(17, "d")}, []piece{at(16, "abc"), at(17, "d")}},
		{"up to an earlier one", []piece{at(20, "a"), at(16, "b"), at(20, "cd"), at(22, "e")}, []piece{at(20, "a"), at(16, "b\x00\x00\x00cd"), at(22, "e")}},
		{"around an earlier one", []piece{at(20, "a"), at(16, "b"), at(24, "c")}, []piece{at(20, "a"), at(16, "b"), at(24, "c")}},
		{"empty", []piece{at(16, ""), at(18, "")}, []piece{at(16, "\x00\x00")}},
		{"at the end of the address space", []piece{at(1<<32-3, "a"), at(1<<32-1, "b"), at(0, "c")}, []piece{at(1<<32-3, "a\x00b"), at(0, "c")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := joinSegments(&reader{b: segments(tt.have...)})
			if want := segments(tt.want...); !bytes.Equal(got, want) {
				t.Errorf("got  % x\nwant % x", got, want)
			}
		})
	}
	var far []piece
	for i := range uint32(maxPieces + 2) {
		far = append(far, at(i*(maxGap+2), "a"))
	}
	if got := joinSegments(&reader{b: segments(far...)}); got != nil {
		t.Errorf("%d pieces were written anew", len(far))
	}
}

func TestSegmentsThatCodeMayNameOrThatMoveStayAsTheyAre(t *testing.T) {
	for name, content := range map[string][]byte{
		"passive":           {1, 1, 1, 'a'},
		"of another memory": {1, 2, 0, 0x41, 0, 0x0b, 1, 'a'},
		"at a global":       {1, 0, 0x23, 0, 0x0b, 1, 'a'},
		"cut short":         {1, 0, 0x41, 0, 0x0b, 2, 'a'},
	} {
		wasm := append([]byte(wasmHeader), wasmSection(11, content)...)
		if got := joinData(wasm); !bytes.Equal(got, wasm) {
			t.Errorf("%s: got % x", name, got)
		}
	}
	two := wasmSection(11, segments(piece{16, []byte("a")}, piece{17, []byte("b")}))
	counted := slices.Concat([]byte(wasmHeader), wasmSection(12, uleb(2)), two)
	if got := joinData(counted); !bytes.Equal(got, counted) {
		t.Errorf("counted: got % x", got)
	}
	want := slices.Concat([]byte(wasmHeader), wasmSection(11, segments(piece{16, []byte("ab")})), wasmSection(0, wasmName("n")))
	if got := joinData(slices.Concat([]byte(wasmHeader), two, wasmSection(0, wasmName("n")))); !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// Whatever the order of segments and whichever overlap, memory begins as it did.
func TestJoinedSegmentsFillMemoryAlike(t *testing.T) {
	seed := soak.Seed(t)
	r := rand.New(rand.NewPCG(seed, 11))
	for range soak.Times(2000, 200000) {
		var have []piece
		next := uint32(r.IntN(2000))
		for range r.IntN(12) {
			data := make([]byte, r.IntN(40))
			for i := range data {
				data[i] = byte(1 + r.IntN(255))
			}
			if r.IntN(3) == 0 {
				next = uint32(r.IntN(2000))
			}
			have = append(have, piece{next, data})
			next += uint32(len(data) + r.IntN(2*maxGap))
		}
		joined := joinSegments(&reader{b: segments(have...)})
		if got, want := filled(t, joined), filled(t, segments(have...)); !bytes.Equal(got, want) {
			t.Fatalf("%v\nfill\n% x\nand joined\n% x", have, want, got)
		}
	}
}

// filled is memory that the segments of a section fill.
func filled(t *testing.T, section []byte) []byte {
	t.Helper()
	memory := make([]byte, 1<<13)
	r := &reader{b: section}
	for range r.u32() {
		r.skip(2)
		at := r.s32()
		r.skip(1)
		copy(memory[at:], r.sub(r.u32()).b)
	}
	if r.err != nil || r.left() > 0 {
		t.Fatalf("% x: %v, %d bytes left", section, r.err, r.left())
	}
	return memory
}

func TestSignedNumbersAreReadAsTheyAreWritten(t *testing.T) {
	for _, n := range []int32{0, 1, -1, 63, 64, -64, -65, 8191, 8192, 1<<31 - 1, -1 << 31} {
		r := &reader{b: appendS32(nil, n)}
		if got := r.s32(); got != n || r.err != nil || r.left() > 0 {
			t.Errorf("%d: got %d, %v, %d bytes left", n, got, r.err, r.left())
		}
		if !bytes.Equal(r.b, sleb(int64(n))) {
			t.Errorf("%d is written as % x", n, r.b)
		}
	}
	for _, b := range [][]byte{{0x80}, {0xff, 0xff, 0xff, 0xff, 0x0f}, {0x80, 0x80, 0x80, 0x80, 0x80, 0}} {
		r := &reader{b: b}
		if n := r.s32(); r.err == nil {
			t.Errorf("% x is read as %d", b, n)
		}
	}
}
