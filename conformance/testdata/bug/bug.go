// Package bug selects the bug of each instance of the plugins that test the checks.
package bug

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"unsafe"
)

// Of returns a function that reports whether this instance has a bug: the one of these names whose FNV-1a hash is the
// instance's seed, or none. So one module, compiled once, has all the bugs.
func Of(names ...string) func(name string) bool {
	selected := sync.OnceValue(func() string { return seeded(names) })
	return func(name string) bool { return selected() == name }
}

func seeded(names []string) string {
	var own [16]byte
	if randomGet(unsafe.Pointer(&own), uint32(len(own))) != 0 {
		panic("no random numbers")
	}
	stream := make([]byte, 1<<10) // long enough, although the runtime has read some of it
	for _, name := range names {
		hash := fnv.New64a()
		hash.Write([]byte(name))
		var key [32]byte
		binary.LittleEndian.PutUint64(key[:], hash.Sum64())
		rand.NewChaCha8(key).Read(stream)
		if bytes.Contains(stream, own[:]) {
			return name
		}
	}
	return ""
}

//go:wasmimport wasi_snapshot_preview1 random_get
//go:noescape
func randomGet(to unsafe.Pointer, n uint32) uint32
