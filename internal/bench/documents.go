package main

import (
	"fmt"
	"time"
)

// documents measures the memory of many open documents: only recently used ones have an instance, the others are
// rebuilt on demand.
func documents(b *bench) {
	var ops []string
	for i := range 20 {
		ops = append(ops, fmt.Sprintf("note Piano C%d at:%d.1", 2+i%5, 1+i))
	}
	for _, n := range []int{1, 10, 100, 1000} {
		s := b.start(b.cache, "--no-journal", "--limit", "documents=1000")
		began := time.Now()
		for i := range n {
			s.call("midi_session", "action", fmt.Sprintf(`new "D%d" as:d%d`, i, i))
			s.call("midi", "ops", append([]string{"track add Piano"}, ops...))
		}
		each := time.Since(began) / time.Duration(n)
		b.add(fmt.Sprintf("resident memory, %d edited documents of midi", n), mb(s.resident()), "–")
		if n == 1000 {
			b.time("making and editing one of them", []cost{{wall: each}}, "–")
			at := time.Now()
			s.call("midi_session", "action", "use d0")
			s.call("midi", "ops", []string{"note Piano E5 at:30.1"})
			b.time("an op on one that has no instance", []cost{{wall: time.Since(at)}}, "–")
		}
		s.stop()
	}
}
