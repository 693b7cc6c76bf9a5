package arrange

import "slices"

// problem is a graph, turned so that lines lead from left to right.
type problem struct {
	dir     Dir
	spacing int
	shapes  []shape
	lines   []line
	all     []int   // all lines
	frames  []int   // the visible frames
	root    int     // the shape that stands for the page, which holds everything outside frames
	main    []bool  // by line: whether it is on the main path of a flow without groups
	cycle   []int   // by unit: the first unit of its cycle, or itself
	mates   [][]int // by line: the other lines of its class that start or end where it does, without labels
	sinks   []bool  // by unit: see isSink
	borders []Area
}

// shape is a box or a frame. The last one is the page.
type shape struct {
	w, h   int
	parent int
	kids   []int
	kind   Kind
	share  int // percentage of a side on which lines may end, 0 for that of kind
	pad    pad
	minW   int // least size of a frame
	minH   int
	title  int // of a frame: height and width of the title before turning
	titleW int
	unit   int // the outermost box that holds it, or itself
	depth  int
	hidden bool // a frame that is not drawn
}

// pad is the distance between each side of a frame and its contents.
type pad struct{ top, right, bottom, left int }

// line is an edge of the graph.
type line struct {
	a, b       int
	lw, lh     int
	class      int
	undirected bool
	labelFixed bool
	skip       bool // not laid out with the others: a loop, or a line between a frame and a box inside it
	loop       bool // leads from a shape to itself
}

const (
	padding   = 20
	titleRoom = 12 // distance below a title
)

func newProblem(g *Graph, dir Dir) *problem {
	n := len(g.Boxes)
	p := &problem{dir: dir, spacing: 60, shapes: make([]shape, n+1), lines: make([]line, len(g.Edges)), root: n, borders: g.Borders}
	p.shapes[n].parent = -1
	for i, b := range g.Boxes {
		s := &p.shapes[i]
		*s = shape{w: b.W, h: b.H, parent: b.Parent, kind: b.Kind, share: b.Face, title: b.Title, titleW: b.TitleW, hidden: b.Hidden, kids: s.kids}
		if b.Parent < 0 || b.Parent >= n {
			s.parent = n
		}
		p.shapes[s.parent].kids = append(p.shapes[s.parent].kids, i)
	}
	for i := range n {
		s := &p.shapes[i]
		if p.vertical() {
			s.w, s.h = s.h, s.w
		}
		s.pad = p.turnPad(pad{padding, padding, padding, padding})
		switch b := &g.Boxes[i]; {
		case b.Hidden:
			s.pad = pad{}
		case b.Pad != Pad{}:
			s.pad = p.turnPad(pad{b.Pad.Top, b.Pad.Right, b.Pad.Bottom, b.Pad.Left})
		case s.title > 0:
			s.pad = p.turnPad(pad{s.title + titleRoom, padding, padding, padding})
		}
		s.minW = s.titleW + 2*padding
		if s.hidden {
			s.minW = 0
		}
		if p.vertical() {
			s.minW, s.minH = 0, s.minW
		}
		s.unit = i
		for v := i; v != n; v = p.shapes[v].parent {
			s.unit = v
			s.depth++
		}
	}
	for i, e := range g.Edges {
		l := line{a: e.From, b: e.To, lw: e.LabelW, lh: e.LabelH, class: e.Class, undirected: e.Undirected, labelFixed: e.LabelFixed}
		if p.vertical() {
			l.lw, l.lh = l.lh, l.lw
		}
		if min(l.a, l.b) < 0 || max(l.a, l.b) >= n {
			l.a, l.b = 0, 0 // invalid: skipped, without being a loop
		} else {
			l.loop = l.a == l.b && !p.frame(l.a)
		}
		l.skip = p.within(l.a, l.b) || p.within(l.b, l.a)
		p.lines[i] = l
		p.all = append(p.all, i)
	}
	for v := range n {
		if p.visibleFrame(v) {
			p.frames = append(p.frames, v)
		}
	}
	p.analyseFlow()
	p.mates = make([][]int, len(p.lines))
	for i := range p.lines {
		for k := range p.lines {
			if a, b := &p.lines[i], &p.lines[k]; i != k && !a.skip && !b.skip && a.lw+b.lw == 0 && a.class == b.class && (a.a == b.a || a.b == b.b) {
				p.mates[i] = append(p.mates[i], k)
			}
		}
	}
	return p
}

// vertical reports whether lines lead up or down on the page.
func (p *problem) vertical() bool { return p.dir == TB || p.dir == BT }

// mirrored reports whether lines lead left or up on the page.
func (p *problem) mirrored() bool { return p.dir == RL || p.dir == BT }

