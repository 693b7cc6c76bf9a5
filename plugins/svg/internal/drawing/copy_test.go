package drawing

import (
	"fmt"
	"runtime"
	"testing"
)

func TestCopiesOfAllTakeAsLongAsThereAreElements(t *testing.T) {
	for _, op := range []string{"copy @all by:0,100", "repeat @all count:2 dx:20"} {
		each := func(n int) float64 {
			in := fresh(t)
			apply(t, in, batch(t, n, rect))
			ops := batch(t, 1, func(int) string { return op })
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			apply(t, in, ops)
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		}
		if few, many := each(60), each(480); many > 2*few {
			t.Errorf("%s takes %.0f bytes for each of 60 elements and %.0f for each of 480", op, few, many)
		}
	}
	in := fresh(t)
	apply(t, in, batch(t, 4, func(i int) string {
		return []string{"add rect r1 at:0,0 size:9x9", "add rect r3 at:0,0 size:9x9", "add rect s at:0,0 size:9x9", "copy @all by:9,9"}[i]
	}))
	var ids []string
	for n := range in.Model().Root.All() {
		if id := n.ID(); id != "" {
			ids = append(ids, id)
		}
	}
	if got := fmt.Sprint(ids); got != "[r1 r2 r3 r4 s s2]" {
		t.Error(got)
	}
}
