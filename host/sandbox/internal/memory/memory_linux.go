package memory

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
	buf   []byte
	base  unsafe.Pointer // of what is kept for it, a multiple of hugePage
	kept  uintptr        // bytes
	seams []uintptr      // where it ended when it moved: each part is a mapping of its own
}

// mremap is the system's; tests put another one here.
var mremap = unix.MremapPtr

// resize returns the memory grown to size bytes, new bytes zero, or nil when the system gives no more and all stays as it was.
func (m *linearMemory) resize(size uint64) []byte {
	if size == uint64(len(m.buf)) {
		if m.buf == nil {
			return []byte{}
		}
		return m.buf
	}
	if uintptr(size) > m.kept {
		if !m.move(uintptr(size), growth) && !m.move(uintptr(size), 0) {
			return nil
		}
		return m.buf
	}
	all := unsafe.Slice((*byte)(m.base), size)
	if unix.Mprotect(all[len(m.buf):], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return nil
	}
	m.buf = all
	return all
}

// move grows the memory to size bytes elsewhere, where address space of room bytes more is kept. What can fail comes first.
func (m *linearMemory) move(size, room uintptr) bool {
	kept := (size + room + hugePage - 1) &^ (hugePage - 1)
	all, err := unix.MmapPtr(-1, 0, nil, kept+hugePage, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return false
	}
	front := -uintptr(all) & (hugePage - 1)
	base := unsafe.Add(all, front)
	unmap(all, front)
	unmap(unsafe.Add(base, kept), hugePage-front)
	_ = unix.Madvise(unsafe.Slice((*byte)(base), kept), unix.MADV_HUGEPAGE) // some systems have none
	buf := unsafe.Slice((*byte)(base), size)
	if unix.Mprotect(buf, unix.PROT_READ|unix.PROT_WRITE) != nil {
		unmap(base, kept)
		return false
	}
	old := uintptr(len(m.buf))
	if old > 0 {
		m.seams = append(m.seams, old)
	}
	at := uintptr(0)
	for _, end := range m.seams { // kernels before 6.17 move no more than one mapping at once
		from, to := unsafe.Add(m.base, at), unsafe.Add(base, at)
		if _, err := mremap(from, end-at, to, end-at, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED); err != nil {
			copy(buf[at:end], m.buf[at:end])
			unmap(from, end-at)
		}
		at = end
	}
	unmap(unsafe.Add(m.base, old), m.kept-old)
	m.buf, m.base, m.kept = buf, base, kept
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
