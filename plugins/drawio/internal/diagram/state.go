package diagram

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// tally is what a page holds.
type tally struct {
	shapes, edges, groups int
	bounds                geom.Rect
}

func count(p *mxfile.Page) tally {
	var t tally
	for c := p.First(); c != nil; c = c.Next() {
		switch {
		case c.Edge:
			t.edges++
		case !c.Shape() || c.Parent != "" && inCompound(c):
		default:
			if isGroup(c) {
				t.groups++
			} else {
				t.shapes++
			}
			if c.Owner() == nil {
				t.bounds = t.bounds.Union(c.Abs())
			}
		}
	}
	return t
}

// state summarises the current page.
func state(f *file) abi.State {
	p := f.Current
	t := count(p)
	s := abi.State{
		Digest: fmt.Sprintf("%ds %de %dg %.0fx%.0f p:%d/%d", t.shapes, t.edges, t.groups,
			math.Ceil(t.bounds.W), math.Ceil(t.bounds.H), f.Number(p), len(f.Pages)),
		Title:    f.Title(),
		Counts:   []abi.Count{{Name: "shapes", Value: t.shapes}, {Name: "edges", Value: t.edges}, {Name: "groups", Value: t.groups}, {Name: "pages", Value: len(f.Pages)}},
		Warnings: warnings(p, t),
	}
	return s
}

// shown is how many examples a warning gives.
const shown = 3

// warnings are what a reader of the diagram would stumble over: shapes that
// nothing connects though the page has edges, shapes that overlap, and labels
// that name several shapes.
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
	if t.edges > 0 {
		n, names := 0, []string(nil)
		for c := p.First(); c != nil; c = c.Next() {
			if orphan(c) {
				if n++; n <= shown {
					names = append(names, short(c))
				}
			}
		}
		add(n, "shape", " without an edge", names)
	}
	if p.Crowded() {
		n, names := overlaps(p, shown)
		add(n, "overlap", "", names)
	}
	if p.Repeats() {
		n, names := repeated(p, shown)
		add(n, "label", " on more than one shape", names)
	}
	return out
}

// overlaps counts the pairs of shapes that lie on each other, and names the
// first ones.
func overlaps(p *mxfile.Page, most int) (int, []string) {
	n := 0
	var names []string
	for c := p.First(); c != nil; c = c.Next() {
		if !solid(c) {
			continue
		}
		for _, o := range beneath(c) {
			if n++; len(names) < most {
				names = append(names, short(o)+"/"+short(c))
			}
		}
	}
	return n, names
}

// solid reports whether c takes room of its own: it is neither text nor a
// part of a composite shape.
func solid(c *cell) bool {
	if !c.Shape() || c.Relative || part(c) {
		return false
	}
	k := c.Kind()
	return k != "text" && k != "line" && k != "image"
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

// repeated counts the labels that several shapes have, and gives the first.
func repeated(p *mxfile.Page, most int) (int, []string) {
	seen := map[string]int{}
	var twice []string
	for c := p.First(); c != nil; c = c.Next() {
		if !c.Shape() || c.Label() == "" || c.Kind() == "text" || part(c) {
			continue
		}
		if seen[c.Label()]++; seen[c.Label()] == 2 {
			twice = append(twice, c.Label())
		}
	}
	sort.Strings(twice)
	var names []string
	for i, l := range twice {
		if i == most {
			break
		}
		names = append(names, fmt.Sprintf("%s (%d)", oneLine(l), seen[l]))
	}
	return len(twice), names
}
