package flow

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// drawing draws the flow as SVG: a box for each node and a curve for each edge.
func (f *Flow) drawing() string {
	var all geom.Rect
	for _, n := range f.nodes {
		all = all.Union(f.absolute(n))
	}
	if len(f.nodes) == 0 {
		all = geom.Rect{W: 300, H: 100}
	}
	all = all.Grow(40)
	var b strings.Builder
	for _, n := range f.nodes {
		f.box(&b, n)
	}
	for _, e := range f.edges {
		from, to := f.byID[e.Source], f.byID[e.Target]
		if from == nil || to == nil {
			continue
		}
		s, t := f.absolute(from), f.absolute(to)
		x1, y1, x2, y2 := s.Right(), s.Center().Y, t.X, f.edgeEndY(to, e)
		bend := math.Max(40, math.Abs(x2-x1)/2)
		fmt.Fprintf(&b, `<path d="M%s %sC%s %s %s %s %s %s" fill="none" stroke="#7a8699" stroke-width="2"/>`, num(x1), num(y1), num(x1+bend), num(y1), num(x2-bend), num(y2), num(x2), num(y2))
		fmt.Fprintf(&b, `<path d="M%s %sl-10 -5v10z" fill="#7a8699"/>`, num(x2), num(y2))
		if e.Label != "" {
			draw.Font{Size: 12, Anchor: "middle", Fill: "#4a5568"}.Text(&b, (x1+x2)/2, (y1+y2)/2-6, pdk.Line(e.Label, 30))
		}
	}
	return draw.Page(all, "#ffffff", b.String())
}

// areas lists where the nodes are on the drawing.
func (f *Flow) areas() (list []abi.Area) {
	for _, n := range f.nodes {
		if r := f.absolute(n); n.ID != "" {
			list = append(list, pdk.Area(pdk.Quote(n.ID), r.X, r.Y, r.W, r.H, n.ID))
		}
	}
	return list
}

// edgeEndY returns the height at which an edge ends: at the name of its anchor.
func (f *Flow) edgeEndY(n *Node, e *Edge) float64 {
	b := f.absolute(n)
	for i, a := range n.anchors().Each() {
		if a.Get("id").Text() == e.TargetHandle {
			return b.Y + 64 + 22*float64(i)
		}
	}
	return b.Center().Y
}

func (f *Flow) box(b *strings.Builder, n *Node) {
	r := f.absolute(n)
	fill, stroke := "#f7fafc", "#a0aec0"
	if c := n.data.Get("color").Text(); len(c) == 7 && c[0] == '#' && n.agent() {
		stroke = c
	}
	if n.note() {
		fill, stroke = "#fff5c2", "#e0c95e"
	}
	draw.Rect(b, r, fmt.Sprintf(`rx="10" fill="%s" stroke="%s" stroke-width="2"`, fill, xmltree.Escape(stroke, '"')))
	width := max(r.W-24, 30)
	if n.note() {
		y, font := r.Y+24, draw.Font{Size: 14, Fill: "#5c4d0a"}
		for _, words := range font.Wrap(strings.Join(strings.Fields(n.data.Get("inputs", "note").Text()), " "), width) {
			if y > r.Bottom()-8 {
				break
			}
			font.Text(b, r.X+12, y, words)
			y += 18
		}
		return
	}
	put := func(f draw.Font, y float64, text string) {
		f.Text(b, r.X+12, y, f.Fit(strings.Join(strings.Fields(text), " "), width))
	}
	put(draw.Font{Size: 15, Fill: "#1a202c", Bold: true}, r.Y+26, n.Label)
	put(draw.Font{Size: 11, Fill: "#718096"}, r.Y+44, n.Name)
	y := r.Y + 68
	for _, a := range n.anchors().Each() {
		if y > r.Bottom()-6 {
			return
		}
		put(draw.Font{Size: 12, Fill: "#4a5568"}, y, a.Get("label").Text())
		y += 22
	}
	if missing := f.unset(n); len(missing) > 0 && y < r.Bottom()-6 {
		put(draw.Font{Size: 12, Fill: "#c53030"}, y, "unset: "+strings.Join(missing, " "))
	}
}

func preview(v *view, a pdk.Args) (abi.QueryResponse, error) {
	return draw.Drawing{SVG: v.Model.drawing(), Text: "preview of " + v.Model.digest(), Areas: v.Model.areas()}.Answer(a)
}
