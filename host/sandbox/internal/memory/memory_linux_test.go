package memory

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Kernels before 6.17 move only one mapping at a time, and some move none.
func TestMemoryKeepsItsContentWhenItGrows(t *testing.T) {
	t.Cleanup(func() { mremap = unix.MremapPtr })
	for name, move := range map[string]func(from unsafe.Pointer, n uintptr, to unsafe.Pointer, size uintptr, flags int) (unsafe.Pointer, error){
		"any mappings": unix.MremapPtr,
		"no mapping": func(unsafe.Pointer, uintptr, unsafe.Pointer, uintptr, int) (unsafe.Pointer, error) {
			return nil, unix.EFAULT
		},
		"one mapping": func(from unsafe.Pointer, n uintptr, to unsafe.Pointer, size uintptr, flags int) (unsafe.Pointer, error) {
			if !oneMapping(t, uintptr(from), n) {
				t.Errorf("%d bytes at %p are several mappings", n, from)
			}
			return unix.MremapPtr(from, n, to, size, flags)
		},
	} {
		mremap = move
		t.Run(name, growMemory)
	}
}

// oneMapping reports whether n bytes at an address lie within one mapping of this process.
func oneMapping(t *testing.T, at, n uintptr) bool {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var low, high uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &low, &high); err == nil && low <= at && at+n <= high {
			return true
		}
	}
	return false
}

func growMemory(t *testing.T) {
	var m linearMemory
	defer m.free()
	if b := m.resize(0); b == nil || len(b) != 0 {
		t.Fatal("an empty memory is not empty")
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
		t.Fatal("growing to the same size changed it")
	}
	if b := m.resize(1 << 60); b != nil || len(m.buf) != held {
		t.Fatal("a size that no system has was granted")
	}
}
