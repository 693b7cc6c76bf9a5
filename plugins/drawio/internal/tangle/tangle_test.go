package tangle

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

func TestLinesThatCrossAreFoundOnce(t *testing.T) {
	lines := [][]geom.Point{
		{{X: 0, Y: 50}, {X: 500, Y: 50}},
		{{X: 100, Y: 0}, {X: 100, Y: 100}, {X: 300, Y: 100}, {X: 300, Y: 0}}, // twice through the first
		{{X: 0, Y: 50}, {X: -100, Y: 0}},                                     // begins where the first line begins
		{{X: 400, Y: 0}, {X: 400, Y: 50.002}, {X: 600, Y: 50.002}},           // runs on with it, but for rounding
	}
	var got []string
	if !New(lines).Crossings(func(a, b int) { got = append(got, fmt.Sprint(a, b)) }) {
		t.Error("not all was compared")
	}
	if fmt.Sprint(got) != "[0 1]" {
		t.Error(got)
	}
}

func TestTheGridFindsWhatComparingAllFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Custom(func(t *rapid.T) geom.Point {
			return geom.Point{X: float64(rapid.IntRange(-600, 600).Draw(t, "x")), Y: float64(rapid.IntRange(-600, 600).Draw(t, "y"))}
		})
		lines := rapid.SliceOfN(rapid.SliceOfN(at, 2, 4), 0, 12).Draw(t, "lines")
		r := geom.Rect{X: -50, Y: -80, W: 200, H: 130}
		want, wantIn := map[string]bool{}, map[int]bool{}
		for i, a := range lines {
			for k := 1; k < len(a); k++ {
				if enters(a[k-1], a[k], r) {
					wantIn[i] = true
				}
				for j := i + 1; j < len(lines); j++ {
					for m := 1; m < len(lines[j]); m++ {
						if cross(a[k-1], a[k], lines[j][m-1], lines[j][m]) {
							want[fmt.Sprint(i, j)] = true
						}
					}
				}
			}
		}
		got, in := map[string]bool{}, map[int]bool{}
		g := New(lines)
		g.Crossings(func(a, b int) { got[fmt.Sprint(a, b)] = true })
		g.Through(r, func(i int) { in[i] = true })
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(in) != fmt.Sprint(wantIn) {
			t.Fatalf("%v %v, want %v %v", got, in, want, wantIn)
		}
	})
}
