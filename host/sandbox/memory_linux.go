package sandbox

import "golang.org/x/sys/unix"

// linearMemory is a mapping outside Go's heap: it grows without being copied, the collector never looks at it, and closing an
// instance gives its pages back at once.
type linearMemory struct{ buf []byte }

// resize returns the memory grown to size bytes, new bytes zero, or nil when the system gives no more.
func (m *linearMemory) resize(size uint64) []byte {
	var b []byte
	var err error
	switch {
	case size == uint64(len(m.buf)):
		if b = m.buf; b == nil {
			b = []byte{}
		}
	case m.buf == nil:
		b, err = unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	default:
		b, err = unix.Mremap(m.buf, int(size), unix.MREMAP_MAYMOVE)
	}
	if err != nil {
		return nil
	}
	if len(b) > 0 {
		m.buf = b
	}
	return b
}

func (m *linearMemory) free() {
	if m.buf != nil {
		_ = unix.Munmap(m.buf) // nothing to do about a mapping that does not unmap
		m.buf = nil
	}
}
