package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// hugePage is what the kernel gives at once of memory that asks for it, where it begins at a multiple. A page of 4 KiB at a time
	// took a third of the time in which an instance of 9 MB starts.
	hugePage = 2 << 20
	// growth is the address space that is kept behind a memory, so that it seldom has to move to grow.
	growth = 16 << 20
)

// linearMemory is a mapping outside Go's heap: it grows without being copied, the collector never looks at it, and closing an
// instance gives its pages back at once. What is resident of it is never more than its size.
type linearMemory struct {
	buf  []byte
	base unsafe.Pointer // of what is kept for it, a multiple of hugePage
	kept uintptr        // bytes
}

// resize returns the memory grown to size bytes, new bytes zero, or nil when the system gives no more.
func (m *linearMemory) resize(size uint64) []byte {
	if size == uint64(len(m.buf)) {
		if m.buf == nil {
			return []byte{}
		}
		return m.buf
	}
	old := uintptr(len(m.buf))
	if uintptr(size) > m.kept && !m.move(uintptr(size)+growth) && !m.move(uintptr(size)) {
		return nil
	}
	all := unsafe.Slice((*byte)(m.base), size)
	if unix.Mprotect(all[old:], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return nil
	}
	m.buf = all
	return all
}

// move keeps address space of at least the size given, which is more than before, and moves the memory there.
func (m *linearMemory) move(size uintptr) bool {
	size = (size + hugePage - 1) &^ (hugePage - 1)
	flags := unix.MAP_ANON | unix.MAP_PRIVATE | unix.MAP_NORESERVE
	all, err := unix.MmapPtr(-1, 0, nil, size+hugePage, unix.PROT_NONE, flags)
	if err != nil {
		return false
	}
	front := -uintptr(all) & (hugePage - 1)
	base := unsafe.Add(all, front)
	unmap(all, front)
	unmap(unsafe.Add(base, size), hugePage-front)
	_ = unix.Madvise(unsafe.Slice((*byte)(base), size), unix.MADV_HUGEPAGE) // some systems have none
	if n := uintptr(len(m.buf)); n > 0 {
		if _, err := unix.MremapPtr(m.base, n, base, n, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED); err != nil {
			unmap(base, size)
			return false
		}
		unmap(unsafe.Add(m.base, n), m.kept-n)
	}
	m.base, m.kept = base, size
	return true
}

func (m *linearMemory) free() {
	unmap(m.base, m.kept)
	*m = linearMemory{}
}

// unmap gives back n bytes, which may be none.
func unmap(at unsafe.Pointer, n uintptr) {
	if n > 0 {
		_ = unix.MunmapPtr(at, n) // nothing to do about a mapping that does not unmap
	}
}

// largePages asks for the pages of b that lie in it whole.
func largePages(b []byte) {
	if len(b) < 2*hugePage {
		return
	}
	front := -uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1)
	size := (uintptr(len(b)) - front) &^ (hugePage - 1)
	_ = unix.Madvise(b[front:front+size], unix.MADV_HUGEPAGE)
}
