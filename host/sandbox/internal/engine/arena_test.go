package engine

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestArenaRefuses(t *testing.T) {
	for name, n := range map[string]uint64{"zero bytes": 0, "more than the limit": 1025, "2^63 bytes": 1 << 63, "2^64-1 bytes": 1<<64 - 1} {
		a := arena{limit: 1024}
		if off := a.alloc(n); off != 0 {
			t.Errorf("%s: offset %d", name, off)
		}
	}
}

func TestArenaBoundsLiveBlocks(t *testing.T) {
	a := arena{limit: 1 << 30}
	given := 0
	for range 1_000_000 {
		if a.alloc(1) != 0 {
			given++
		}
	}
	if given != arenaHandles {
		t.Errorf("%d blocks were given", given)
	}
}

func TestArenaIgnoresWildOffsets(t *testing.T) {
	a := arena{limit: 1024}
	off := a.alloc(16)
	a.storeU64(off, 0x1122334455667788)
	for _, wild := range []uint64{0, 1, arenaBase - 1, arenaBase - 8, off + 9, off + 16, 1<<32 + off, 1<<63 + off, 1<<64 - 1, 1<<64 - 4} {
		a.storeU64(wild, 0)
		a.free(wild)
		if a.loadU64(wild) != 0 || a.length(wild) != 0 {
			t.Errorf("offset %d reads %x, length %d", wild, a.loadU64(wild), a.length(wild))
		}
		if _, ok := a.view(wild, 8); ok {
			t.Errorf("8 bytes at %d are in range", wild)
		}
	}
	for _, n := range []uint64{17, 1 << 32, 1<<64 - 1, 1<<64 - arenaBase} {
		if _, ok := a.view(off, n); ok {
			t.Errorf("%d bytes are in range", n)
		}
	}
	if a.loadU64(off) != 0x1122334455667788 || a.loadU8(off+1) != 0x77 {
		t.Error("the block changed")
	}
}

// In any order of calls, blocks never overlap, are zeroed, keep what is written to them and stay within the limit.
func TestArenaBlocksKeepTheirContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 4096
		a := arena{limit: limit}
		want := map[uint64][]byte{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				n := rapid.Uint64Range(0, 300).Draw(t, "size")
				off := a.alloc(n)
				if off == 0 {
					continue
				}
				b, _ := a.block(off)
				if off%8 != 0 || uint64(len(b)) != n || !bytes.Equal(b, make([]byte, n)) {
					t.Fatalf("block of %d at %d holds % x", n, off, b)
				}
				fill := rapid.Byte().Draw(t, "fill")
				want[off] = bytes.Repeat([]byte{fill}, int(n))
				for i := range n {
					a.storeU8(off+i, fill)
				}
			case 2:
				for off := range want {
					a.free(off)
					a.free(off)
					delete(want, off)
					break
				}
			case 3:
				if rapid.IntRange(0, 9).Draw(t, "reset") == 0 {
					a.reset()
					clear(want)
				}
			}
			for off, content := range want {
				if b, ok := a.block(off); !ok || !bytes.Equal(b, content) {
					t.Fatalf("block at %d holds % x instead of % x", off, b, content)
				}
			}
			if len(a.buf) > limit {
				t.Fatalf("%d bytes are in use", len(a.buf))
			}
		}
	})
}
