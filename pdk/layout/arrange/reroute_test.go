package arrange

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Lines that are rerouted one by one among fixed shapes are about as good as those that were laid out with them.
func TestRerouteKeepsShapesAndAvoidsThem(t *testing.T) {
	folder := os.Getenv("ARRANGE_PICTURES")
	for _, b := range corpus {
		g, names := b.read(t)
		r := Arrange(g, Options{Dir: b.dir})
		again := Result{Boxes: r.Boxes, Routes: make([]Route, len(r.Routes))}
		var all []int
		for i := range g.Edges {
			all = append(all, i)
		}
		Reroute(g, &again, all, b.dir)
		t.Logf("%-14s %s | %s", b.name, r.Score, again.Score)
		if folder != "" {
			if err := os.WriteFile(filepath.Join(folder, b.name+"-rerouted.svg"), []byte(picture(g, names, again)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(r.Boxes, again.Boxes) {
			t.Errorf("%s: shapes have moved", b.name)
		}
		if n := again.Score.Counts[Through] + again.Score.Counts[OwnEnd]; n > 0 {
			t.Errorf("%s: %d lines through shapes", b.name, n)
		}
		if most := r.Score.Counts[Crossings] + r.Score.Counts[Forks] + 5; again.Score.Counts[Crossings]+again.Score.Counts[Forks] > most {
			t.Errorf("%s: %s, and %s rerouted", b.name, r.Score, again.Score)
		}
		some := again
		some.Routes = append([]Route(nil), r.Routes...)
		Reroute(g, &some, all[:1], b.dir)
		if !reflect.DeepEqual(some.Routes[1:], r.Routes[1:]) {
			t.Errorf("%s: lines that nobody named have moved", b.name)
		}
	}
}

func BenchmarkRerouteShop(b *testing.B) {
	g, _ := corpus[0].read(b)
	r := Arrange(g, Options{})
	var all []int
	for i := range g.Edges {
		all = append(all, i)
	}
	for b.Loop() {
		Reroute(g, &r, all, LR)
	}
}
