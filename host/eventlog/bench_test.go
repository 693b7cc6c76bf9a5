package eventlog

import (
	"fmt"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		entry := op("note Piano C4 at:1.1", "n1")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := new(Log)
				for range n {
					l.Append(entry)
				}
			}
		})
	}
}

func BenchmarkUndoRedo(b *testing.B) {
	l := new(Log)
	for range 10_000 {
		l.Append(op("note Piano C4 at:1.1", "n1"))
	}
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				undo(b, l, n)
				redo(b, l, n)
			}
		})
	}
}

func BenchmarkRecent(b *testing.B) {
	l := new(Log)
	for i := range 10_000 {
		l.Append(op("note Piano C4 at:1.1", fmt.Sprint(i)))
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Recent(10)
	}
}
