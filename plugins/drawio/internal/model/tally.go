package model

import (
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Count counts the contents of a page. It recounts only what has changed since the last
// call.
func Count(p *mxfile.Page) Tally {
	t := p.Tally(class)
	return Tally{Shapes: t.Shapes, Edges: t.Edges, Groups: t.Groups, Orphans: t.Orphans, Listed: t.Listed, Repeats: t.Repeats,
		Overlaps: t.Overlaps, Bounds: t.Bounds}
}

// Tally holds the counts of a page.
type Tally struct {
	Shapes, Edges, Groups int
	Orphans               int // shapes without edges
	Listed                int // lines of the query map, without edges
	Repeats               int // labels that several shapes share
	Overlaps              int // pairs of overlapping shapes
	Bounds                geom.Rect
}

// class returns the classes of a cell for a tally.
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
	case !InCompound(c):
		if IsGroup(c) {
			as |= mxfile.ClassGroup
		} else {
			as |= mxfile.ClassShape
		}
	}
	if IsOrphan(c) {
		as |= mxfile.ClassOrphan
	}
	if IsSolid(c) {
		as |= mxfile.ClassSolid
	}
	if c.Label() != "" && c.Kind() != "text" && c.Kind() != "frame" && (owner == nil || Expands(owner)) {
		as |= mxfile.ClassTitled
	}
	return as
}

// MaxListed is the greatest depth of nesting that the query map lists.
const MaxListed = 20

// placeInMap returns ClassListed for the cells that the query map lists, edges aside: the
// shapes on the page and what lies in them.
func placeInMap(c *cell) mxfile.Class {
	if !c.Vertex || IsBare(c) || IsFolded(c) {
		return 0
	}
	for depth := 0; depth <= MaxListed; depth++ {
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

// MostExamples is the number of examples that a warning gives.
const MostExamples = 3

// IsSolid reports whether c takes up room: it is neither a text, nor a part of a composite
// shape, nor a backdrop that clicks pass through.
func IsSolid(c *cell) bool {
	if !c.Shape() || c.Relative || IsPart(c) {
		return false
	}
	switch c.Kind() {
	case "text", "line", "image", "participant":
		return false
	case "frame": // of a sequence
		return c.Style.Is("container", "1")
	}
	return c.Kind() != "box" || !c.Style.Is("pointerEvents", "0")
}

// Beneath returns the solid shapes that c overlaps in its container and that come before it
// in the file, in the order of the file.
func Beneath(c *cell) []*cell {
	id := ""
	if o := c.Owner(); o != nil {
		id = o.ID
	}
	var out []*cell
	c.Page.Space(id).Each(c.Geo, func(o *cell, _ geom.Rect) bool {
		if o != c && IsSolid(o) && (c.Page.Before(o, c)) {
			out = append(out, o)
		}
		return true
	})
	if len(out) > 1 {
		c.Page.Sort(out)
	}
	return out
}
