// Package memory provides the linear memory of instances, held to a limit, and large buffers.
package memory

import "github.com/tetratelabs/wazero/experimental"

// Limited is the linear memory of one instance, held to a limit. wazero asks it for each growth, so it also knows whether memory was
// refused before a guest failed.
type Limited struct {
	Limit   uint64 // bytes
	Refused bool   // whether a growth was refused since the caller last cleared the field
	mem     *linearMemory
}

// Allocate implements experimental.MemoryAllocator.
func (m *Limited) Allocate(_, _ uint64) experimental.LinearMemory {
	m.mem = &linearMemory{}
	return m
}

// Reallocate implements experimental.LinearMemory.
func (m *Limited) Reallocate(size uint64) []byte {
	if size <= m.Limit {
		if b := m.mem.resize(size); b != nil {
			return b
		}
	}
	m.Refused = true
	return nil
}

// Free implements experimental.LinearMemory. Freeing twice does nothing.
func (m *Limited) Free() {
	if m.mem != nil {
		m.mem.free()
	}
}

// Size returns the size of the memory in bytes.
func (m *Limited) Size() uint64 {
	if m.mem == nil {
		return 0
	}
	return uint64(len(m.mem.buf))
}

// Buffer returns n zeroed bytes for a file that is read at once. On Linux they lie in large pages: for a module of 16 MB, the kernel took
// longer to provide pages of 4 KiB than to read the file.
func Buffer(n int) []byte {
	b := make([]byte, n)
	largePages(b)
	return b
}
