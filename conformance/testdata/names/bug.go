package main

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"unsafe"
)

// bugs are the ways to misbehave.
var bugs = []string{
	"reverse-nothing", "reverse-order", "reverse-fails", "replay-counts", "replay-memory", "no-event", "half-undone",
	"query-changes", "save-changes", "help-changes", "part-miscounts", "export-changes", "digest-changes", "failed-trace",
	"verb-missing", "example-wrong", "no-try", "try-broken", "try-fails", "try-idle", "try-deletes", "try-all", "try-other",
	"try-foreign", "try-asks", "order-random", "save-unstable", "save-forgets", "links-unsaved", "stale-index",
	"query-remembers", "export-fails", "query-missing", "snapshot-forgets", "digest-long", "digest-empty", "id-long",
	"text-prefix", "text-escape", "traps", "loops",
}

func bug(name string) bool { return selected() == name }

// selected is the bug of this instance, "" for none: the one whose name's FNV-1a hash
// the instance is seeded with. So one module, compiled once, has all of them.
var selected = sync.OnceValue(func() string {
	var own [16]byte
	if randomGet(unsafe.Pointer(&own), uint32(len(own))) != 0 {
		panic("no random numbers")
	}
	stream := make([]byte, 1<<10) // the runtime has read some of it
	for _, name := range bugs {
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
})

//go:wasmimport wasi_snapshot_preview1 random_get
//go:noescape
func randomGet(to unsafe.Pointer, n uint32) uint32
