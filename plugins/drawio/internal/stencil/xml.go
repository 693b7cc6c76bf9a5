package stencil

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Set converts a stencil file of draw.io to the lines that Find reads, one for each stencil, sorted by name. The names do
// not include the name of the set.
func Set(file string) (name, lines string, err error) {
	root, err := xmltree.Parse(file)
	if err != nil {
		return "", "", err
	}
	var out []string
	for _, s := range root.Children {
		name, _ := s.Attr("name")
		head, ops, err := convert(s)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, strings.ReplaceAll(strings.ToLower(name), " ", "_")+"\t"+head+"\t"+ops)
	}
	sort.Strings(out)
	name, _ = root.Attr("name")
	return name, strings.Join(out, "\n"), nil
}

// Read reads a stencil that is embedded in a style.
func Read(shape string) (Stencil, error) {
	root, err := xmltree.Parse(shape)
	if err != nil {
		return Stencil{}, err
	}
	head, ops, err := convert(root)
	if err != nil {
		return Stencil{}, err
	}
	return parse(head, ops), nil
}

// convert converts a stencil to our data format.
func convert(e *xmltree.Element) (head, ops string, err error) {
	w := &writer{}
	head = w.shape(element{e})
	return head, w.b.String(), w.err
}

// element is an XML element of a stencil.
type element struct{ *xmltree.Element }

func (e element) attr(name string) string {
	v, _ := e.Attr(name)
	return v
}

// num returns the number in an attribute; 0 if it is invalid or far too large.
func (e element) num(name string) float64 {
	f, err := strconv.ParseFloat(e.attr(name), 64)
	if err != nil || !(math.Abs(f) < 1e6) {
		return 0
	}
	return f
}

func (e element) child(name string) []*xmltree.Element {
	if c := e.Child(name); c != nil {
		return c.Children
	}
	return nil
}

// writer writes one stencil.
type writer struct {
	b    strings.Builder
	grid float64
	x, y int
	last string // last command of a path; equal commands in a row are written once
	err  error
}

// shape writes the commands of a stencil and returns its head: size, proportions, line width.
func (w *writer) shape(s element) string {
	width, height := s.num("w"), s.num("h")
	if width <= 0 {
		width = 100
	}
	if height <= 0 {
		height = 100
	}
	w.grid = Grid(width, height)
	fixed := "v"
	if s.attr("aspect") == "fixed" {
		fixed = "f"
	}
	stroke := s.attr("strokewidth")
	if stroke == "inherit" {
		stroke = "i"
	}
	if stroke == "" {
		stroke = "1"
	}
	w.nodes(s.child("background"))
	w.nodes(s.child("foreground"))
	return short(width) + " " + short(height) + " " + fixed + " " + strings.ReplaceAll(stroke, " ", "")
}

func (w *writer) nodes(list []*xmltree.Element) {
	for _, n := range list {
		w.node(element{n})
	}
}

func (w *writer) node(n element) {
	last := w.last
	w.last = ""
	at := func(names ...string) {
		for _, name := range names {
			w.b.WriteString(gap(int(math.Round(n.num(name) * w.grid))))
		}
	}
	switch name := n.Name; name {
	case "path":
		w.b.WriteString("p")
		w.x, w.y = 0, 0
		w.nodes(n.Children)
	case "move", "line", "quad", "curve", "arc":
		w.step(n, last)
	case "close":
		w.b.WriteString("z")
	case "rect":
		w.b.WriteString("r")
		at("x", "y", "w", "h")
	case "roundrect":
		w.b.WriteString("o")
		at("x", "y", "w", "h")
		w.b.WriteString(" " + short(n.num("arcsize")))
	case "ellipse":
		w.b.WriteString("e")
		at("x", "y", "w", "h")
	case "stroke":
		w.b.WriteString("S")
	case "fill":
		w.b.WriteString("F")
	case "fillstroke":
		w.b.WriteString("B")
	case "save":
		w.b.WriteString("(")
	case "restore":
		w.b.WriteString(")")
	case "fillcolor":
		w.word("f", n.attr("color"))
	case "strokecolor":
		w.word("s", n.attr("color"))
	case "fontcolor":
		w.word("t", n.attr("color"))
	case "fontsize":
		w.word("u", n.attr("size"))
	case "fontstyle":
		w.word("v", n.attr("style"))
	case "alpha":
		w.word("A", n.attr("alpha"))
	case "fillalpha":
		w.word("G", n.attr("alpha"))
	case "strokealpha":
		w.word("H", n.attr("alpha"))
	case "strokewidth":
		v := n.attr("width")
		if n.attr("fixed") == "1" {
			v = "=" + v
		}
		w.word("w", v)
	case "dashed":
		w.word("d", n.attr("dashed"))
	case "dashpattern":
		w.word("D", n.attr("pattern"))
	case "linejoin":
		w.word("j", n.attr("join"))
	case "linecap":
		w.word("k", n.attr("cap"))
	case "miterlimit":
		w.word("y", n.attr("limit"))
	case "text":
		w.b.WriteString("x")
		at("x", "y")
		w.word("", n.attr("align")+","+n.attr("valign")+","+n.attr("rotation")+","+n.attr("str"))
	case "image", "fontfamily", "include-shape":
		// No stencil of the libraries that are kept contains images or other stencils, and all text is in one font family.
	default:
		w.err = fmt.Errorf("unknown element %s", name)
	}
}

// step writes one command of a path, relative to the end of the previous one. last is the previous command.
func (w *writer) step(n element, last string) {
	pair := func(x, y string) (int, int) {
		return int(math.Round(n.num(x) * w.grid)), int(math.Round(n.num(y) * w.grid))
	}
	put := func(x, y int) {
		w.b.WriteString(gap(x-w.x) + gap(y-w.y))
	}
	command := n.Name[:1]
	if command != last {
		w.b.WriteString(command)
	}
	w.last = command
	switch command {
	case "q":
		put(pair("x1", "y1"))
		x, y := pair("x2", "y2")
		put(x, y)
		w.x, w.y = x, y
		return
	case "c":
		put(pair("x1", "y1"))
		put(pair("x2", "y2"))
		x, y := pair("x3", "y3")
		put(x, y)
		w.x, w.y = x, y
		return
	case "a":
		rx, ry := pair("rx", "ry")
		w.b.WriteString(gap(rx) + gap(ry) + " " + short(n.num("x-axis-rotation")) + " " + flag(n.attr("large-arc-flag")) + " " + flag(n.attr("sweep-flag")))
	}
	x, y := pair("x", "y")
	put(x, y)
	w.x, w.y = x, y
}

// word writes a command with a text, up to the first semicolon.
func (w *writer) word(command, text string) {
	w.b.WriteString(command + strings.NewReplacer(";", ",", "\n", " ", "\t", " ").Replace(text) + ";")
}

// gap returns a number to write after another one: with a space before it, unless its sign separates them.
func gap(n int) string {
	if n < 0 {
		return strconv.Itoa(n)
	}
	return " " + strconv.Itoa(n)
}

func flag(s string) string {
	if s == "1" {
		return "1"
	}
	return "0"
}

func short(f float64) string { return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64) }
