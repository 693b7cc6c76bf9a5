package svg

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
)

// arrowhead holds the drawing at an end of a line, and by how much the line is shortened for it.
type arrowhead struct {
	pieces []piece
	inset  float64
}

// newHead makes the head at an end of a line ("start" or "end") that runs from `from` to tip. A hollow head shows the colour
// of the paper.
func newHead(end string, l cellStyle, from, tip geom.Point, paper string) arrowhead {
	kind := l[end+"Arrow"]
	if kind == "" || kind == "none" {
		return arrowhead{}
	}
	sw := max(0.5, l.num("strokeWidth", 1))
	size := min(100, l.num(end+"Size", 6))
	ux, uy := unit(from, tip)
	h := headPen{tip: tip, ux: ux, uy: uy, hollow: l[end+"Fill"] == "0", paper: paper}
	n := size + sw
	if strings.HasPrefix(kind, "ER") {
		if head, ok := h.crowsFoot(kind, n+1); ok {
			return head
		}
	}
	wide := n / 2
	if strings.HasSuffix(kind, "Thin") {
		wide = n / 3
	}
	switch kind {
	case "block", "blockThin", "async":
		return h.filled(h.polygon(0.6*sw, 0, n, wide, n, -wide), n)
	case "doubleBlock":
		first, second := h.filled(h.polygon(0, 0, n, wide, n, -wide), 2*n), h.filled(h.polygon(n, 0, 2*n, wide, 2*n, -wide), 0)
		return arrowhead{append(first.pieces, second.pieces...), 2 * n}
	case "open", "openThin":
		return arrowhead{open(h.lines(n, wide, 0.6*sw, 0, n, -wide)), sw}
	case "openAsync":
		return arrowhead{open(h.lines(n, wide, 0, 0)), 0}
	case "oval":
		return h.filled(h.ring(size/2, size/2), size/2)
	case "circle":
		return h.filled(h.ring(n/2, n/2), n)
	case "circlePlus":
		head := h.filled(h.ring(n, n), 2*n)
		head.pieces = append(head.pieces, open(h.lines(0, 0, 2*n, 0), h.lines(n, -n, n, n))...)
		return head
	case "diamond", "diamondThin":
		if kind == "diamondThin" {
			wide = n / 3.4
		}
		return h.filled(h.polygon(0, 0, n/2, wide, n, 0, n/2, -wide), n)
	case "box":
		return h.filled(h.polygon(0, wide, n, wide, n, -wide, 0, -wide), n)
	case "dash":
		return arrowhead{open(h.lines(n, -wide, 0, wide)), 0}
	case "baseDash":
		return arrowhead{open(h.lines(0, -wide, 0, wide)), 0}
	case "cross":
		return arrowhead{open(h.lines(n, -wide, 0, wide), h.lines(0, -wide, n, wide)), 0}
	case "halfCircle":
		return arrowhead{open(h.lines(0, -wide, n*0.7, -wide*0.7, n, 0, n*0.7, wide*0.7, 0, wide)), n}
	}
	return h.filled(h.polygon(0.6*sw, 0, n, wide, n*0.75, 0, n, -wide), n*0.75) // classic, and heads that draw.io does not know
}

// crowsFoot makes the heads of entity relations, e large. It reports whether it knows the kind.
func (h headPen) crowsFoot(kind string, e float64) (arrowhead, bool) {
	bar := func(a float64) string { return h.lines(a, -e/2, a, e/2) }
	foot := h.lines(0, -e/2, e, 0, 0, e/2)
	zero := piece{d: h.ring(e*1.5, e/2), fill: h.paper}
	switch kind {
	case "ERone":
		return arrowhead{open(bar(e / 2)), 0}, true
	case "ERmandOne":
		return arrowhead{open(bar(e/2), bar(e)), 0}, true
	case "ERmany":
		return arrowhead{open(foot), 0}, true
	case "ERoneToMany":
		return arrowhead{open(foot, bar(e)), 0}, true
	case "ERzeroToOne":
		return arrowhead{append([]piece{zero}, open(bar(e/2))...), 0}, true
	case "ERzeroToMany":
		return arrowhead{append([]piece{zero}, open(foot)...), 0}, true
	}
	return arrowhead{}, false
}

// headPen draws a head in its own coordinates: a is the distance behind the tip, b the distance to the side.
type headPen struct {
	tip    geom.Point
	ux, uy float64 // direction of the line
	hollow bool
	paper  string
}

func (h headPen) at(a, b float64) (x, y float64) {
	return h.tip.X - h.ux*a - h.uy*b, h.tip.Y - h.uy*a + h.ux*b
}

// polygon returns the closed path through points given as a, b, a, b, …
func (h headPen) polygon(ab ...float64) string {
	var xy []float64
	for i := 0; i+1 < len(ab); i += 2 {
		x, y := h.at(ab[i], ab[i+1])
		xy = append(xy, x, y)
	}
	return polygon(xy...)
}

// lines is polygon without its last side.
func (h headPen) lines(ab ...float64) string { return strings.TrimSuffix(h.polygon(ab...), "Z") }

// ring returns a circle of radius r around a point on the line.
func (h headPen) ring(a, r float64) string {
	x, y := h.at(a, 0)
	return ellipse(x-r, y-r, 2*r, 2*r)
}

// filled returns a head that consists of one filled piece.
func (h headPen) filled(d string, inset float64) arrowhead {
	p := piece{d: d}
	if h.hollow {
		p.fill = h.paper
	}
	return arrowhead{[]piece{p}, inset}
}

// open makes pieces of lines.
func open(ds ...string) []piece {
	return pdk.Map(ds, func(d string) piece { return piece{d: d, open: true} })
}
