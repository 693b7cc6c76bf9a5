package flow

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/picture"
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
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="%s %s %s %s" font-family="Helvetica, Arial, sans-serif">`, num(all.W), num(all.H), num(all.X), num(all.Y), num(all.W), num(all.H))
	fmt.Fprintf(&b, `<rect x="%s" y="%s" width="%s" height="%s" fill="#ffffff"/>`, num(all.X), num(all.Y), num(all.W), num(all.H))
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
			font{size: 12, anchor: "middle", fill: "#4a5568"}.text(&b, (x1+x2)/2, (y1+y2)/2-6, line(e.Label, 30))
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

// areas lists where the nodes are on the drawing.
func (f *Flow) areas() (list []abi.Area) {
	for _, n := range f.nodes {
		if r := f.absolute(n); n.ID != "" {
			list = append(list, pdk.Area(pdk.Quote(n.ID), r.X, r.Y, r.W, r.H, n.ID))
		}
	}
	return list[:min(len(list), abi.MaxAreas)]
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
	fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" rx="10" fill="%s" stroke="%s" stroke-width="2"/>`, num(r.X), num(r.Y), num(r.W), num(r.H), fill, xmltree.Escape(stroke, '"'))
	most := int(r.W / 8)
	if n.note() {
		y := r.Y + 24
		for _, words := range wrapText(n.data.Get("inputs", "note").Text(), most) {
			if y > r.Bottom()-8 {
				break
			}
			font{size: 14, anchor: "start", fill: "#5c4d0a"}.text(b, r.X+12, y, words)
			y += 18
		}
		return
	}
	font{size: 15, anchor: "start", fill: "#1a202c", bold: true}.text(b, r.X+12, r.Y+26, line(n.Label, max(4, most)))
	font{size: 11, anchor: "start", fill: "#718096"}.text(b, r.X+12, r.Y+44, line(n.Name, max(4, most+4)))
	y := r.Y + 68
	for _, a := range n.anchors().Each() {
		if y > r.Bottom()-6 {
			return
		}
		font{size: 12, anchor: "start", fill: "#4a5568"}.text(b, r.X+12, y, line(a.Get("label").Text(), max(4, most)))
		y += 22
	}
	if missing := f.unset(n); len(missing) > 0 && y < r.Bottom()-6 {
		font{size: 12, anchor: "start", fill: "#c53030"}.text(b, r.X+12, y, line("unset: "+strings.Join(missing, " "), max(4, most)))
	}
}

// font is how a text is drawn.
type font struct {
	size         int // in pixels
	anchor, fill string
	bold         bool
}

// text draws a text on one line.
func (f font) text(b *strings.Builder, x, y float64, s string) {
	weight := ""
	if f.bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%d" text-anchor="%s" fill="%s"%s>%s</text>`, num(x), num(y), f.size, f.anchor, f.fill, weight, xmltree.EscapeText(s))
}

// wrapText breaks a text into lines of about most characters.
func wrapText(s string, most int) (lines []string) {
	now := ""
	for _, w := range strings.Fields(s) {
		if now != "" && len([]rune(now))+len([]rune(w)) >= most {
			lines, now = append(lines, now), ""
		}
		if now != "" {
			now += " "
		}
		now += w
	}
	return append(lines, now)
}

func previewQuery() query {
	return query{Query: abi.Query{Name: "preview", Syntax: "preview [width:N]", Summary: "the flow as a picture"}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		a, note := a.AtMost("width", picture.Side)
		width, err := a.Int("width", 0, 16, picture.Side)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		svg, err := a.WantsSVG()
		if err != nil {
			return abi.QueryResponse{}, err
		}
		if svg {
			return abi.QueryResponse{Text: "preview of " + v.Model.digest(), Content: []abi.Content{{MIME: "image/svg+xml", Data: []byte(v.Model.drawing())}}, Areas: v.Model.areas()}, nil
		}
		drawn, err := picture.Draw([]byte(v.Model.drawing()), picture.Options{Width: width})
		if err != nil {
			return abi.QueryResponse{}, pdk.Errorf("%v", err)
		}
		return abi.QueryResponse{Text: "preview of " + v.Model.digest() + note, Content: []abi.Content{{MIME: "image/png", Data: drawn.PNG}}}, nil
	}}
}

func formats() []pdk.Format[*Flow] {
	return []pdk.Format[*Flow]{
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "the flow as a picture"}, Write: func(f *Flow, _ pdk.Args) ([]byte, error) { return []byte(f.drawing()), nil }},
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "the same picture as a PNG, width:N"}, Params: []string{"width"}, Write: func(f *Flow, a pdk.Args) ([]byte, error) {
			width, err := a.Int("width", 0, 16, picture.MaxWidth)
			if err != nil {
				return nil, err
			}
			out, err := picture.Draw([]byte(f.drawing()), picture.Options{Width: width, Exact: true})
			if err != nil {
				return nil, pdk.Errorf("%v", err)
			}
			return out.PNG, nil
		}},
	}
}
