package diagram

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// pinKey is draw.io's own: its layouts leave such shapes where they are, too.
const pinKey = "movable"

func pinned(x *cell) bool { return x.Style.Is(pinKey, "0") }

func pinVerb() verb {
	return verb{Run: runPin, Verb: abi.Verb{
		Name: "pin", Syntax: "pin REF|SEL [off]", Summary: "leave shapes where they are in every layout, with the group they lie in; off lets them go", Category: "place",
		Brief:  "pin REF|SEL [off] · layouts leave it",
		Select: true, Min: 0, Max: 2,
		Examples: []string{"pin AuthService", "pin @type:db", "pin AuthService off"},
	}}
}

func runPin(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	off := false
	if rest := a.Texts(used); len(rest) > 0 {
		word, ok := pdk.OneOf(rest[0], []string{"off", "on"})
		if !ok || len(rest) > 1 {
			return pdk.Errorf("pin takes a reference or a selector, and off after it").Try(a.Mended(pdk.WithWords(used, len(rest))))
		}
		off = word == "off"
	}
	d := c.Model.Draft()
	var done []*cell
	for _, x := range cells {
		if !x.Vertex {
			continue
		}
		done = append(done, x)
		s := x.Style.Set(pinKey, "0")
		if off {
			s = x.Style.Drop(pinKey)
		}
		if pinned(x) == off {
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
		}
	}
	if len(done) == 0 {
		return pdk.Errorf("edges cannot be pinned")
	}
	how := "pinned"
	if off {
		how = "not pinned"
	}
	if err := commit(c, d, "pin "+named(done), already(done, how, ""), done...); err != nil {
		return err
	}
	say(c, done, "%s %s at %s", named(done), how, box(boundsOf(done)))
	return nil
}

// pins brings what was arranged to where pinned shapes are: the first of them
// says where all lies, what holds one stays as it is, and what would lie on that
// gives way. It gives by how much each node's lines move with it, and the node
// around each that stays, -1 for none.
func (l *arranger) pins(abs []geom.Rect) (by []geom.Point, stays []int) {
	n := len(l.cells)
	by, stays = make([]geom.Point, n), make([]int, n)
	root, held := make([]int, n), make([]bool, n)
	var roots []int
	for i, x := range l.cells {
		if root[i] = i; l.g.Nodes[i].Parent >= 0 {
			root[i] = root[l.g.Nodes[i].Parent]
		} else {
			roots = append(roots, i)
		}
		held[root[i]] = held[root[i]] || pinned(x)
		stays[i] = -1
	}
	var all geom.Point
	var taken []geom.Rect
	for _, r := range roots {
		if held[r] {
			was := l.cells[r].Abs()
			if len(taken) == 0 {
				all = geom.Point{X: was.X - abs[r].X, Y: was.Y - abs[r].Y}
			}
			taken = append(taken, was)
		}
	}
	if len(taken) == 0 {
		return by, stays
	}
	move := make([]geom.Point, n) // of roots
	for _, r := range roots {
		if held[r] {
			continue
		}
		at := abs[r]
		at.X, at.Y = at.X+all.X, at.Y+all.Y
		to := nearestFree(at, taken)
		taken = append(taken, to)
		move[r] = geom.Point{X: to.X - abs[r].X, Y: to.Y - abs[r].Y}
	}
	for i, x := range l.cells {
		r := root[i]
		if held[r] {
			was := x.Abs()
			by[i] = geom.Point{X: was.X - abs[i].X, Y: was.Y - abs[i].Y}
			abs[i], stays[i] = was, r
			continue
		}
		by[i] = move[r]
		abs[i].X, abs[i].Y = abs[i].X+by[i].X, abs[i].Y+by[i].Y
	}
	return by, stays
}

// nearestFree is the place nearest to r where it lies on none of some others.
func nearestFree(r geom.Rect, taken []geom.Rect) geom.Rect {
	const gap = 40
	free := func(at geom.Rect) bool {
		for _, o := range taken {
			if at.Grow(gap / 2).Overlaps(o) {
				return false
			}
		}
		return true
	}
	if free(r) {
		return r
	}
	xs, ys := []float64{r.X}, []float64{r.Y}
	for _, o := range taken {
		xs = append(xs, o.X-gap-r.W, o.Right()+gap)
		ys = append(ys, o.Y-gap-r.H, o.Bottom()+gap)
	}
	best, least := r, math.Inf(1)
	for _, x := range xs {
		for _, y := range ys {
			at := geom.Rect{X: x, Y: y, W: r.W, H: r.H}
			if d := math.Abs(x-r.X) + math.Abs(y-r.Y); d < least && free(at) {
				best, least = at, d
			}
		}
	}
	return best
}
