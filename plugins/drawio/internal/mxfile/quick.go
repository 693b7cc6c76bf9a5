package mxfile

import (
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/xmltree"
)

// quick sets the view from a text of the shape that nearly all cells have: an
// mxCell without a wrapper, in it an mxGeometry without content or nothing, and
// no attributes but draw.io's usual ones. Any other text it leaves to the tree
// reader, with false and a view that is not to be used; whatever it takes, the
// tree reader reads the same.
func (c *Cell) quick(raw string) bool {
	c.clear()
	in := scanner{s: raw}
	if !in.skip("<mxCell") || !in.attributes(c.attribute) {
		return false
	}
	if !in.skip("/>") {
		if !in.skip(">") {
			return false
		}
		in.blanks()
		if in.skip("<mxGeometry") && (!in.attributes(c.geoAttribute) || !in.skip("/>")) {
			return false
		}
		in.blanks()
		if !in.skip("</mxCell>") {
			return false
		}
	}
	if in.pos != len(raw) || in.wide && !utf8.ValidString(raw) {
		return false
	}
	c.derive()
	return true
}

// attribute sets what an attribute of the mxCell says and gives its bit, 0
// for one that is not known here.
func (c *Cell) attribute(name, value string) uint {
	switch name {
	case "id":
		c.ID = value
		return 1
	case "value":
		c.Value = value
		return 2
	case "style":
		c.Style = style.Style(value)
		return 4
	case "parent":
		c.Parent = value
		return 8
	case "source":
		c.Source = value
		return 16
	case "target":
		c.Target = value
		return 32
	case "vertex":
		c.Vertex = value == "1"
		return 64
	case "edge":
		c.Edge = value == "1"
		return 128
	case "connectable":
		return 256
	}
	return 0
}

// geoAttribute is the same for the mxGeometry.
func (c *Cell) geoAttribute(name, value string) uint {
	switch name {
	case "x":
		c.Geo.X = number(value)
		return 1
	case "y":
		c.Geo.Y = number(value)
		return 2
	case "width":
		c.Geo.W = number(value)
		return 4
	case "height":
		c.Geo.H = number(value)
		return 8
	case "relative":
		c.Relative = value == "1"
		return 16
	case "as":
		return 32
	}
	return 0
}

// scanner walks over a text.
type scanner struct {
	s    string
	pos  int
	wide bool // a byte beyond ASCII came by
}

// skip passes over text, if it comes next.
func (in *scanner) skip(text string) bool {
	if !strings.HasPrefix(in.s[in.pos:], text) {
		return false
	}
	in.pos += len(text)
	return true
}

func (in *scanner) blanks() {
	for in.pos < len(in.s) && strings.IndexByte(blanks, in.s[in.pos]) >= 0 {
		in.pos++
	}
}

// attributes reads name="value" pairs up to the tag's end and hands each to
// set, which gives a bit of its own for each name that it knows.
func (in *scanner) attributes(set func(name, value string) uint) bool {
	seen := uint(0)
	for {
		from := in.pos
		in.blanks()
		if in.pos == len(in.s) || in.s[in.pos] == '/' || in.s[in.pos] == '>' {
			return in.pos < len(in.s)
		}
		at := in.pos
		for in.pos < len(in.s) && in.s[in.pos] >= 'a' && in.s[in.pos] <= 'z' {
			in.pos++
		}
		name := in.s[at:in.pos]
		if at == from || len(in.s)-in.pos < 3 || in.s[in.pos] != '=' {
			return false
		}
		quote := in.s[in.pos+1]
		if quote != '"' && quote != '\'' {
			return false
		}
		in.pos += 2
		value, ok := in.value(quote)
		if !ok {
			return false
		}
		bit := set(name, value)
		if bit == 0 || seen&bit != 0 {
			return false
		}
		seen |= bit
	}
}

// value reads up to the closing quote.
func (in *scanner) value(quote byte) (string, bool) {
	coded := false
	for i := in.pos; i < len(in.s); i++ {
		switch b := in.s[i]; {
		case b == quote:
			v := in.s[in.pos:i]
			in.pos = i + 1
			if coded {
				v = xmltree.Unescape(v)
			}
			return v, true
		case b == '<':
			return "", false
		case b == '&' || b < ' ':
			coded = true
		case b >= utf8.RuneSelf:
			in.wide = true
		}
	}
	return "", false
}
