package mxfile

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Cell is one cell of a page: an mxCell, alone or inside a wrapper such as
// UserObject. Its text is the model; the exported fields are a view of it,
// read again at every change and never written to.
type Cell struct {
	Page *Page
	Key  string // names the cell in its page for ever: its id, made unique where a file has one twice or none

	ID             string // as the file has it
	Parent         string // id
	Source, Target string // ids of an edge's ends, "" for a free end
	Vertex, Edge   bool
	Wrapper        string // name of the element around the mxCell, "" for none
	Value          string // label as stored, html or not
	Style          style.Style
	Geo            geom.Rect // in the parent's coordinates; of a vertex with Relative, X and Y are fractions
	Relative       bool
	Offset         geom.Point // of a relative place, in units
	Badge          bool       // a mark on its parent, a title or a legend, not a shape of its own
	Routed         bool       // the edge has waypoints
	Hidden         bool       // visible="0", of layers mostly
	Locked         bool       // of layers
	Opaque         bool       // no cell at all: an element or comment among the cells, kept as it is

	lead, raw  string // the text before it since the last cell, and its own
	prev, next *Cell
	run        *run        // that it belongs to
	ord        int         // place in the run while run.ordered
	data       *properties // of the wrapper, where the label has placeholders
	plain      string      // decoded label
	name       string      // what references call it
	look       *look       // what Style says
	degree     int         // edge ends at this cell
	named      bool        // in Page.names
	space      *place.Space[*Cell]
	solid      bool // whether it counts as overlapping others there
	beneath    int  // how many solid ones before it in the file it overlaps
	counted    counted

	kidPos, srcPos, tgtPos int // places in the page's sets
}

// Raw is the cell's text.
func (c *Cell) Raw() string { return c.raw }

// Lead is the text between the cell before it and c: white space, comments.
func (c *Cell) Lead() string { return c.lead }

// Next is the following cell of the page, in the file's order (which is
// drawing order), or nil.
func (c *Cell) Next() *Cell { return c.next }

// Prev is the cell before c, or nil.
func (c *Cell) Prev() *Cell { return c.prev }

// HTML reports whether the label is html.
func (c *Cell) HTML() bool { return c.look != nil && c.look.html }

// Label is the label as plain text, as draw.io shows it, but for properties of
// what the cell lies in.
func (c *Cell) Label() string { return c.plain }

// Name is what references call the cell: its label, or that label's first line
// where it shows custom properties, as the labels of C4 shapes do.
func (c *Cell) Name() string { return c.name }

// element reads the cell's text as a tree: the outer element, the mxCell and
// its geometry (nil when there is none).
func (c *Cell) element() (outer, cell, geo *xmltree.Element) {
	outer, err := xmltree.Parse(c.raw)
	if err != nil { // cannot happen: the text was read before it was taken
		panic("mxfile: cell text does not parse: " + err.Error())
	}
	cell = mxCell(outer)
	return outer, cell, geometry(cell)
}

// mxCell is e itself or the mxCell that e wraps, nil when e is no cell.
func mxCell(e *xmltree.Element) *xmltree.Element {
	if e.Name == "mxCell" {
		return e
	}
	return e.Child("mxCell")
}

func geometry(cell *xmltree.Element) *xmltree.Element {
	for _, g := range cell.Children {
		if g.Name == "mxGeometry" {
			return g
		}
	}
	return nil
}

