package picture

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Limits of a document. Anything beyond them is refused.
const (
	maxNodes = 300_000
	maxDepth = 200
	maxBytes = 32 << 20
)

type (
	node  = svgdom.Node
	style = svgdom.Style
	own   = svgdom.Own
	paint = svgdom.Paint
)

// document is a parsed SVG document.
type document struct {
	*svgdom.Cascade
	root   *node
	ids    map[string]*node
	blends bool // some element is blended with what is below it
	moving bool // it contains animations
}

var errNoSVG = errors.New("this is not an SVG document: it has no svg element")

// parse parses a document. Bytes that are not UTF-8 are read as "?".
func parse(data []byte) (*document, error) {
	if len(data) > maxBytes {
		return nil, errors.New("the SVG document is larger than 32 MiB")
	}
	e, err := xmltree.Limits{Depth: maxDepth, Elements: maxNodes}.Parse(string(bytes.ToValidUTF8(data, []byte("?"))))
	if err != nil {
		return nil, fmt.Errorf("the SVG document cannot be read: %w", err)
	}
	if xmltree.Local(e.Name) != "svg" {
		return nil, errNoSVG
	}
	d := &document{root: svgdom.Build(e.Source(), e, nil, nil), ids: map[string]*node{}}
	var sheets []*node
	for n := range d.root.All() {
		if id := n.ID(); id != "" && d.ids[id] == nil {
			d.ids[id] = n
		}
		switch n.Type {
		case "style":
			sheets = append(sheets, n)
		case "animate", "animateTransform", "animateMotion", "animateColor", "set":
			d.moving = true
		}
		d.blends = d.blends || strings.Contains(n.Tag, "mix-blend")
	}
	d.Cascade = svgdom.NewCascade(svgdom.ReadRules(sheets))
	d.blends = d.blends || d.Sets("mix-blend-mode")
	return d, nil
}

// target returns the element of the document that another one refers to by its href, nil if there is none.
func (d *document) target(n *node) *node {
	if id, ok := n.Target(); ok {
		return d.ids[id]
	}
	return nil
}

// styled returns the style of an element whose parent has another one.
func (d *document) styled(parent *style, n *node) style {
	*d.Work -= 8 + len(n.Spans)
	return parent.Of(d.Cascade, n)
}

// colored returns the colour in a property of an element.
func (d *document) colored(n *node, key string) csscolor.Color {
	v := d.Value(n, key)
	if strings.EqualFold(v, "currentcolor") {
		v = d.Value(n, "color")
	}
	c, ok := csscolor.Parse(v)
	if !ok {
		p, _ := css.PropertyNamed(key)
		c, _ = csscolor.Parse(p.Initial)
	}
	return c
}

// opacity returns the opacity in a property of an element.
func (d *document) opacity(n *node, key string) float64 {
	return min(1, max(0, svgdom.Share(d.Value(n, key), 1)))
}
