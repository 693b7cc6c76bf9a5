package drawing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// heavy is how many bytes of a picture in the file are worth a warning.
const heavy = 200_000

// outward is what a file has that a viewer may run or load.
func (f *Drawing) outward() (out []string) {
	if n := f.Count("script"); n > 0 {
		out = append(out, plural(n, "script")+": kept, never run here")
	}
	events, links, large := 0, 0, 0
	first := ""
	for n := range f.Root.All() {
		if strings.Contains(n.Tag, " on") {
			for k := range n.Attrs() {
				if strings.HasPrefix(k, "on") {
					events++
				}
			}
		}
		href, _ := n.Href()
		switch {
		case strings.HasPrefix(href, "data:"):
			if len(href) > heavy {
				large++
			}
		case href != "" && !strings.HasPrefix(href, "#") && f.Type(n) != "a":
			if links++; first == "" {
				first = line(href, 80)
			}
		}
	}
	for _, imported := range f.styles.Of(f.Doc).Imports() {
		if links++; first == "" {
			first = line(imported, 80)
		}
	}
	if events > 0 {
		out = append(out, plural(events, "event attribute")+" with script: kept, never run here")
	}
	if links > 0 {
		out = append(out, plural(links, "link")+" to something outside, which is never loaded here: "+first)
	}
	if large > 0 {
		out = append(out, plural(large, "embedded picture")+fmt.Sprintf(" of more than %d KB", heavy/1000))
	}
	return out
}

// warnOf says what is likely wrong with an element that was made or changed.
func (o *op) warnOf(n *node) {
	if text := fault(o.f, o.scene(), n); text != "" {
		o.Warn("%s %s", o.f.name(n), text)
	}
}

// fault is what keeps an element from being seen, "" where nothing does.
func fault(f *Drawing, sc *scene.Scene, n *node) string {
	typ := f.Type(n)
	if !scene.Draws(typ) || scene.Group(typ) || inDefs(f, n) || !sc.Visible(n) {
		return ""
	}
	b, ok := sc.Box(n)
	shape := typ != "image" && typ != "use" && typ != "text" && typ != "foreignObject"
	if !ok && typ != "text" || shape && b.Width() == 0 && b.Height() == 0 {
		return "has no size, so nothing of it is seen"
	}
	if shape || typ == "text" {
		fill, stroke := sc.Value(n, "fill"), sc.Value(n, "stroke")
		if (fill == "none" || typ == "line") && (stroke == "none" || stroke == "") {
			return "has neither fill nor stroke, so nothing of it is seen"
		}
	}
	if v := sc.Value(n, "opacity"); v == "0" {
		return "has opacity:0, so nothing of it is seen"
	}
	c := sc.Canvas()
	if ok && (b.X1 < c.X0 || b.Y1 < c.Y0 || b.X0 > c.X1 || b.Y0 > c.Y1) {
		return "lies outside the canvas " + box(c)
	}
	return ""
}

// inDefs reports whether an element is drawn only where something refers to it.
func inDefs(f *Drawing, n *node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if !scene.Draws(f.Type(p)) {
			return true
		}
	}
	return false
}

// shown are the elements that draw by themselves, from the lowest to the
// uppermost.
func (f *Drawing) shown(sc *scene.Scene) (out []*node) {
	var walk func(n *node)
	walk = func(n *node) {
		for c := range n.Kids() {
			typ := f.Type(c)
			if !scene.Draws(typ) || !sc.Shown(c) {
				continue
			}
			if scene.Group(typ) {
				walk(c)
			} else if sc.Value(c, "visibility") == "visible" {
				out = append(out, c)
			}
		}
	}
	walk(f.Root)
	return out
}

func lintQuery() query {
	return query{Run: runLint, Query: abi.Query{Name: "lint", Syntax: "lint", Brief: "lint · what is likely wrong", Summary: "what is likely wrong: nothing to see, outside, broken references, weak contrast, text wider than its box, scripts and links, no title"}}
}

func runLint(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.scene()
	list := append(f.broken(), f.outward()...)
	if f.title() == "" {
		list = append(list, "no title, which people who cannot see it are read: title \"…\"")
	}
	shown := f.shown(sc)
	boxes := make([]vector.Box, len(shown))
	for i, n := range shown {
		boxes[i], _ = sc.Box(n)
		if text := fault(f, sc, n); text != "" {
			list = append(list, f.name(n)+" "+text)
		}
	}
	work := 2_000_000
	for i, n := range shown {
		if f.Type(n) != "text" || work < 0 {
			continue
		}
		work -= i
		list = append(list, f.textFaults(sc, n, boxes[i], shown[:i], boxes[:i])...)
	}
	if len(list) == 0 {
		return abi.QueryResponse{Text: "lint: nothing found"}, nil
	}
	p := v.Page()
	for _, l := range list {
		p.Line(func(b []byte) []byte { return append(b, l...) })
	}
	return p.Answer(0), nil
}