// view sets the exported fields from the element tree of the cell's text.
func (c *Cell) view(outer *xmltree.Element) {
	cell := mxCell(outer)
	c.clear()
	src := outer.Source()
	for i := range cell.Attrs {
		a := &cell.Attrs[i]
		v := src[a.Start:a.End]
		switch a.Name {
		case "id":
			c.ID = xmltree.Unescape(v)
		case "value":
			c.Value = xmltree.Unescape(v)
		case "style":
			c.Style = style.Style(xmltree.Unescape(v))
		case "parent":
			c.Parent = xmltree.Unescape(v)
		case "source":
			c.Source = xmltree.Unescape(v)
		case "target":
			c.Target = xmltree.Unescape(v)
		case "vertex":
			c.Vertex = v == "1"
		case "edge":
			c.Edge = v == "1"
		case "visible":
			c.Hidden = v == "0"
		}
	}
	if outer != cell {
		c.Wrapper = outer.Name
		c.Value, _ = outer.Attr("label")
		c.ownData(outer)
		if id, ok := outer.Attr("id"); ok {
			c.ID = id
		}
	}
	if g := geometry(cell); g != nil {
		c.Geo = geom.Rect{X: attrNumber(g, "x"), Y: attrNumber(g, "y"), W: attrNumber(g, "width"), H: attrNumber(g, "height")}
		rel, _ := g.Attr("relative")
		c.Relative = rel == "1"
		if c.Relative && c.Vertex {
			for _, k := range g.Children {
				if as, _ := k.Attr("as"); as == "offset" {
					c.Offset = geom.Point{X: attrNumber(k, "x"), Y: attrNumber(k, "y")}
				}
			}
		}
		if c.Edge {
			for _, k := range g.Children {
				c.Routed = c.Routed || k.Name == "Array" && len(k.Children) > 0
			}
		}
	}
	c.derive()
}

// clear empties the view.
func (c *Cell) clear() {
	c.ID, c.Parent, c.Source, c.Target, c.Value, c.Style, c.Wrapper = "", "", "", "", "", "", ""
	c.Vertex, c.Edge, c.Hidden, c.Locked, c.Relative, c.Routed = false, false, false, false, false, false
	c.Geo, c.Offset, c.data = geom.Rect{}, geom.Point{}, nil
}

// derive sets what follows from the rest of the view.
func (c *Cell) derive() {
	c.look = c.Page.lookOf(c.Style)
	c.Style = c.look.style
	c.Locked = c.look.locked
	c.Badge = c.Vertex && c.look.badge
	c.plain = PlainText(c.fill(c.own), c.look.html)
	c.name = c.plain
	if c.data != nil {
		c.name, _, _ = strings.Cut(c.plain, "\n")
	}
}

// Kind names what a vertex is; see style.Style.Kind.
func (c *Cell) Kind() string {
	if c.look == nil {
		return c.Style.Kind()
	}
	if c.look.kind == "" {
		c.look.kind = c.Style.Kind()
	}
	return c.look.kind
}

// Defined is what the style has under DefinedKey.
func (c *Cell) Defined() string {
	if c.look == nil {
		kind, _ := c.Style.Get(DefinedKey)
		return kind
	}
	return c.look.defined
}

// Theme names the theme that the style has, "" for none.
func (c *Cell) Theme() string {
	if c.look == nil {
		return c.Style.Theme()
	}
	if !c.look.themed {
		c.look.theme, c.look.themed = c.Style.Theme(), true
	}
	return c.look.theme
}

// Line says how an edge is drawn; see style.Style.Line.
func (c *Cell) Line() string {
	if c.look == nil {
		return c.Style.Line()
	}
	if c.look.line == "" {
		c.look.line = c.Style.Line()
	}
	return c.look.line
}

// Degree is how many edge ends the cell has.
func (c *Cell) Degree() int { return c.degree }

// Route is an edge's free ends and waypoints.
func (c *Cell) Route() Route {
	_, _, geo := c.element()
	return route(geo)
}

// Data lists a wrapper's own attributes (custom properties, link, tooltip) in
// the file's order, label and id left out.
func (c *Cell) Data() [][2]string {
	if c.Wrapper == "" {
		return nil
	}
	outer, _, _ := c.element()
	var out [][2]string
	for _, a := range outer.Attrs {
		if a.Name != "label" && a.Name != "id" {
			v, _ := outer.Attr(a.Name)
			out = append(out, [2]string{a.Name, v})
		}
	}
	return out
}
