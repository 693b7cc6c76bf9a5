package document

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

func BenchmarkCall(b *testing.B) {
	for _, size := range []int{1, 1000} {
		for _, kept := range []bool{false, true} {
			b.Run(fmt.Sprintf("ops=%d/journal=%v", size, kept), func(b *testing.B) {
				d := blank(b, list(b))
				if kept {
					d.keep(journalDir(b, journal.Limits{File: 1 << 40, Sum: 1 << 41}))
				}
				ops := make([]string, size)
				for i := range ops {
					ops[i] = "add line"
				}
				for b.Loop() {
					d.do(ops...)
					b.StopTimer()
					d.ok(d.Undo(ctx, size, false))
					b.StartTimer()
				}
			})
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", kept), func(b *testing.B) {
			d := blank(b, list(b))
			if kept {
				d.keep(journalDir(b, journal.Limits{}))
			}
			d.do("add one")
			for b.Loop() {
				d.ok(d.query("map"))
			}
		})
	}
}
