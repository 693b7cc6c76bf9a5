package engine

import (
	"encoding/binary"
	"slices"
)

const (
	// arenaBase is the offset of the first block. Offset 0 means "no block" in Extism's ABI.
	arenaBase = 4096
	// arenaHandles is the largest number of live blocks in one call.
	arenaHandles = 1 << 16
	// arenaKeep is the largest buffer, in bytes, that is kept for the next call.
	arenaKeep = 64 << 10
)

// arena is the memory that Extism's functions allocate from during one call: blocks in one Go buffer, aligned to 8 bytes. Offsets come
// from the guest and are compared as uint64 before they are narrowed.
type arena struct {
	buf    []byte
	blocks map[uint64]uint64   // live blocks: offset → requested length
	spare  map[uint64][]uint64 // freed blocks by rounded size, for reuse within the call
	limit  uint64              // bytes
}

// reset frees all blocks.
func (a *arena) reset() {
	if cap(a.buf) > arenaKeep {
		a.buf = nil
	}
	a.buf = a.buf[:0]
	if len(a.blocks) > 1024 || len(a.spare) > 1024 {
		a.blocks, a.spare = nil, nil // a cleared map keeps its buckets
	}
	clear(a.blocks)
	clear(a.spare)
}

// alloc returns the offset of a new zeroed block of n bytes, or 0 when n is 0 or a limit is reached.
func (a *arena) alloc(n uint64) uint64 {
	if n == 0 || n > a.limit || len(a.blocks) >= arenaHandles {
		return 0
	}
	size := (n + 7) &^ 7
	if a.blocks == nil {
		a.blocks = map[uint64]uint64{}
		a.spare = map[uint64][]uint64{}
	}
	var off uint64
	if list := a.spare[size]; len(list) > 0 {
		off = list[len(list)-1]
		a.spare[size] = list[:len(list)-1]
		clear(a.buf[off-arenaBase : off-arenaBase+size])
	} else {
		used := uint64(len(a.buf))
		if used+size > a.limit {
			return 0
		}
		a.buf = slices.Grow(a.buf, int(size))[:used+size]
		clear(a.buf[used:])
		off = arenaBase + used
	}
	a.blocks[off] = n
	return off
}

// free frees a block. It ignores an offset that is not a live block's.
func (a *arena) free(off uint64) {
	n, live := a.blocks[off]
	if !live {
		return
	}
	delete(a.blocks, off)
	if len(a.blocks) == 0 {
		a.buf = a.buf[:0]
		clear(a.spare)
		return
	}
	size := (n + 7) &^ 7
	if off-arenaBase+size == uint64(len(a.buf)) {
		a.buf = a.buf[:off-arenaBase]
		return
	}
	a.spare[size] = append(a.spare[size], off)
}

// length returns the length of a live block, else 0.
func (a *arena) length(off uint64) uint64 { return a.blocks[off] }

// block returns a live block's bytes, valid until the arena changes.
func (a *arena) block(off uint64) ([]byte, bool) {
	n, live := a.blocks[off]
	if !live {
		return nil, false
	}
	return a.view(off, n)
}

// view returns the n bytes at off, or false when some of them lie outside the arena.
func (a *arena) view(off, n uint64) ([]byte, bool) {
	used := uint64(len(a.buf))
	if off < arenaBase || off-arenaBase > used || n > used-(off-arenaBase) {
		return nil, false
	}
	i := off - arenaBase
	return a.buf[i : i+n : i+n], true
}

func (a *arena) loadU8(off uint64) byte {
	if b, ok := a.view(off, 1); ok {
		return b[0]
	}
	return 0
}

func (a *arena) loadU64(off uint64) uint64 {
	if b, ok := a.view(off, 8); ok {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (a *arena) storeU8(off uint64, v byte) {
	if b, ok := a.view(off, 1); ok {
		b[0] = v
	}
}

func (a *arena) storeU64(off, v uint64) {
	if b, ok := a.view(off, 8); ok {
		binary.LittleEndian.PutUint64(b, v)
	}
}
