package place

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"pgregory.net/rapid"
)

func TestAWalkFindsWhatAWalkFromTheStartWouldFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Space[int]
		truth := map[int]geom.Rect{}
		walks := []Walk{
			{Kind: Rows, X: 200, Y: 200, W: 120, H: 60, StepX: 200, StepY: 120, Columns: 4},
			{Kind: Rows, X: 200, Y: 200, W: 300, H: 200, StepX: 340, StepY: 240, Columns: 2},
			{Kind: Rings, X: 0, Y: 0, W: 100, H: 50, StepX: 120, StepY: 70},
			{Kind: Away, X: 100, Y: 0, W: 40, H: 40, StepX: 80, StepY: 80, TowardX: 1},
			{Kind: Away, X: 100, Y: 0, W: 40, H: 40, StepX: 80, StepY: 80, TowardX: -1, TowardY: 1},
		}
		for i := range rapid.IntRange(1, 60).Draw(t, "ops") {
			switch rapid.IntRange(0, 4).Draw(t, "op") {
			case 0:
				r := geom.Rect{X: rapid.Float64Range(-500, 2000).Draw(t, "x"), Y: rapid.Float64Range(-500, 2000).Draw(t, "y"),
					W: rapid.Float64Range(0, 900).Draw(t, "w"), H: rapid.Float64Range(0, 900).Draw(t, "h")}
				s.Put(i, r)
				truth[i] = r
			case 1:
				k := rapid.IntRange(0, i).Draw(t, "key")
				s.Delete(k)
				delete(truth, k)
			default:
				w := rapid.SampledFrom(walks).Draw(t, "walk")
				got := s.Free(w)
				want := geom.Rect{}
				for n := 0; ; n++ {
					want = w.At(n)
					free := w.allows(want)
					for _, r := range truth {
						free = free && !r.Overlaps(want.Grow(Gap-0.5))
					}
					if free {
						break
					}
				}
				if got != want {
					t.Fatalf("walk %+v found %v, want %v", w, got, want)
				}
				s.Put(i, got)
				truth[i] = got
			}
			pairs := 0
			for k, r := range truth {
				for j, o := range truth {
					if j < k && r.Overlaps(o) {
						pairs++
					}
				}
			}
			if s.Pairs() != pairs {
				t.Fatalf("%d pairs overlap, counted %d", pairs, s.Pairs())
			}
			for k, r := range truth {
				n := 0
				s.Each(r.Grow(1), func(j int, _ geom.Rect) bool {
					if j == k {
						n++
					}
					return true
				})
				if n != 1 {
					t.Fatalf("rectangle %v is seen %d times", r, n)
				}
			}
		}
	})
}

func TestRingsVisitEveryPlaceOnce(t *testing.T) {
	seen := map[[2]int]bool{}
	for n := range 15 * 15 {
		x, y := ring(n)
		if seen[[2]int{x, y}] || max(x, -x, y, -y) > 7 {
			t.Fatalf("place %d is %d,%d", n, x, y)
		}
		seen[[2]int{x, y}] = true
	}
}

func BenchmarkFiveThousandPlaces(b *testing.B) {
	for b.Loop() {
		var s Space[int]
		for i := range 5000 {
			s.Put(i, s.Free(Walk{Kind: Rows, X: 200, Y: 200, W: 120, H: 60, StepX: 200, StepY: 120, Columns: 4}))
		}
	}
}
