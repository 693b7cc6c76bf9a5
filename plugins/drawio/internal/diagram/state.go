package diagram

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

// count tells what a page holds. It costs what changed since the last time.
func count(p *mxfile.Page) tally {
	t := p.Tally(class)
	return tally{shapes: t.Shapes, edges: t.Edges, groups: t.Groups, orphans: t.Orphans, listed: t.Listed, repeats: t.Repeats,
		overlaps: t.Overlaps, bounds: t.Bounds}
}

// tally is what a page holds.
type tally struct {
	shapes, edges, groups int
	orphans               int // shapes that nothing connects
	listed                int // lines of the query map, edges aside
	repeats               int // labels that several shapes have
	overlaps              int // pairs of shapes that lie on each other
	bounds                geom.Rect
}

// class is what a cell counts as.
func class(c *cell) mxfile.Class {
	if !c.Shape() {
		if c.Edge {
			return placeInMap(c) | mxfile.ClassEdge
		}
		return placeInMap(c)
	}
	as := placeInMap(c)
	owner := c.Owner()
	switch {
	case c.Edge:
		as |= mxfile.ClassEdge
	case owner == nil:
		as |= mxfile.ClassOuter
		fallthrough
	case !inCompound(c):
		if isGroup(c) {
			as |= mxfile.ClassGroup
		} else {
			as |= mxfile.ClassShape
		}
	}
	if orphan(c) {
		as |= mxfile.ClassOrphan
	}
	if solid(c) {
		as |= mxfile.ClassSolid
	}
	if c.Label() != "" && c.Kind() != "text" && c.Kind() != "frame" && (owner == nil || expands(owner)) {
		as |= mxfile.ClassTitled
	}
	return as
}

// maxListed is how deep the query map lists what lies in something.
const maxListed = 20

// placeInMap is ClassListed for what the query map lists beside edges: shapes
// on the page, and what lies in them.
func placeInMap(c *cell) mxfile.Class {
	if !c.Vertex || bare(c) {
		return 0
	}
	for depth := 0; depth <= maxListed; depth++ {
		o := c.Owner()
		if o == nil {
			if c.Shape() {
				return mxfile.ClassListed
			}
			return 0
		}
		c = o
	}
	return 0
}

// state summarises the current page.
func state(f *file) abi.State {
	p := f.Current
	t := count(p)
	return abi.State{
		Digest:   digest(t, f.Number(p), len(f.Pages)),
		Title:    f.Title(),
		Counts:   []abi.Count{{Name: "shapes", Value: t.shapes}, {Name: "edges", Value: t.edges}, {Name: "groups", Value: t.groups}, {Name: "pages", Value: len(f.Pages)}},
		Warnings: warnings(p, t),
	}
}

// digest is written after every call, so it does without fmt.
func digest(t tally, page, pages int) string {
	var buf [64]byte
	b := append(strconv.AppendInt(buf[:0], int64(t.shapes), 10), "s "...)
	b = append(strconv.AppendInt(b, int64(t.edges), 10), "e "...)
	b = append(strconv.AppendInt(b, int64(t.groups), 10), "g "...)
	b = mxfile.AppendNum(b, math.Ceil(t.bounds.W))
	b = mxfile.AppendNum(append(b, 'x'), math.Ceil(t.bounds.H))
	b = strconv.AppendInt(append(b, " p:"...), int64(page), 10)
	return string(strconv.AppendInt(append(b, '/'), int64(pages), 10))
}

// shown is how many examples a warning gives.
const shown = 3

// followed is up to how many edges and shapes a page's edges are followed
// after every call. It takes longer than all else here; lint follows any number.
const followed = 50

// warnings are what a reader of the diagram would stumble over: shapes that
// nothing connects though the page has edges, shapes that overlap, edges
// through shapes, and labels that name several shapes.
func warnings(p *mxfile.Page, t tally) []string {
	var out []string
	add := func(n int, noun, more string, names []string) {
		if n == 0 {
			return
		}
		text := plural(n, noun) + more + ": " + strings.Join(names, ", ")
		if n > len(names) {
			text += ", …"
		}
		if len(text) > abi.MaxWarning {
			text = strings.ToValidUTF8(text[:abi.MaxWarning-4], "") + "…"
		}
		out = append(out, text)
	}
	if t.edges > 0 && t.orphans > 0 {
		var names []string
		for _, c := range p.Orphans(shown) {
			names = append(names, short(c))
		}
		add(t.orphans, "shape", " without an edge", names)
	}
	if t.overlaps > 0 {
		f := lying(p, t, shown)
		add(f.n, "overlap", "", f.names[:min(f.n, shown)])
	}
	if t.edges > 0 && t.edges <= followed && t.shapes+t.groups <= followed {
		lines, routes := routesOf(p)
		f := through(p, tangle.New(routes), lines)
		add(f.n, "edge", " through a shape", f.names[:min(f.n, shown)])
	}
	if t.repeats > 0 {
		add(t.repeats, "label", " on more than one shape", repeated(p, shown))
	}
	return out
}

// lying are the pairs of shapes that lie on each other, the first of them by name; not
// what lies in a frame without being its child, unless the page is large.
func lying(p *mxfile.Page, t tally, most int) findings {
	if t.overlaps == 0 || t.shapes+t.groups+t.edges > led {
		return findings{t.overlaps, overlaps(p, most)}
	}
	l := &arranger{}
	if set := outermostOf(p); len(set) > 0 {
		l.gather(set)
	}
	if l.inside == nil {
		return findings{t.overlaps, overlaps(p, most)}
	}
	var f findings
	for c := range p.Upper() {
		for _, o := range beneath(c) {
			if l.inside[o] == nil || !o.Abs().Contains(c.Abs()) {
				f.tell(func() string { return short(o) + "/" + short(c) })
			}
		}
	}
	return f
}

// overlaps names the first pairs of shapes that lie on each other.
func overlaps(p *mxfile.Page, most int) []string {
	var names []string
	for c := range p.Upper() {
		for _, o := range beneath(c) {
			if len(names) == most {
				return names
			}
			names = append(names, short(o)+"/"+short(c))
		}
	}
	return names
}

// solid reports whether c takes room of its own: it is neither text nor a
// part of a composite shape, nor a backdrop that clicks go through.
func solid(c *cell) bool {
	if !c.Shape() || c.Relative || part(c) {
		return false
	}
	switch c.Kind() {
	case "text", "line", "image", "participant":
		return false
	case "frame": // of a sequence, around messages
		return c.Style.Is("container", "1")
	}
	return c.Kind() != "box" || !c.Style.Is("pointerEvents", "0")
}

// beneath are the solid shapes before c in the same space that c overlaps, at
// most a few, in the file's order.
func beneath(c *cell) []*cell {
	id := ""
	if o := c.Owner(); o != nil {
		id = o.ID
	}
	var out []*cell
	c.Page.Space(id).Each(c.Geo, func(o *cell, _ geom.Rect) bool {
		if o != c && solid(o) && (c.Page.Before(o, c)) {
			out = append(out, o)
		}
		return true
	})
	if len(out) > 1 {
		c.Page.Sort(out)
	}
	return out
}

// repeated names the first labels that several shapes have, with how many.
func repeated(p *mxfile.Page, most int) []string {
	var names []string
	labels, shapes := p.Repeated(most)
	for i, l := range labels {
		names = append(names, fmt.Sprintf("%s (%d)", oneLine(l), shapes[i]))
	}
	return names
}
