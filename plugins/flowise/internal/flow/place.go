package flow

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/splice"
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

func num(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

func position(at [2]float64) string {
	return (&draft{}).raw("x", num(at[0])).raw("y", num(at[1])).String()
}

// moveTo returns the splices that move a node.
func (n *Node) moveTo(x, y float64) (out splice.All) {
	at := n.box()
	for _, key := range []string{"position", "positionAbsolute"} {
		p := n.v.Get(key)
		switch {
		case p == nil && key == "position":
			out = append(out, n.v.Put(key, position([2]float64{x, y}))...)
		case p == nil || n.Parent != "" && key != "position": // Flowise recomputes the others for a node in an iteration
		default:
			px, py := p.Get("x"), p.Get("y")
			if px == nil || py == nil {
				out = append(out, p.Set(position([2]float64{x, y}))...)
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

func dirs() []string { return []string{"right", "left", "below", "above"} }

// spot returns the place of a new node of w by h: at:X,Y, near:NODE dir:SIDE, or to the
// right of all others. In an iteration, parent, it is relative to the iteration's
// corner.
func (f *Flow) spot(a pdk.Args, parent string, w, h float64) (at [2]float64, err error) {
	if v, ok := a.Param("at"); ok {
		xs, ys, two := strings.Cut(v, ",")
		x, errX := strconv.ParseFloat(xs, 64)
		y, errY := strconv.ParseFloat(ys, 64)
		if !two || errX != nil || errY != nil || math.Abs(x) > farthest || math.Abs(y) > farthest || math.IsNaN(x+y) {
			return at, pdk.Errorf("at:%s is not a point X,Y", v)
		}
		return [2]float64{x, y}, nil
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
	dir := a.String("dir", "right")
	given, ok := pdk.OneOf(dir, dirs())
	if !ok {
		return at, pdk.Errorf("dir:%s is not one of %s", dir, strings.Join(dirs(), " ")).Instead(dir, pdk.Nearest(dir, dirs())...)
	}
	if v, ok := a.Param("near"); ok {
		if last, err = f.node(v); err != nil {
			return at, err
		}
	} else if last == nil {
		if parent != "" {
			return [2]float64{within.Left, within.Top}, nil
		}
		return at, nil
	}
	b := f.absolute(last)
	if parent != "" {
		if last.Parent != parent {
			return at, pdk.Errorf("near:%s is not in %s", a.String("near", ""), pdk.Quote(parent))
		}
		b = last.box()
	}
	spot := geom.Rect{X: b.Right() + gap, Y: b.Y, W: w, H: h}
	step := [2]float64{0, h + gap/2}
	switch given {
	case "left":
		spot.X = b.X - gap - w
	case "below":
		spot.X, spot.Y, step = b.X, b.Bottom()+gap, [2]float64{w + gap/2, 0}
	case "above":
		spot.X, spot.Y, step = b.X, b.Y-gap-h, [2]float64{w + gap/2, 0}
	}
	for steps := 0; steps < 1000 && slices.ContainsFunc(taken, spot.Overlaps); steps++ {
		spot.X, spot.Y = spot.X+step[0], spot.Y+step[1]
	}
	return [2]float64{spot.X, spot.Y}, nil
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
		s += " " + strconv.Quote(line(n.Label, 60))
	}
	return s
}
