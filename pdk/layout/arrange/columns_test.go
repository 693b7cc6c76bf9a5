package arrange

import (
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

func TestQuotientOrdersByTheFlow(t *testing.T) {
	arc := func(from, to, weight int) simplex.Arc { return simplex.Arc{From: from, To: to, Weight: weight} }
	for _, c := range []struct {
		name  string
		arcs  []simplex.Arc
		width []int
		want  []int
	}{
		{"a chain", []simplex.Arc{arc(0, 1, 1), arc(1, 2, 1)}, []int{1, 1, 1}, []int{0, 1, 2}},
		{"wide nodes push", []simplex.Arc{arc(0, 1, 1), arc(1, 2, 1)}, []int{1, 3, 1}, []int{0, 1, 4}},
		{"the light direction gives in", []simplex.Arc{arc(0, 1, 5), arc(1, 0, 3)}, []int{1, 1}, []int{0, 1}},
		{"a source lies next to what it feeds", []simplex.Arc{arc(0, 1, 1), arc(1, 2, 1), arc(3, 2, 1)}, []int{1, 1, 1, 1}, []int{0, 1, 2, 1}},
		{"a loop is cut where it closes", []simplex.Arc{arc(0, 1, 1), arc(1, 2, 1), arc(2, 0, 1)}, []int{1, 1, 1}, []int{0, 1, 2}},
		{"nothing joins", nil, []int{1, 1}, []int{-1, -1}},
	} {
		if got := quotient(len(c.width), c.width, c.arcs); !slices.Equal(got, c.want) {
			t.Errorf("%s: columns %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGroupsStayInOnePieceAndInOrder(t *testing.T) {
	g, names := corpus[0].read(t)
	r := Arrange(g, Options{By: Groups})
	last := -1
	for _, want := range []string{"Clients", "Edge", "Services", "Data"} {
		i := slices.Index(names, want)
		if r.Boxes[i].X <= last {
			t.Errorf("%s does not lie behind the group before it", want)
		}
		last = r.Boxes[i].X + r.Boxes[i].W
	}
	if w, h := pageOf(r); w*100 < h*120 || w*100 > h*240 {
		t.Errorf("the page is %d×%d", w, h)
	}
}

func pageOf(r Result) (w, h int) {
	for _, b := range r.Boxes {
		w, h = max(w, b.X+b.W), max(h, b.Y+b.H)
	}
	return w, h
}

func TestOddGraphsAreArranged(t *testing.T) {
	box := Box{W: 100, H: 60, Parent: -1}
	for name, g := range map[string]*Graph{
		"nothing":                 {},
		"one":                     {Boxes: []Box{box}},
		"a loop":                  {Boxes: []Box{box, box}, Edges: []Edge{{From: 0, To: 0}, {From: 0, To: 1}}},
		"to a frame":              {Boxes: []Box{box, {Parent: -1, Title: 28}, {W: 80, H: 40, Parent: 1}}, Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 2}}},
		"between frames":          {Boxes: []Box{{Parent: -1}, {W: 80, H: 40}, {Parent: -1}, {W: 80, H: 40, Parent: 2}}, Edges: []Edge{{From: 0, To: 2}, {From: 2, To: 0}}},
		"both ways":               {Boxes: []Box{box, box}, Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 0}, {From: 0, To: 1}}},
		"a line to what is not":   {Boxes: []Box{box}, Edges: []Edge{{From: 0, To: 7}, {From: -1, To: 0}}},
		"a frame within a column": {Boxes: []Box{{Parent: -1}, {W: 80, H: 40}, {}, {W: 80, H: 40, Parent: 2}}, Edges: []Edge{{From: 1, To: 2}}},
		"a small shape, many lines": {Boxes: []Box{{W: 10, H: 10, Parent: -1}, box, box, box},
			Edges: []Edge{{From: 0, To: 1, LabelW: 9, LabelH: 9}, {From: 0, To: 2, LabelW: 9, LabelH: 9}, {From: 0, To: 3, LabelW: 9, LabelH: 9}}},
	} {
		for dir := LR; dir <= BT; dir++ {
			for by := Both; by <= Flow; by++ {
				r := Arrange(g, Options{Dir: dir, By: by})
				if r.Score.Counts[Overlaps]+r.Score.Counts[Strays] > 0 {
					t.Errorf("%s: %s", name, r.Score)
				}
			}
		}
	}
}

func TestLargeDiagramIsInOrder(t *testing.T) {
	g := large(t, 30)
	if s := Arrange(g, Options{}).Score; s.Counts[Overlaps]+s.Counts[Strays]+s.Counts[OwnEnd] > 0 {
		t.Errorf("%s", s)
	} else {
		t.Logf("%s", s)
	}
}
