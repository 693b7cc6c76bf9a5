package flow

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/pdk/value"
)

// box returns the place and size of a node, in units of the canvas. The place of a node
// in an iteration is relative to the iteration's corner.
func (n *Node) box() geom.Rect {
	if n.rect == nil {
		b := n.measure()
		n.rect = &b
	}
	return *n.rect
}

// measure computes box.
func (n *Node) measure() geom.Rect {
	w, h := n.v.Get("width").Float(), n.v.Get("height").Float()
	if w <= 0 || h <= 0 {
		anchors, params := 1, 0
		if a := n.anchors(); a != nil {
			anchors += len(a.Items)
		}
		if p := n.params(); p != nil {
			params = len(p.Items)
		}
		w, h = size(n.Kind, n.Label, params, anchors)
	}
	place := func(key string) float64 { return min(max(n.v.Get("position", key).Float(), -farthest), farthest) }
	return geom.Rect{X: place("x"), Y: place("y"), W: min(w, largest), H: min(h, largest)}
}

// farthest and largest limit the coordinates and sizes of nodes. No real canvas exceeds
// them; larger values in a file are clamped.
const farthest, largest = 1e6, 1e4

// absolute returns the place of a node relative to the canvas.
func (f *Flow) absolute(n *Node) geom.Rect {
	b := n.box()
	for p, steps := f.byID[n.Parent], 0; p != nil && steps < 20; p, steps = f.byID[p.Parent], steps+1 {
		o := p.box()
		b.X, b.Y = b.X+o.X, b.Y+o.Y
	}
	return b
}

func num(x float64) string { return value.FormatRounded(x, 2) }

func position(p geom.Point) string {
	return (&draft{}).raw("x", num(p.X)).raw("y", num(p.Y)).String()
}

// moveTo returns the splices that move a node.
func (n *Node) moveTo(x, y float64) (out splice.All) {
	at := n.box()
	for _, key := range []string{"position", "positionAbsolute"} {
		p := n.v.Get(key)
		switch {
		case p == nil && key == "position":
			out = append(out, n.v.Put(key, position(geom.Point{X: x, Y: y}))...)
		case p == nil || n.Parent != "" && key != "position": // Flowise recomputes the others for a node in an iteration
		default:
			px, py := p.Get("x"), p.Get("y")
			if px == nil || py == nil {
				out = append(out, p.Set(position(geom.Point{X: x, Y: y}))...)
				continue
			}
			if num(at.X) != num(x) {
				out = append(out, px.Set(num(x))...)
			}
			if num(at.Y) != num(y) {
				out = append(out, py.Set(num(y))...)
			}
		}
	}
	return out
}

// gap is the space between nodes that are placed beside each other.
const gap = 80

// Keys for the place of a new node.
var (
	side       = value.Key[value.Step]{Name: "dir", Type: value.Direction, Default: value.Step{DX: 1}}
	at         = value.Key[geom.Point]{Name: "at", Type: value.Point(farthest)}
	placeNames = []string{"near", "dir", "above", "below", "left", "right", "at"}
	placeKeys  = []pdk.Parameter{near("near"), side, near("above"), near("below"), near("left"), near("right"), at}
)

// near is a key that names the node beside which another one stands.
func near(key string) value.Key[string] {
	return value.Key[string]{Name: key, Type: value.Text("NODE")}
}

// beside returns the node beside which a new one stands, and on which side: near:NODE dir:SIDE, or below:NODE.
func (f *Flow) beside(a pdk.Args) (n *Node, to value.Step, err error) {
	to = side.Of(a)
	for _, key := range []string{"near", "above", "below", "left", "right"} {
		ref, given := a.Param(key)
		if !given {
			continue
		}
		if n != nil {
			return nil, to, pdk.Errorf("%s: places it beside another node already", key).Try(a.Mended(pdk.Without(key)))
		}
		if n, err = f.node(ref); err != nil {
			return nil, to, err
		}
		if key != "near" {
			to, _ = value.Direction.Parse(key)
		}
	}
	return n, to, nil
}

// spot returns the place of a new node of w by h: at:X,Y, beside another node, or to the right of all others. In an iteration, parent, it
// is relative to the iteration's corner.
func (f *Flow) spot(a pdk.Args, parent string, w, h float64) (geom.Point, error) {
	if p, given := at.Lookup(a); given {
		return p, nil
	}
	var taken []geom.Rect
	var last *Node
	for _, n := range f.nodes {
		if n.Parent == parent {
			taken = append(taken, n.box())
			if !n.note() {
				last = n
			}
		}
	}
	given, to, err := f.beside(a)
	switch {
	case err != nil:
		return geom.Point{}, err
	case given != nil:
		last = given
	case last == nil && parent != "":
		return geom.Point{X: within.Left, Y: within.Top}, nil
	case last == nil:
		return geom.Point{}, nil
	}
	b := f.absolute(last)
	if parent != "" {
		if last.Parent != parent {
			return geom.Point{}, pdk.Errorf("%s is not in %s", last, pdk.Quote(parent))
		}
		b = last.box()
	}
	along := func(step int, low, high, size float64) float64 {
		switch step {
		case -1:
			return low - gap - size
		case 1:
			return high + gap
		}
		return low
	}
	spot := geom.Rect{X: along(to.DX, b.X, b.Right(), w), Y: along(to.DY, b.Y, b.Bottom(), h), W: w, H: h}
	step := geom.Point{Y: h + gap/2}
	if to.DY != 0 {
		step = geom.Point{X: w + gap/2}
	}
	for steps := 0; steps < 1000 && slices.ContainsFunc(taken, spot.Overlaps); steps++ {
		spot.X, spot.Y = spot.X+step.X, spot.Y+step.Y
	}
	return geom.Point{X: spot.X, Y: spot.Y}, nil
}

// sortedByKey iterates over a map in the order of its keys.
func sortedByKey(m map[string]string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// String returns the name of a node for replies.
func (n *Node) String() string {
	s := pdk.Quote(n.ID) + "(" + n.Name + ")"
	if n.Label != "" {
		s += " " + strconv.Quote(pdk.Line(n.Label, 60))
	}
	return s
}
