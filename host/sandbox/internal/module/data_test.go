package module

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/asm"
	"github.com/fcp-host/fcp-host/internal/soak"
)

// segment is a data segment of memory 0.
type segment struct {
	at   uint32
	data []byte
}

// segments encodes a data section.
func segments(all ...segment) []byte {
	out := asm.Uleb(uint64(len(all)))
	for _, s := range all {
		out = asm.Join(out, []byte{0, 0x41}, asm.Sleb(int64(int32(s.at))), []byte{0x0b}, asm.Uleb(uint64(len(s.data))), s.data)
	}
	return out
}

// joined returns the segments of a data section after joinSegments, nil when they cannot be joined.
func joined(t *testing.T, section []byte) []segment {
	t.Helper()
	out, ok := joinSegments(nil, &reader{b: section})
	if !ok {
		return nil
	}
	return read(t, out)
}

// read decodes a data section.
func read(t *testing.T, section []byte) []segment {
	t.Helper()
	r := &reader{b: section}
	all := []segment{}
	for range r.u32() {
		r.skip(2)
		at := uint32(r.s32())
		r.skip(1)
		all = append(all, segment{at, r.sub(r.u32()).b})
	}
	if r.err != nil || r.left() > 0 {
		t.Fatalf("% x: %v, %d bytes left", section, r.err, r.left())
	}
	return all
}

func TestNeighbouringDataSegmentsAreJoined(t *testing.T) {
	zeros := func(n int) string { return string(make([]byte, n)) }
	at := func(at uint32, data string) segment { return segment{at, []byte(data)} }
	for _, tt := range []struct {
		name       string
		have, want []segment
	}{
		{"none", nil, nil},
		{"one", []segment{at(16, "a")}, []segment{at(16, "a")}},
		{"one behind another", []segment{at(16, "a"), at(17, "bc")}, []segment{at(16, "abc")}},
		{"with zeros between", []segment{at(16, "a"), at(20, "b"), at(21+maxGap, "c")}, []segment{at(16, "a\x00\x00\x00b"+zeros(maxGap)+"c")}},
		{"too far away", []segment{at(16, "a"), at(18+maxGap, "b")}, []segment{at(16, "a"), at(18+maxGap, "b")}},
		{"backwards", []segment{at(20, "a"), at(16, "b")}, []segment{at(20, "a"), at(16, "b")}},
		{"over each other", []segment{at(16, "abc"), at(17, "d")}, []segment{at(16, "abc"), at(17, "d")}},
		{"up to an earlier one", []segment{at(20, "a"), at(16, "b"), at(20, "cd"), at(22, "e")}, []segment{at(20, "a"), at(16, "b\x00\x00\x00cd"), at(22, "e")}},
		{"around an earlier one", []segment{at(20, "a"), at(16, "b"), at(24, "c")}, []segment{at(20, "a"), at(16, "b"), at(24, "c")}},
		{"empty", []segment{at(16, ""), at(18, "")}, []segment{at(16, "\x00\x00")}},
		{"at the end of the address space", []segment{at(1<<32-3, "a"), at(1<<32-1, "b"), at(0, "c")}, []segment{at(1<<32-3, "a\x00b"), at(0, "c")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := joined(t, segments(tt.have...))
			if !slices.EqualFunc(got, tt.want, func(a, b segment) bool { return a.at == b.at && bytes.Equal(a.data, b.data) }) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
		})
	}
	var far []segment
	for i := range uint32(maxPieces + 2) {
		far = append(far, at(i*(maxGap+2), "a"))
	}
	if got := joined(t, segments(far...)); got != nil {
		t.Errorf("%d pieces were joined", len(far))
	}
}

func TestSegmentsThatCodeMayReferToAreNotJoined(t *testing.T) {
	for name, content := range map[string][]byte{
		"passive":           {1, 1, 1, 'a'},
		"of another memory": {1, 2, 0, 0x41, 0, 0x0b, 1, 'a'},
		"at a global":       {1, 0, 0x23, 0, 0x0b, 1, 'a'},
		"cut short":         {1, 0, 0x41, 0, 0x0b, 2, 'a'},
	} {
		wasm := append([]byte(asm.Header), asm.Section(11, content)...)
		if got := joinData(wasm); !bytes.Equal(got, wasm) {
			t.Errorf("%s: got % x", name, got)
		}
	}
	two := asm.Section(11, segments(segment{16, []byte("a")}, segment{17, []byte("b")}))
	counted := slices.Concat([]byte(asm.Header), asm.Section(12, asm.Uleb(2)), two)
	if got := joinData(counted); !bytes.Equal(got, counted) {
		t.Errorf("counted: got % x", got)
	}
	between := slices.Concat([]byte(asm.Header), asm.Section(0, asm.Name("n")), two, asm.Section(0, asm.Name("m")))
	want := asm.Join(
		[]byte(asm.Header), asm.Section(0, asm.Name("n")),
		[]byte{11, 0x90, 0x80, 0x80, 0x80, 0, 0x81, 0x80, 0x80, 0x80, 0, 0, 0x41, 16, 0x0b, 0x82, 0x80, 0x80, 0x80, 0, 'a', 'b'},
		asm.Section(0, asm.Name("m")))
	if got := joinData(between); !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// Memory starts with the same content, in whatever order segments come and whichever overlap.
func TestJoinedSegmentsFillMemoryAsBefore(t *testing.T) {
	seed := soak.Seed(t)
	r := rand.New(rand.NewPCG(seed, 11))
	for range soak.Times(800, 200000) {
		var have []segment
		next := uint32(r.IntN(2000))
		for range r.IntN(12) {
			data := make([]byte, r.IntN(40))
			for i := range data {
				data[i] = byte(1 + r.IntN(255))
			}
			if r.IntN(3) == 0 {
				next = uint32(r.IntN(2000))
			}
			have = append(have, segment{next, data})
			next += uint32(len(data) + r.IntN(2*maxGap))
		}
		if got, want := filled(joined(t, segments(have...))), filled(have); !bytes.Equal(got, want) {
			t.Fatalf("%v\nfill\n% x\nand joined\n% x", have, want, got)
		}
	}
}

// filled returns a memory after segments have filled it.
func filled(all []segment) []byte {
	memory := make([]byte, 1<<13)
	for _, s := range all {
		copy(memory[s.at:], s.data)
	}
	return memory
}

func TestSignedNumbersAreReadAsTheyAreWritten(t *testing.T) {
	for _, n := range []int32{0, 1, -1, 63, 64, -64, -65, 8191, 8192, 1<<31 - 1, -1 << 31} {
		r := &reader{b: appendS32(nil, n)}
		if got := r.s32(); got != n || r.err != nil || r.left() > 0 {
			t.Errorf("%d: got %d, %v, %d bytes left", n, got, r.err, r.left())
		}
		if !bytes.Equal(r.b, asm.Sleb(int64(n))) {
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
