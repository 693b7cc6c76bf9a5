package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// hugePage is the size of a huge page in bytes. The kernel provides one at once where memory asks for it and is aligned to it; pages
	// of 4 KiB took a third of the start of an instance of 9 MB.
	hugePage = 2 << 20
	// growth is the address space, in bytes, reserved behind a memory so that it can grow without moving.
	growth = 16 << 20
)

// linearMemory is a mapping outside Go's heap: it grows without a copy, the garbage collector ignores it, and closing an instance frees
// its pages at once. Its resident part is never larger than its size.
type linearMemory struct {
	buf   []byte
	base  unsafe.Pointer // of the reserved address space; a multiple of hugePage
	kept  uintptr        // reserved bytes
	seams []uintptr      // its sizes when it moved: each part between two of them is a mapping of its own
}

// mremap is the system call, a variable so that tests can replace it.
var mremap = unix.MremapPtr

// resize returns the memory grown to size bytes, the new ones zero. When the system refuses, it returns nil and changes nothing.
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

// move moves the memory to another address, where it has size bytes and room more are reserved. When the system refuses, it returns
// false and changes nothing.
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
	_ = unix.Madvise(unsafe.Slice((*byte)(base), kept), unix.MADV_HUGEPAGE) // systems without huge pages refuse
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
	for _, end := range m.seams { // kernels before 6.17 move only one mapping at a time
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

// free unmaps the memory. Freeing twice does nothing.
func (m *linearMemory) free() {
	unmap(m.base, m.kept)
	*m = linearMemory{}
}

// unmap unmaps n bytes, which may be 0.
func unmap(at unsafe.Pointer, n uintptr) {
	if n > 0 {
		_ = unix.MunmapPtr(at, n) // nothing can be done about an error
	}
}

// largePages asks the kernel for huge pages for the part of b that is aligned to them.
func largePages(b []byte) {
	if len(b) < 2*hugePage {
		return
	}
	front := -uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1)
	size := (uintptr(len(b)) - front) &^ (hugePage - 1)
	_ = unix.Madvise(b[front:front+size], unix.MADV_HUGEPAGE)
}
