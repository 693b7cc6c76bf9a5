package arrange

import (
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

func TestColumnsFollowTheFlow(t *testing.T) {
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
		if got := assignColumns(len(c.width), c.width, c.arcs); !slices.Equal(got, c.want) {
			t.Errorf("%s: columns %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGroupsStayInOnePieceAndInOrder(t *testing.T) {
	g, names := corpus[0].read(t)
	r := Arrange(g, Options{ColumnsBy: Groups})
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

func TestUnusualGraphsAreArranged(t *testing.T) {
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
				r := Arrange(g, Options{Dir: dir, ColumnsBy: by})
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

// A chain becomes a few rows, like text, each below the one before.
func TestALongChainIsWrapped(t *testing.T) {
	g := &Graph{}
	for i := range 15 {
		g.Boxes = append(g.Boxes, Box{W: 120, H: 60, Parent: -1})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: i - 1, To: i})
		}
	}
	for _, c := range []struct {
		by   ColumnsBy
		rows int
	}{{Both, 3}, {Groups, 1}} {
		r := Arrange(g, Options{ColumnsBy: c.by})
		rows := 1
		for i := 1; i < len(g.Boxes); i++ {
			if r.Boxes[i].X < r.Boxes[i-1].X {
				rows++
				if r.Boxes[i].Y <= r.Boxes[i-1].Y+60 {
					t.Errorf("box %d begins a row at %v, beside %v", i, r.Boxes[i], r.Boxes[i-1])
				}
			}
		}
		if rows != c.rows || r.Score.Counts[Through]+r.Score.Counts[Crossings] > 0 {
			t.Errorf("by %d: %d rows, not %d: %s", c.by, rows, c.rows, r.Score)
		}
	}
}

// Loops are drawn outside their shape, and clear of the next one.
func TestALoopRunsAroundACorner(t *testing.T) {
	box := Box{W: 120, H: 60, Parent: -1}
	g := &Graph{Boxes: []Box{box, box}, Edges: []Edge{{From: 0, To: 1}, {From: 0, To: 0, LabelW: 40, LabelH: 16}, {From: 1, To: 1}}}
	r := Arrange(g, Options{})
	for i := 1; i < 3; i++ {
		if len(r.Routes[i].Points) != 5 {
			t.Errorf("loop %d is %v", i, r.Routes[i].Points)
		}
	}
	if s := r.Score; s.Counts[OwnEnd]+s.Counts[Through]+s.Counts[Close]+s.Counts[Labels]+s.Counts[Crossings] > 0 {
		t.Errorf("%s", s)
	}
}

// A loop in a flowchart is cut at the line that leads back, in whatever order its shapes were made.
func TestLoopsAreCutWhereTheyClose(t *testing.T) {
	box := Box{W: 120, H: 60, Parent: -1}
	// start 4, take 0, paid 2, retry 1, done 3
	g := &Graph{Boxes: []Box{box, box, box, box, box}, Edges: []Edge{{From: 4, To: 0}, {From: 0, To: 2}, {From: 2, To: 3}, {From: 2, To: 1}, {From: 1, To: 0}}}
	r := Arrange(g, Options{Dir: TB})
	y := -1
	for _, v := range []int{4, 0, 2, 3} {
		if r.Boxes[v].Y <= y {
			t.Fatalf("%v", r.Boxes)
		}
		y = r.Boxes[v].Y
	}
}

// Titles are on the left: lines from above enter a frame beside them.
func TestLinesAvoidTitles(t *testing.T) {
	box := Box{W: 120, H: 60, Parent: -1}
	in := Box{W: 120, H: 60, Parent: 1}
	g := &Graph{Boxes: []Box{box, {Parent: -1, Title: 26, TitleW: 90}, in, in}, Edges: []Edge{{From: 0, To: 2}, {From: 2, To: 3, Undirected: true}}}
	if s := Arrange(g, Options{Dir: TB}).Score; s.Counts[OnTitle] > 0 {
		t.Errorf("%s", s)
	}
}

// A hidden frame keeps its members together and is not drawn: it takes no room, and lines run through it.
func TestHiddenFramesKeepTheirMembersTogether(t *testing.T) {
	g := &Graph{Boxes: []Box{{W: 100, H: 40, Parent: -1}, {Parent: -1, Hidden: true}, {W: 100, H: 40, Parent: 1}, {W: 60, H: 40, Parent: 1}, {W: 100, H: 40, Parent: -1}, {W: 100, H: 40, Parent: -1}},
		Edges: []Edge{{From: 0, To: 2}, {From: 0, To: 4}, {From: 2, To: 5}, {From: 4, To: 5}}}
	for _, dir := range []Dir{LR, TB} {
		r := Arrange(g, Options{Dir: dir})
		host, remark := r.Boxes[2], r.Boxes[3]
		gap := max(remark.Y-host.Y-host.H, host.Y-remark.Y-remark.H)
		if dir == TB {
			gap = max(remark.X-host.X-host.W, host.X-remark.X-remark.W)
		}
		if gap != besideGap {
			t.Errorf("%d apart: %v %v", gap, host, remark)
		}
		if frame := r.Boxes[1]; frame.W > 220 || frame.H > 220 {
			t.Errorf("the hidden frame is %v", frame)
		}
	}
}
