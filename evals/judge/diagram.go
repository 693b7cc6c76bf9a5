package judge

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// node is any XML element.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []node     `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (n node) attr(name string) string { return attribute(n.Attrs, name) }

// child returns the first child of this name, or an empty node.
func (n node) child(name string) node {
	for _, c := range n.Children {
		if c.XMLName.Local == name {
			return c
		}
	}
	return node{}
}

// diagramFacts returns the facts of a draw.io file. Each begins with the page's name, with _ for spaces, and the cell's id. Labels are without
// their markup; the label of a line includes those that are cells on it:
//
//	Page-1/7 box "+ name: string" in "Customer"
//	Page-1/9 line "Customer" -> "Order" "places"
//	Page-1/9 style endArrow=block
//	Page-1/7 geometry height=26 width=160 x=0 y=26
//
// The other attributes of a cell are facts, too, as they are in the file.
func diagramFacts(data []byte) (facts []string, err error) {
	pages, err := readPages(data)
	for _, p := range pages {
		if p.name != "" {
			facts = append(facts, p.name+" page")
		}
		facts = append(facts, pageFacts(p.name, p.cells())...)
	}
	return facts, err
}

// diagramPage is a page of a draw.io file. Its name has _ for spaces, and is empty in a file without pages.
type diagramPage struct {
	name  string
	model node
}

func readPages(data []byte) (pages []diagramPage, err error) {
	var file node
	if err := xml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if file.XMLName.Local == "mxGraphModel" {
		return []diagramPage{{"", file}}, nil
	}
	for _, d := range file.Children {
		model := d.child("mxGraphModel")
		if text := strings.TrimSpace(d.Text); text != "" {
			if model, err = inflate(text); err != nil {
				return nil, err
			}
		}
		pages = append(pages, diagramPage{strings.ReplaceAll(d.attr("name"), " ", "_"), model})
	}
	if pages == nil {
		return nil, errors.New("it has no pages")
	}
	return pages, nil
}

// inflate reads a compressed page: base64 of raw deflate of percent-encoded XML.
func inflate(text string) (model node, err error) {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return model, err
	}
	escaped, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), 64<<20))
	if err != nil {
		return model, err
	}
	plain, err := url.PathUnescape(string(escaped))
	if err != nil {
		return model, err
	}
	return model, xml.Unmarshal([]byte(plain), &model)
}

// cell is an element of a page. Its attributes may be divided between the mxCell and an object around it.
type cell struct {
	id, label        string
	outer, inner     []xml.Attr
	geometry         node
	parent, from, to string
	style            string
	edge             bool
}

func (p diagramPage) cells() (cells []cell) {
	for _, n := range p.model.child("root").Children {
		c := cell{inner: n.Attrs, id: n.attr("id"), label: n.attr("value")}
		if inner := n.child("mxCell"); inner.XMLName.Local != "" {
			c.outer, c.inner, c.label = n.Attrs, inner.Attrs, n.attr("label")
			n = inner
		}
		c.geometry, c.edge = n.child("mxGeometry"), n.attr("edge") == "1"
		c.parent, c.from, c.to, c.style = n.attr("parent"), n.attr("source"), n.attr("target"), n.attr("style")
		c.label = plain(c.label)
		cells = append(cells, c)
	}
	return cells
}

func pageFacts(page string, cells []cell) (facts []string) {
	labels := map[string]string{}
	for _, c := range cells {
		labels[c.id] = c.label
	}
	for _, c := range cells {
		if i := slices.IndexFunc(cells, func(e cell) bool { return e.edge && e.id == c.parent }); i >= 0 {
			cells[i].label = strings.TrimSpace(cells[i].label + " " + c.label) // a label of its own on a line
		}
	}
	for _, c := range cells {
		at := page + "/" + c.id + " "
		if c.edge {
			facts = append(facts, fmt.Sprintf("%sline %q -> %q %q", at, labels[c.from], labels[c.to], c.label))
		} else {
			facts = append(facts, fmt.Sprintf("%sbox %q in %q", at, c.label, labels[c.parent]))
		}
		facts = append(facts, attributes(at, c.outer)...)
		facts = append(facts, attributes(at, c.inner)...)
		if c.geometry.XMLName.Local != "" {
			facts = append(facts, at+"geometry "+strings.Join(inline(c.geometry), " "))
		}
	}
	return facts
}

// inline returns the attributes of an element and of all in it.
func inline(n node) []string {
	out := attributes("", n.Attrs)
	for _, c := range n.Children {
		out = append(out, c.XMLName.Local)
		out = append(out, inline(c)...)
	}
	return out
}

var (
	markup = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// plain returns a label without its markup.
func plain(label string) string {
	text := strings.ReplaceAll(html.UnescapeString(markup.ReplaceAllString(label, " ")), "\u00a0", " ")
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}
