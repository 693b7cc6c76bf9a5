package mxfile

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// If unchanged cells were counted again, every op would cost as much as a count
// of the whole page.
func TestTheTallyLooksOnlyAtWhatChanged(t *testing.T) {
	const n, few = 2000, 5 // a cell, what it lies in, what it connects
	f := New("T")
	p := f.Current
	run := func(draft func(d *Draft)) *Edit {
		t.Helper()
		d := f.Draft()
		draft(d)
		e := d.Edit()
		if err := e.Do(f); err != nil {
			t.Fatal(err)
		}
		return e
	}
	run(func(d *Draft) {
		d.Append(p, "g", NewVertex("g", "Group", "container=1;", "1", geom.Rect{W: 10, H: 10}))
		for i := range n {
			id, parent := fmt.Sprint("v", i), "1"
			if i%2 == 0 {
				parent = "g"
			}
			d.Append(p, id, NewVertex(id, id, "", parent, geom.Rect{X: float64(i), W: 10, H: 10}))
		}
	})
	looked := 0
	tally := func() Tally {
		return p.Tally(func(c *Cell) Class {
			looked++
			switch {
			case c.Edge:
				return ClassEdge
			case !c.Shape():
				return 0
			}
			return ClassShape | ClassOuter | ClassTitled
		})
	}
	if got := tally(); got.Shapes != n+1 || looked < n {
		t.Fatalf("%+v after looking at %d", got, looked)
	}
	changes := []struct {
		name   string
		draft  func(d *Draft)
		most   int
		shapes int
	}{
		{"nothing", nil, 0, n + 1},
		{"a new shape", func(d *Draft) { d.Append(p, "x", NewVertex("x", "x", "", "1", geom.Rect{X: 5, W: 1, H: 1})) }, few, n + 2},
		{"a new edge", func(d *Draft) { d.Append(p, "e", NewEdge("e", "", "", "1", "x", "v1")) }, few, n + 2},
		{"a shape that moves", func(d *Draft) {
			d.Change(p.Cell("v1"), func(t Text) Text { return t.WithGeo(geom.Rect{X: 9, W: 1, H: 1}) })
		}, few, n + 2},
		{"a group that grows", func(d *Draft) {
			d.Change(p.Cell("g"), func(t Text) Text { return t.WithGeo(geom.Rect{W: 99, H: 99}) })
		}, few, n + 2},
		{"a shape that goes", func(d *Draft) { d.Remove(p.Cell("v3")) }, few, n + 1},
		{"a group of another style", func(d *Draft) {
			d.Change(p.Cell("g"), func(t Text) Text { return t.WithStyle("swimlane;") })
		}, n/2 + few, n + 1},
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			var e *Edit
			if c.draft != nil {
				e = run(c.draft)
			}
			looked = 0
			if got := tally(); looked > c.most || got.Shapes != c.shapes {
				t.Errorf("%+v after looking at %d cells", got, looked)
			}
			if e == nil {
				return
			}
			if err := e.Undo(f); err != nil {
				t.Fatal(err)
			}
			looked = 0
			if tally(); looked > c.most {
				t.Errorf("undone: looked at %d cells", looked)
			}
			if err := e.Do(f); err != nil {
				t.Fatal(err)
			}
		})
	}
}
