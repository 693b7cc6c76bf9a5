package diagram

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// Ten times as many ops allocate ten times as much memory, and an op on a large page
// allocates as much as on a small one. Allocations stand in for time, which a test cannot
// assert.
func TestAnOpAllocatesTheSameHoweverLargeThePageIs(t *testing.T) {
	const few, many = 200, 2000
	fill := func(n int) []string {
		return times(n, func(i int) string { return fmt.Sprintf("add svc Service%d theme:blue", i) })
	}
	for _, c := range []struct {
		name   string
		before func(n int) []string
		op     func(i, n int) string
	}{
		{"adds", nil, func(i, _ int) string { return fmt.Sprintf("add svc Service%d theme:blue", i) }},
		{"adds beside one shape", func(int) []string { return []string{"add svc Hub"} },
			func(i, _ int) string { return fmt.Sprintf("add box Node%d near:Hub dir:below", i) }},
		{"adds in a group", func(int) []string { return []string{"add svc A", "add svc B", "group A B as:G"} },
			func(i, _ int) string { return fmt.Sprintf("add box Node%d in:G", i) }},
		{"connections", fill, func(i, n int) string { return fmt.Sprintf("connect Service%d -> Service%d", i, (i*7+1)%n) }},
		{"styles", fill, func(i, _ int) string { return fmt.Sprintf("style Service%d bold", i) }},
		{"moves", fill, func(i, _ int) string { return fmt.Sprintf("move Service%d by:7,0 strict:true", i) }},
		{"removals", fill, func(i, _ int) string { return fmt.Sprintf("remove Service%d", i) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			each := func(n int) (bytes, objects float64) {
				d := newDoc(t)
				if c.before != nil {
					d.run(c.before(n)...)
				}
				var req abi.ApplyRequest
				for _, text := range times(n, func(i int) string { return c.op(i, n) }) {
					op, err := d.op(text)
					if err != nil {
						t.Fatal(err)
					}
					req.Ops = append(req.Ops, op)
				}
				var a, b runtime.MemStats
				runtime.ReadMemStats(&a)
				out, err := d.in.Apply(&req)
				runtime.ReadMemStats(&b)
				if err != nil {
					t.Fatal(err)
				}
				if e := out.Results[len(out.Results)-1].Error; e != nil {
					t.Fatal(e.Message)
				}
				return float64(b.TotalAlloc-a.TotalAlloc) / float64(n), float64(b.Mallocs-a.Mallocs) / float64(n)
			}
			bytes, objects := each(few)
			moreBytes, moreObjects := each(many)
			t.Logf("%.0f bytes in %.1f objects, on a large page %.0f in %.1f", bytes, objects, moreBytes, moreObjects)
			if moreBytes > 1.6*bytes || moreObjects > 1.2*objects {
				t.Errorf("an op takes %.0f bytes in %.0f objects, and %.0f in %.0f among ten times as many", bytes, objects, moreBytes, moreObjects)
			}
		})
	}
}

func times(n int, text func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = text(i)
	}
	return out
}
