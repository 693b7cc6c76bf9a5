//go:build !linux

package memory

// linearMemory is a Go slice that doubles as it grows.
type linearMemory struct{ buf []byte }

// resize returns the memory grown to size bytes, new bytes zero.
func (m *linearMemory) resize(size uint64) []byte {
	if size > uint64(cap(m.buf)) {
		grown := make([]byte, size, max(size, 2*uint64(cap(m.buf))))
		copy(grown, m.buf)
		m.buf = grown
	}
	m.buf = m.buf[:size]
	if m.buf == nil {
		m.buf = []byte{}
	}
	return m.buf
}

func (m *linearMemory) free() { m.buf = nil }

func largePages([]byte) {}
