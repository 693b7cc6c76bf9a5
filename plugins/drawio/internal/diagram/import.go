package diagram

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

type sessionVerb = pdk.SessionVerb[*file]

func importVerb() sessionVerb {
	return sessionVerb{Run: runImport, Session: abi.Session{
		Name: "import", Syntax: "import mermaid|csv PATH", Brief: "import mermaid|csv PATH · onto the page, laid out", Summary: "add a mermaid flowchart, or a table of nodes and edges, to the current page, laid out", File: 2,
	}}
}

func runImport(c *ctx, a pdk.Args, data []byte) error {
	readers := map[string]func(string) (*chart.Chart, error){"mermaid": chart.Mermaid, "csv": chart.CSV}
	kind, ok := pdk.OneOf(a.Text(0), []string{"mermaid", "csv"})
	if !ok || len(a.Positionals) != 2 {
		err := pdk.Errorf("import takes mermaid or csv, and a path")
		if len(a.Positionals) == 2 {
			err.Instead(a.Text(0), pdk.Nearest(a.Text(0), []string{"mermaid", "csv"})...)
		}
		return err
	}
	read := readers[kind]
	if !utf8.Valid(data) {
		return pdk.Errorf("%s is not UTF-8 text", oneLine(a.Text(1)))
	}
	ch, err := read(string(data))
	if err != nil {
		return pdk.Errorf("%s: %v", oneLine(a.Text(1)), err)
	}
	if len(ch.Nodes)+len(ch.Groups) == 0 {
		return pdk.Errorf("%s holds no nodes", oneLine(a.Text(1)))
	}
	for _, n := range ch.Nodes {
		if _, ok := style.ShapeNamed(n.Shape); !ok && n.Shape != "" {
			return unreadType(oneLine(a.Text(1)), n)
		}
	}
	layer, err := ensureLayer(c)
	if err != nil {
		return err
	}
	im := &importer{c: c, ch: ch, guess: kind == "csv", layer: layer}
	if err := im.add(); err != nil {
		return err
	}
	if err := im.arrange(); err != nil {
		return err
	}
	what := plural(len(ch.Nodes), "shape") + " and " + plural(im.edges, "edge")
	if len(ch.Groups) > 0 {
		what += " in " + plural(len(ch.Groups), "group")
	}
	c.Bulk("imported %s from %s, now %s", what, oneLine(a.Text(1)), box(boundsOf(im.top())))
	return nil
}

// unreadType refuses a node of a file whose type is none.
func unreadType(file string, n chart.Node) error {
	err := pdk.Errorf("%s: line %d: %s has the unknown type %q", file, n.Line, oneLine(n.Label), oneLine(n.Shape))
	if kind := style.Synonym(n.Shape); kind != "" {
		err.Message += "; it is called " + kind + " here"
		return err
	}
	err.Message += "; types: " + strings.Join(style.Order(), " ")
	return err
}

// importer adds a chart to the current page.
type importer struct {
	c      *ctx
	ch     *chart.Chart
	guess  bool // types from labels where the chart names none
	layer  string
	groups []string // ids, by group
	nodes  map[string]string
	edges  int
}

// add puts everything on the page, side by side below what is there.
func (im *importer) add() error {
	f := im.c.Model
	page := f.Current
	d := f.Draft()
	at := geom.Point{X: 40, Y: 40}
	if b := count(page).bounds; b.W > 0 || b.H > 0 {
		at = geom.Point{X: math.Round(b.X), Y: math.Round(b.Bottom()) + 60}
	}
	var ids []string
	filled := make([]int, len(im.ch.Groups)+1) // by group, the page last
	spot := func(in int) geom.Point {
		if in < 0 {
			in = len(im.ch.Groups)
		}
		i := filled[in]
		filled[in]++
		p := geom.Point{X: float64(i%40) * 320, Y: float64(i/40) * 400}
		if in == len(im.ch.Groups) {
			return geom.Point{X: at.X + p.X, Y: at.Y + p.Y}
		}
		return geom.Point{X: p.X + padding, Y: p.Y + header}
	}
	parent := func(in int) string {
		if in < 0 {
			return im.layer
		}
		return im.groups[in]
	}
	for _, g := range im.ch.Groups {
		id := d.NewID()
		p := spot(g.Parent)
		d.Append(page, id, mxfile.NewVertex(id, mxfile.LabelValue(g.Label, true), groupStyle, parent(g.Parent), geom.Rect{X: p.X, Y: p.Y, W: 200, H: 120}))
		im.groups, ids = append(im.groups, id), append(ids, eventID(page.Key, id))
	}
	im.nodes = make(map[string]string, len(im.ch.Nodes))
	for _, n := range im.ch.Nodes {
		kind := n.Shape
		if kind == "" {
			if kind = "box"; im.guess {
				kind = style.Guess(n.Label)
			}
		}
		t, _ := style.ShapeNamed(kind) // runImport refuses what is none
		id := d.NewID()
		p := spot(n.Group)
		r := geom.Rect{X: p.X, Y: p.Y, W: t.W, H: t.H}
		if !t.Style.Is("aspect", "fixed") {
			r.W = math.Min(260, math.Max(t.W, math.Ceil(widest(n.Label)/10)*10+30))
		}
		d.Append(page, id, mxfile.NewVertex(id, mxfile.LabelValue(n.Label, true), t.Style, parent(n.Group), r))
		im.nodes[n.ID], ids = id, append(ids, eventID(page.Key, id))
	}
	for _, e := range im.ch.Edges {
		if e.Line == "hidden" {
			continue
		}
		s := edgeStyle
		switch e.Line {
		case "dashed":
			s = s.Set("dashed", "1")
		case "thick":
			s = s.Set("strokeWidth", "3")
		}
		if e.Tail != "none" {
			s = style.SetHead(s, "start", e.Tail)
		}
		s = style.SetHead(s, "end", e.Head)
		id := d.NewID()
		d.Append(page, id, mxfile.NewEdge(id, mxfile.LabelValue(e.Label, true), s, im.layer, im.end(e.From), im.end(e.To)))
		im.edges++
	}
	return im.c.Do(d.Edit(), line("import "+plural(len(im.ch.Nodes), "shape")), ids...)
}

// widest is how wide a label is at draw.io's usual size.
func widest(label string) float64 {
	w := 0.0
	for l := range strings.SplitSeq(label, "\n") {
		w = math.Max(w, svg.Width(l, 12, false))
	}
	return w
}

// end is the id of the cell that an edge of the chart names.
func (im *importer) end(id string) string {
	if made, ok := im.nodes[id]; ok {
		return made
	}
	return im.groups[im.ch.Group(id)]
}

// top are the new cells that lie in no new group.
func (im *importer) top() []*cell {
	page := im.c.Model.Current
	var out []*cell
	for i, g := range im.ch.Groups {
		if g.Parent < 0 {
			out = append(out, page.Cell(im.groups[i]))
		}
	}
	for _, n := range im.ch.Nodes {
		if n.Group < 0 {
			out = append(out, page.Cell(im.nodes[n.ID]))
		}
	}
	return out
}

// arrange lays out what was added.
func (im *importer) arrange() error {
	dir := layout.TB
	for i, name := range layoutDirs() {
		if name == im.ch.Dir {
			dir = layout.Dir(i)
		}
	}
	d := im.c.Model.Draft()
	l := &arranger{d: d, algo: "layered", o: layout.Options{Dir: dir}, grown: map[*cell]geom.Rect{}}
	l.arrange(im.top())
	e := d.Edit()
	if e == nil {
		return nil
	}
	return im.c.Do(e, "layout of the import")
}