// textFaults are weak contrast to what lies below a text, and more width than
// the rect around it has.
func (f *Drawing) textFaults(sc *scene.Scene, n *node, b vector.Box, below []*node, boxes []vector.Box) (out []string) {
	if strings.TrimSpace(n.FullText()) == "" || b.IsEmpty() {
		return nil
	}
	mid := center(b)
	ground := csscolor.Color{R: 1, G: 1, B: 1, A: 1}
	around := -1
	for i := len(below) - 1; i >= 0; i-- {
		c := boxes[i]
		if f.Type(below[i]) == "text" || mid.X < c.X0 || mid.X > c.X1 || mid.Y < c.Y0 || mid.Y > c.Y1 {
			continue
		}
		v := sc.Value(below[i], "fill")
		if v == "none" {
			continue
		}
		col, ok := csscolor.Parse(v)
		if !ok || col.A < 1 || sc.Value(below[i], "fill-opacity") != "1" || sc.Value(below[i], "opacity") != "1" {
			return out // whatever shines through
		}
		ground, around = col, i
		break
	}
	v := sc.Value(n, "fill")
	if v == "currentColor" {
		v = sc.Value(n, "color")
	}
	if ink, ok := csscolor.Parse(v); ok && ink.A == 1 {
		if k := contrast(ink, ground); k < 4.5 {
			out = append(out, fmt.Sprintf("%s %s has a contrast of %s to what is below it; 4.5 reads well", f.name(n), pdk.Quote(line(n.FullText(), 40)), short(math.Floor(k*100)/100)))
		}
	}
	if around >= 0 && f.Type(below[around]) == "rect" && b.Width() > boxes[around].Width() {
		out = append(out, fmt.Sprintf("%s %s is about %s wide, wider than %s (%s)", f.name(n), pdk.Quote(line(n.FullText(), 40)), short(math.Round(b.Width())), f.name(below[around]), short(boxes[around].Width())))
	}
	return out
}

// contrast is WCAG's: from 1 to 21.
func contrast(a, b csscolor.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c csscolor.Color) float64 {
	part := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

func outsideQuery() query {
	return query{Query: abi.Query{Name: "outside", Syntax: "outside", Brief: "outside", Summary: "what lies outside the canvas, whole or in part"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		f := v.Model
		sc := f.scene()
		c := sc.Canvas()
		p := v.Page()
		some := false
		for _, n := range f.shown(sc) {
			b, ok := sc.Box(n)
			if !ok || b.X0 >= c.X0 && b.Y0 >= c.Y0 && b.X1 <= c.X1 && b.Y1 <= c.Y1 {
				continue
			}
			how := "in part"
			if b.X1 <= c.X0 || b.Y1 <= c.Y0 || b.X0 >= c.X1 || b.Y0 >= c.Y1 {
				how = "whole"
			}
			some = true
			p.Line(func(t []byte) []byte { return fmt.Appendf(t, "%s %s %s", f.head(n), f.boxOf(n, b), how) })
		}
		if !some {
			return abi.QueryResponse{Text: "nothing lies outside the canvas " + box(c)}, nil
		}
		return p.Answer(0), nil
	}}
}

func overlapsQuery() query {
	return query{Query: abi.Query{Name: "overlaps", Syntax: "overlaps [SEL]", Brief: "overlaps [SEL]", Summary: "pairs of elements whose boxes overlap, but for those that lie within each other"}, Run: runOverlaps}
}

func runOverlaps(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.scene()
	list := f.shown(sc)
	if len(a.Selectors) > 0 {
		var err error
		if list, err = f.selected(v.Recent, a.Selectors, false); err != nil {
			return abi.QueryResponse{}, err
		}
		list = leaves(list)
	}
	type item struct {
		n  *node
		b  vector.Box
		at int
	}
	var items []item
	for i, n := range list {
		if b, ok := sc.Box(n); ok && b.Width() > 0 && b.Height() > 0 {
			items = append(items, item{n, b, i})
		}
	}
	slices.SortStableFunc(items, func(x, y item) int {
		switch {
		case x.b.X0 < y.b.X0:
			return -1
		case x.b.X0 > y.b.X0:
			return 1
		}
		return 0
	})
	const mostPairs = 500
	const slack = 1e-6
	contains := func(x, y vector.Box) bool {
		return x.X0 <= y.X0+slack && x.Y0 <= y.Y0+slack && x.X1 >= y.X1-slack && x.Y1 >= y.Y1-slack
	}
	var found []string
	work := 5_000_000
	for i, x := range items {
		for _, y := range items[i+1:] {
			if work--; y.b.X0 >= x.b.X1-slack || len(found) >= mostPairs || work < 0 {
				break
			}
			both := x.b.Intersect(y.b)
			if both.Width() <= slack || both.Height() <= slack || both.IsEmpty() || contains(x.b, y.b) || contains(y.b, x.b) {
				continue
			}
			lower, upper := x, y
			if lower.at > upper.at {
				lower, upper = upper, lower
			}
			found = append(found, f.name(upper.n)+" over "+f.name(lower.n)+" "+box(both))
		}
	}
	if len(found) == 0 {
		return abi.QueryResponse{Text: "no overlaps"}, nil
	}
	return abi.QueryResponse{Text: strings.Join(found, "\n")}, nil
}