// turnPad converts a pad from the page to the problem.
func (p *problem) turnPad(r pad) pad {
	if p.vertical() {
		r = pad{top: r.left, right: r.bottom, bottom: r.right, left: r.top}
	}
	if p.mirrored() {
		r.left, r.right = r.right, r.left
	}
	return r
}

// within reports whether v is f or lies inside it.
func (p *problem) within(v, f int) bool {
	for ; v >= 0; v = p.shapes[v].parent {
		if v == f {
			return true
		}
	}
	return false
}

// frame reports whether v holds other shapes.
func (p *problem) frame(v int) bool { return len(p.shapes[v].kids) > 0 }

// visibleFrame reports whether v is a frame that is drawn.
func (p *problem) visibleFrame(v int) bool { return p.frame(v) && !p.shapes[v].hidden }

// child is the direct member of container c that is v or holds it, -1 for none.
func (p *problem) child(v, c int) int {
	for v >= 0 && p.shapes[v].parent != c {
		v = p.shapes[v].parent
	}
	return v
}

// face is the percentage of a side, around its middle, on which lines may end.
func (s *shape) face() int {
	if s.share > 0 {
		return s.share
	}
	switch s.kind {
	case Diamond, Ellipse:
		return 0
	case Hexagon, Cylinder:
		return 60
	}
	return 100
}

// drawing is a result in the coordinates of the problem.
type drawing struct {
	at      []rect // by shape
	borders []rect
	routes  [][]Point
	labels  []Point
	score   Score
}

func (d *drawing) clone() *drawing {
	return &drawing{at: slices.Clone(d.at), borders: d.borders, routes: slices.Clone(d.routes), labels: slices.Clone(d.labels), score: d.score}
}

// restore converts a drawing to a result with its top left corner at 0,0.
func (p *problem) restore(d *drawing) Result {
	r := p.turnBack(d)
	least := Point{1 << 40, 1 << 40}
	note := func(q Point) { least = Point{min(least.X, q.X), min(least.Y, q.Y)} }
	for _, b := range r.Boxes {
		note(Point{b.X, b.Y})
	}
	for _, t := range r.Routes {
		for _, q := range t.Points {
			note(q)
		}
	}
	for i := range r.Boxes {
		r.Boxes[i].X -= least.X
		r.Boxes[i].Y -= least.Y
	}
	for i := range r.Routes {
		for k := range r.Routes[i].Points {
			r.Routes[i].Points[k].X -= least.X
			r.Routes[i].Points[k].Y -= least.Y
		}
		r.Routes[i].Label.X -= least.X
		r.Routes[i].Label.Y -= least.Y
	}
	return r
}

// turnBack converts a drawing to the coordinates of the page without moving it.
func (p *problem) turnBack(d *drawing) Result {
	turn := func(q Point) Point {
		if p.mirrored() {
			q.X = -q.X
		}
		if p.vertical() {
			q.X, q.Y = q.Y, q.X
		}
		return q
	}
	r := Result{Boxes: make([]Area, p.root), Routes: make([]Route, len(p.lines)), Score: d.score}
	for i := range r.Boxes {
		a, b := turn(Point{d.at[i].x0, d.at[i].y0}), turn(Point{d.at[i].x1, d.at[i].y1})
		r.Boxes[i] = Area{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X) - min(a.X, b.X), max(a.Y, b.Y) - min(a.Y, b.Y)}
	}
	for i, pts := range d.routes {
		for _, q := range pts {
			r.Routes[i].Points = append(r.Routes[i].Points, turn(q))
		}
		r.Routes[i].Label = turn(d.labels[i])
	}
	return r
}

// drawing converts a result to the coordinates of the problem.
func (p *problem) drawing(r *Result) *drawing {
	turn := func(q Point) Point {
		if p.vertical() {
			q.X, q.Y = q.Y, q.X
		}
		if p.mirrored() {
			q.X = -q.X
		}
		return q
	}
	d := &drawing{at: make([]rect, p.root), routes: make([][]Point, len(p.lines)), labels: make([]Point, len(p.lines))}
	area := func(b Area) rect {
		u, v := turn(Point{b.X, b.Y}), turn(Point{b.X + b.W, b.Y + b.H})
		return rect{min(u.X, v.X), min(u.Y, v.Y), max(u.X, v.X), max(u.Y, v.Y)}
	}
	for i, b := range r.Boxes {
		d.at[i] = area(b)
	}
	for _, b := range p.borders {
		d.borders = append(d.borders, area(b))
	}
	for i, t := range r.Routes {
		for _, q := range t.Points {
			d.routes[i] = append(d.routes[i], turn(q))
		}
		d.labels[i] = turn(t.Label)
	}
	return d
}
