package mxfile

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Cell is one cell of a page: an mxCell, alone or inside a wrapper such as UserObject. Its text is the source of truth.
// The exported fields are a view of it, read again after every change and never written to.
type Cell struct {
	Page *Page
	Key  string // permanent name of the cell in its page: its id, or a unique key if the id is missing or not unique

	ID             string // as in the file
	Parent         string // id of the parent
	Source, Target string // ids of an edge's ends, "" for a free end
	Vertex, Edge   bool
	Wrapper        string // name of the element around the mxCell, "" for none
	Value          string // label as stored, HTML or plain text
	Style          style.Style
	Geo            geom.Rect // in the parent's coordinates; of a vertex with Relative, X and Y are fractions
	Relative       bool
	Offset         geom.Point // of a relative position, in units
	Badge          bool       // a badge, a page title or a legend, not a shape of its own
	Routed         bool       // the edge has waypoints
	Hidden         bool       // visible="0", mostly of layers
	Locked         bool       // of layers
	Opaque         bool       // not a cell but another element or comment between cells, kept unchanged

	lead, raw  string // the text between the previous cell and this one, and its own text
	prev, next *Cell
	run        *run        // the run that holds it
	ord        int         // index in the run, valid while run.ordered
	data       *properties // of the wrapper, if the label has placeholders
	plain      string      // decoded label
	name       string      // what references use
	styling    *styling    // what Style says
	degree     int         // number of edge ends at this cell
	named      bool        // in Page.names
	space      *place.Space[*Cell]
	solid      bool // whether its overlaps in that space count
	beneath    int  // how many earlier solid cells it overlaps
	counted    counted

	kidPos, srcPos, tgtPos int // indices in the page's sets
}

// Raw returns the cell's text.
func (c *Cell) Raw() string { return c.raw }

// Lead returns the text between the previous cell and c: white space and comments.
func (c *Cell) Lead() string { return c.lead }

// Next returns the next cell of the page in the order of the file, which is the drawing order, or nil.
func (c *Cell) Next() *Cell { return c.next }

// Prev returns the previous cell, or nil.
func (c *Cell) Prev() *Cell { return c.prev }

// HTML reports whether the label is HTML.
func (c *Cell) HTML() bool { return c.styling != nil && c.styling.html }

// Label returns the label as plain text, as draw.io shows it, except for properties of enclosing cells.
func (c *Cell) Label() string { return c.plain }

// Name returns what references use: the label, or its first line if the label shows custom properties, as those of C4
// shapes do.
func (c *Cell) Name() string { return c.name }

// element parses the cell's text: the outer element, the mxCell and its geometry (nil if there is none).
func (c *Cell) element() (outer, cell, geo *xmltree.Element) {
	outer, err := xmltree.Parse(c.raw)
	if err != nil { // cannot happen: the text was parsed before it was stored
		panic("mxfile: cell text does not parse: " + err.Error())
	}
	cell = mxCell(outer)
	return outer, cell, geometry(cell)
}

// mxCell returns e or the mxCell inside it, nil if e is not a cell.
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

// view sets the exported fields from the parsed text of the cell.
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

// derive sets the fields that follow from the rest of the view.
func (c *Cell) derive() {
	c.styling = c.Page.stylingOf(c.Style)
	c.Style = c.styling.style
	c.Locked = c.styling.locked
	c.Badge = c.Vertex && c.styling.badge
	c.plain = PlainText(c.fill(c.own), c.styling.html)
	c.name = c.plain
	if c.data != nil {
		c.name, _, _ = strings.Cut(c.plain, "\n")
	}
}

// Kind returns the shape type of a vertex; see style.Style.Kind.
func (c *Cell) Kind() string {
	if c.styling == nil {
		return c.Style.Kind()
	}
	if c.styling.kind == "" {
		c.styling.kind = c.Style.Kind()
	}
	return c.styling.kind
}

// Defined returns the value of DefinedKey in the style.
func (c *Cell) Defined() string {
	if c.styling == nil {
		kind, _ := c.Style.Get(DefinedKey)
		return kind
	}
	return c.styling.defined
}

// Theme returns the theme of the style, "" for none.
func (c *Cell) Theme() string {
	if c.styling == nil {
		return c.Style.Theme()
	}
	if !c.styling.themed {
		c.styling.theme, c.styling.themed = c.Style.Theme(), true
	}
	return c.styling.theme
}

// Line describes how an edge is drawn; see style.Style.Line.
func (c *Cell) Line() string {
	if c.styling == nil {
		return c.Style.Line()
	}
	if c.styling.line == "" {
		c.styling.line = c.Style.Line()
	}
	return c.styling.line
}

// Degree returns the number of edge ends at the cell.
func (c *Cell) Degree() int { return c.degree }

// Route returns an edge's free ends and waypoints.
func (c *Cell) Route() Route {
	_, _, geo := c.element()
	return route(geo)
}

// HasGeometry reports whether the cell has a geometry. draw.io does not draw edges without one.
func (c *Cell) HasGeometry() bool { return strings.Contains(c.raw, "<mxGeometry") }

// Data lists the attributes of a wrapper (custom properties, link, tooltip) in the order of the file, without label and
// id.
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
