package arrange

import "testing"

// If the score missed mistakes, every other test would pass.
func TestScoreCountsMistakes(t *testing.T) {
	two := &Graph{Boxes: []Box{{W: 100, H: 60, Parent: -1}, {W: 100, H: 60, Parent: -1}, {W: 100, H: 60, Parent: -1}, {Parent: -1, Title: 28, TitleW: 60}, {W: 100, H: 60, Parent: 3}},
		Edges: []Edge{{From: 0, To: 1}, {From: 2, To: 4, LabelW: 40, LabelH: 16}}}
	good := func() Result {
		return Result{
			Boxes: []Area{{0, 0, 100, 60}, {200, 0, 100, 60}, {0, 200, 100, 60}, {180, 160, 140, 120}, {200, 200, 100, 60}},
			Routes: []Route{
				{Points: []Point{{100, 30}, {200, 30}}},
				{Points: []Point{{100, 230}, {200, 230}}, Label: Point{140, 230}},
			},
		}
	}
	slant := good() // past the corner of a shape
	slant.Routes[0].Points = []Point{{100, 60}, {190, 195}}
	if s := Judge(two, &slant, LR); s.Counts[Through]+s.Counts[OwnEnd]+s.Counts[Crossings] > 0 {
		t.Errorf("a slanted line scores %s", s)
	}
	clean := good()
	if s := Judge(two, &clean, LR); s.Counts[Overlaps]+s.Counts[Strays]+s.Counts[Through]+s.Counts[OwnEnd]+s.Counts[Crossings]+s.Counts[Labels]+s.Counts[Foreign] > 0 {
		t.Fatalf("a clean drawing scores %s", s)
	}
	for _, c := range []struct {
		part Part
		harm func(r *Result)
	}{
		{Overlaps, func(r *Result) { r.Boxes[1].X = 50 }},
		{Overlaps, func(r *Result) { r.Boxes[0] = Area{150, 170, 100, 60} }},
		{Strays, func(r *Result) { r.Boxes[4].X = 400 }},
		{Through, func(r *Result) { r.Boxes[2].X, r.Boxes[2].Y = 110, 0; r.Boxes[2].W = 60 }},
		{OwnEnd, func(r *Result) { r.Routes[0].Points[0].X = 0 }},
		{Crossings, func(r *Result) {
			r.Routes[0].Points = []Point{{50, 60}, {50, 100}, {150, 100}, {150, 300}, {350, 300}, {350, 30}, {300, 30}}
		}},
		{Close, func(r *Result) {
			r.Routes[0].Points = []Point{{50, 60}, {50, 100}, {120, 100}, {120, 225}, {160, 225}, {160, 30}, {200, 30}}
		}},
		{Foreign, func(r *Result) {
			r.Routes[0].Points = []Point{{100, 30}, {190, 30}, {190, 180}, {250, 180}, {250, 60}}
		}},
		{Hugs, func(r *Result) { r.Boxes[2] = Area{110, 34, 80, 60} }},
		{Labels, func(r *Result) { r.Routes[1].Label.X = 210 }},
		{Bends, func(r *Result) { r.Routes[0].Points = []Point{{100, 30}, {150, 30}, {150, 40}, {200, 40}} }},
		{Through, func(r *Result) { r.Routes[0].Points = []Point{{50, 60}, {90, 300}} }},
		{Crossings, func(r *Result) { r.Routes[0].Points = []Point{{100, 60}, {190, 300}} }},
		{ShortEnds, func(r *Result) { r.Boxes[1].X = 110; r.Routes[0].Points[1].X = 110 }},
	} {
		r := good()
		c.harm(&r)
		if s := Judge(two, &r, LR); s.Counts[c.part] == 0 {
			t.Errorf("%s: not seen; %s", c.part, s)
		}
	}
}

func TestLogAndRootAreClose(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 0}, {2, 1, 693}, {3, 2, 405}, {10, 1, 2302}, {1000, 3, 5809}} {
		if got := logMilli(c[0], c[1]); got < c[2]-3 || got > c[2]+3 {
			t.Errorf("ln %d/%d is %d thousandths, not %d", c[0], c[1], got, c[2])
		}
	}
	for n := range 2000 {
		if r := wholeRoot(n); r*r > n || (r+1)*(r+1) <= n {
			t.Fatalf("the root of %d is not %d", n, r)
		}
	}
}
