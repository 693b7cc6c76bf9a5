package sandbox

import "github.com/tetratelabs/wazero/experimental"

// memoryLimit gives an instance its linear memory and holds it to a cap. It is asked about every growth, so it also knows
// whether a failure of the guest followed from memory that it did not get.
type memoryLimit struct {
	limit   uint64 // bytes
	refused bool   // whether a growth was refused since the flag was last cleared
	mem     *linearMemory
}

// Allocate implements experimental.MemoryAllocator.
func (m *memoryLimit) Allocate(_, _ uint64) experimental.LinearMemory {
	m.mem = &linearMemory{}
	return m
}

// Reallocate implements experimental.LinearMemory.
func (m *memoryLimit) Reallocate(size uint64) []byte {
	if size <= m.limit {
		if b := m.mem.resize(size); b != nil {
			return b
		}
	}
	m.refused = true
	return nil
}

// Free implements experimental.LinearMemory. Freeing twice does nothing.
func (m *memoryLimit) Free() {
	if m.mem != nil {
		m.mem.free()
	}
}

// size returns the bytes of linear memory in use.
func (m *memoryLimit) size() uint64 {
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
