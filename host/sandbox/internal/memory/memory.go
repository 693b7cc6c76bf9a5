// Package memory provides the linear memory of instances, held to a limit, and large buffers.
package memory

import "github.com/tetratelabs/wazero/experimental"

// Limited gives an instance its linear memory and holds it to a cap. It is asked about every growth, so it also knows
// whether a failure of the guest followed from memory that it did not get.
type Limited struct {
	Limit   uint64 // bytes
	Refused bool   // whether a growth was refused since the flag was last cleared
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

// Size returns the bytes of linear memory in use.
func (m *Limited) Size() uint64 {
	if m.mem == nil {
		return 0
	}
	return uint64(len(m.mem.buf))
}

// Buffer returns n bytes for what is read whole. On Linux they are in large pages: of a module of 16 MB, the kernel's work for
// pages of 4 KiB took longer than to read it.
func Buffer(n int) []byte {
	b := make([]byte, n)
	largePages(b)
	return b
}
