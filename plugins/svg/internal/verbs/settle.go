package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// settle deals with what else decides on the attributes that an op has changed: the parameters from which Inkscape
// draws a path, and animations.
func (o *op) settle() {
	animated := o.scene().MayAnimate()
	var lines []string
	for _, r := range o.Retagged() {
		if isLive(r.Node) {
			lines = append(lines, o.giveUpLive(r)...)
		}
		if animated {
			lines = append(lines, o.animatedChanges(r)...)
		}
	}
	for i, l := range lines {
		if i == maxListed-1 && len(lines) > maxListed {
			o.Warn("%d more such lines: describe REF says what is animated", len(lines)-i)
			break
		}
		o.Warn("%s", l)
	}
}

// liveKeys lists the attributes from which Inkscape draws live shapes and live effects, whatever the path data are.
var liveKeys = strings.Fields(`sodipodi:type sodipodi:sides sodipodi:cx sodipodi:cy sodipodi:r1 sodipodi:r2 sodipodi:arg1 sodipodi:arg2
	sodipodi:rx sodipodi:ry sodipodi:start sodipodi:end sodipodi:open sodipodi:arc-type
	sodipodi:expansion sodipodi:revolution sodipodi:radius sodipodi:argument sodipodi:t0
	inkscape:flatsided inkscape:rounded inkscape:randomized inkscape:radius inkscape:original inkscape:href
	inkscape:original-d inkscape:path-effect`)

// rectKeys lists those of a path that is a live rectangle.
var rectKeys = []string{"x", "y", "width", "height", "rx", "ry"}

// isLive reports whether Inkscape draws a path from other attributes than its data.
func isLive(n *node) bool {
	_, effect := n.Attr("inkscape:original-d")
	kind := n.Get("sodipodi:type")
	return effect || kind != "" && kind != "inkscape:box3d"
}

// mapLive maps the parameters of a live shape by a matrix that scales and moves. It reports false, and changes
// nothing, if no parameters give the mapped shape.
func (o *op) mapLive(n *node, m vector.Matrix) bool {
	if _, effect := n.Attr("inkscape:original-d"); effect || m.B != 0 || m.C != 0 || m.A <= 0 || m.D <= 0 {
		return false
	}
	points, round := []string{"sodipodi:cx", "sodipodi:cy"}, true
	var lengths []string
	switch n.Get("sodipodi:type") {
	case "star":
		lengths = []string{"sodipodi:r1", "sodipodi:r2"}
	case "spiral":
		lengths = []string{"sodipodi:radius"}
	case "arc":
		lengths, round = []string{"sodipodi:rx", "sodipodi:ry"}, false
	case "rect":
		points, lengths, round = rectKeys[:2], rectKeys[2:], false
	default:
		return false
	}
	_, hasX := n.Attr(points[0])
	_, hasY := n.Attr(points[1])
	return hasX && hasY && (!round || math.Abs(m.A-m.D) < 1e-6*m.A) && o.mapAttributes(n, m, points, lengths)
}

// giveUpLive removes the parameters of a live shape whose path data alone have changed: Inkscape would draw the old
// shape. It returns the line for the reply.
func (o *op) giveUpLive(r tree.Retagged) []string {
	changed := r.Changed()
	keys := liveKeys
	if r.Get("sodipodi:type") == "rect" {
		keys = append(slices.Clone(liveKeys), rectKeys...)
	}
	if !slices.Contains(changed, "d") || slices.ContainsFunc(changed, func(k string) bool { return slices.Contains(keys, k) }) || sameShape(r.Before().Get("d"), r.Get("d")) {
		return nil
	}
	what := r.Get("sodipodi:type")
	if _, effect := r.Attr("inkscape:original-d"); effect {
		what = "live effect"
	}
	for _, k := range keys {
		o.DropAttr(r.Node, k)
	}
	return []string{o.f.Ref(r.Node) + " is a plain path now, no longer a " + what + " of Inkscape, which would draw the old shape"}
}

// sameShape reports whether two texts of path data have the same segments, but for rounding.
func sameShape(a, b string) bool {
	p, err := vector.Parse(a)
	q, err2 := vector.Parse(b)
	if err != nil || err2 != nil {
		return false
	}
	p, q = p.Cubics(), q.Cubics()
	if len(p) != len(q) {
		return false
	}
	box, _ := p.Box(vector.Identity())
	slack := max(box.Width(), box.Height()) / 500
	near := func(a, b vector.Point) bool { return math.Abs(a.X-b.X) <= slack && math.Abs(a.Y-b.Y) <= slack }
	for i := range p {
		if p[i].Kind != q[i].Kind || !near(p[i].To, q[i].To) || !near(p[i].C1, q[i].C1) || !near(p[i].C2, q[i].C2) {
			return false
		}
	}
	return true
}

// animatedChanges returns a line for each animation that hides what the op changed of an element.
func (o *op) animatedChanges(r tree.Retagged) (lines []string) {
	list := o.scene().Animations(r.Node)
	if len(list) == 0 {
		return nil
	}
	changed := r.Changed()
	if slices.Contains(changed, "style") {
		old, now := css.Expand(css.Declarations(r.Before().Get("style"))), css.Expand(css.Declarations(r.Get("style")))
		for _, d := range now {
			if !slices.ContainsFunc(old, func(e css.Declaration) bool { return e.Name == d.Name && e.Value == d.Value }) {
				changed = append(changed, d.Name)
			}
		}
	}
	for _, a := range list {
		if !a.Adds && slices.Contains(changed, a.Name) {
			lines = append(lines, a.Name+" of "+o.f.Ref(r.Node)+" is animated ("+model.Line(a.Values, 60)+"): the animation wins")
		}
	}
	return lines
}

// warnIdle warns of animations that do nothing once the shape is a path.
func (o *op) warnIdle(n *node) {
	for _, a := range o.scene().Animations(n) {
		if _, geometric := geometry[a.Name]; geometric || a.Name == "points" {
			o.Warn("the animation of %s of %s (%s) does nothing to a path", a.Name, o.f.Ref(n), model.Line(a.Values, 60))
		}
	}
}
