package sandbox

import "testing"

// The sizes lie in what was kept, beyond it and beyond that again.
func TestMemoryGrowsWithWhatItHolds(t *testing.T) {
	var m linearMemory
	defer m.free()
	if b := m.resize(0); b == nil || len(b) != 0 {
		t.Fatal("no memory is no memory")
	}
	const page = 64 << 10
	held := 0
	for _, size := range []int{page, 3 * page, 5 << 20, 17 << 20, 40 << 20, 40<<20 + page, 90 << 20} {
		b := m.resize(uint64(size))
		if len(b) != size {
			t.Fatalf("it has %d bytes and not %d", len(b), size)
		}
		for at := 0; at < size; at += page {
			switch {
			case at < held && b[at] != byte(at/page+1):
				t.Fatalf("grown to %d, it holds %d at %d", size, b[at], at)
			case at >= held && (b[at] != 0 || b[at+page-1] != 0):
				t.Fatalf("grown to %d, it is not empty at %d", size, at)
			}
			b[at] = byte(at/page + 1)
		}
		held = size
	}
	if b := m.resize(uint64(held)); len(b) != held {
		t.Fatal("it has changed")
	}
	if b := m.resize(1 << 60); b != nil || len(m.buf) != held {
		t.Fatal("it has what no system gives")
	}
}
