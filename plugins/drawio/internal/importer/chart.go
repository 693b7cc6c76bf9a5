package importer

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mindmap"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func ImportVerb() pdk.SessionAction[*file] {
	return pdk.SessionAction[*file]{Run: runImport, Session: abi.Session{
		Name: "import", Syntax: "import mermaid|plantuml|csv|library PATH", Brief: "import mermaid|plantuml|csv|library PATH · onto the page; a library's shapes as types", Summary: "add a diagram of mermaid or PlantUML, or a table of nodes and edges, to the current page, laid out; or the shapes of a library of draw.io as types", File: 2,
	}}
}

func runImport(c *ctx, a pdk.Args, data []byte) error {
	readers := map[string]func(string) (*chart.Chart, error){"mermaid": chart.Mermaid, "plantuml": chart.PlantUML, "csv": chart.CSV}
	kinds := []string{"mermaid", "plantuml", "csv", "library"}
	kind, ok := pdk.OneOf(a.Text(0), kinds)
	if !ok || len(a.Positionals) != 2 {
		err := pdk.Errorf("import takes mermaid, plantuml, csv or library, and a path")
		if len(a.Positionals) == 2 {
			err.Instead(a.Text(0), pdk.Nearest(a.Text(0), kinds)...)
		}
		return err
	}
	from := values.OneLine(a.Text(1))
	if !utf8.Valid(data) {
		return pdk.Errorf("%s is not UTF-8 text", from)
	}
	if kind == "library" {
		return importLibrary(c, from, string(data))
	}
	ch, err := readers[kind](string(data))
	if err != nil {
		return pdk.Errorf("%s: %v", from, err)
	}
	what, err := drawChart(c, ch, from, kind == "csv")
	if err == nil {
		c.Bulk("imported %s from %s, now %s", what, from, values.Box(model.Count(c.Model.Current).Bounds))
	}
	return err
}

// mermaidEnd and plantEnd close the texts of the verbs mermaid and plantuml.
const (
	mermaidEnd = "end mermaid"
	plantEnd   = "@enduml"
)

func MermaidVerb() verb {
	return verb{Run: chartText("mermaid", chart.Mermaid), Verb: abi.Verb{
		Syntax: "mermaid", Block: mermaidEnd, Category: "shapes",
		Summary:  "draw a mermaid text, laid out: flowchart, sequenceDiagram, classDiagram, erDiagram, stateDiagram-v2, mindmap, gantt",
		Brief:    "mermaid · draws flowchart, sequence, class, ER, state, mindmap, gantt",
		Examples: []string{"mermaid\nsequenceDiagram\nShop->>+Bank: charge\nBank-->>-Shop: receipt\n" + mermaidEnd},
	}}
}

func PlantVerb() verb {
	return verb{Run: chartText("plantuml", chart.PlantUML), Verb: abi.Verb{
		Syntax: "plantuml", Block: plantEnd, Category: "shapes",
		Summary:  "draw a PlantUML text, laid out: a sequence or classes",
		Brief:    "plantuml · draws a sequence or classes",
		Examples: []string{"plantuml\nShop -> Bank: charge\nBank --> Shop: receipt\n" + plantEnd},
	}}
}

// chartText runs a verb whose block is a diagram as text.
func chartText(verb string, read func(string) (*chart.Chart, error)) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		ch, err := read(strings.Join(a.Block, "\n"))
		if err != nil {
			return pdk.Errorf("%s: %v", verb, err)
		}
		what, err := drawChart(c, ch, verb, false)
		if err == nil {
			c.Bulk("drew %s, now %s", what, values.Box(model.Count(c.Model.Current).Bounds))
		}
		return err
	}
}

// drawChart adds a chart to the current page, below the existing content, and returns a
// description of the chart. from names the text in refusals.
func drawChart(c *ctx, ch *chart.Chart, from string, guess bool) (string, error) {
	layer, err := edit.EnsureLayer(c)
	if err != nil {
		return "", err
	}
	page := c.Model.Current
	at := geom.Point{X: 40, Y: 40}
	if b := model.Count(page).Bounds; b.W > 0 || b.H > 0 {
		at = geom.Point{X: math.Round(b.X), Y: math.Round(b.Bottom()) + 60}
	}
	switch {
	case ch.Sequence != nil:
		l := &sequence.Drawing{D: c.Model.Draft(), Page: page, Layer: layer, S: ch.Sequence, At: at}
		ids := l.Draw(ch.Title)
		messages := 0
		for _, s := range ch.Sequence.Steps {
			if s.Kind == chart.Message {
				messages++
			}
		}
		return "a sequence of " + pdk.Count(messages, "message") + " among " + pdk.Count(len(ch.Sequence.Participants), "participant"), c.Do(l.D.Edit(), "draw a sequence", ids...)
	case ch.Plan != nil && len(ch.Plan.Tasks) > 0:
		d := c.Model.Draft()
		ids := drawPlan(d, page, layer, ch, at)
		return "a plan of " + pdk.Count(len(ch.Plan.Tasks), "task"), c.Do(d.Edit(), "draw a plan", ids...)
	case len(ch.Nodes)+len(ch.Groups) == 0:
		return "", pdk.Errorf("%s holds no nodes", from)
	}
	for _, n := range ch.Nodes {
		if _, ok := style.ShapeNamed(n.Shape); !ok && n.Shape != "" && n.Shape != "bar" {
			return "", unknownNodeType(from, n)
		}
	}
	im := &importer{c: c, ch: ch, guess: guess, layer: layer, at: at}
	if err := im.add(); err != nil {
		return "", err
	}
	if err := im.arrange(); err != nil {
		return "", err
	}
	what := pdk.Count(len(ch.Nodes), "shape") + " and " + pdk.Count(im.edges, "edge")
	if len(ch.Groups) > 0 {
		what += " in " + pdk.Count(len(ch.Groups), "group")
	}
	return what, nil
}

// unknownNodeType returns the error for a node of a file that has an unknown type.
func unknownNodeType(file string, n chart.Node) error {
	err := pdk.Errorf("%s: line %d: %s has the unknown type %q", file, n.Line, values.OneLine(n.Label), values.OneLine(n.Shape))
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
	guess  bool // guess types from labels if the chart has none
	layer  string
	at     geom.Point // place of the first node
	groups []string   // by group: its id
	nodes  map[string]string
	edges  int
}

// add draws everything on the page, side by side below the existing content.
func (im *importer) add() error {
	f := im.c.Model
	page := f.Current
	d := f.Draft()
	at := im.at
	var ids []string
	filled := make([]int, len(im.ch.Groups)+1) // by group, the page last: number of cells so far
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
		return geom.Point{X: p.X + placement.Padding, Y: p.Y + placement.Header}
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
		d.Append(page, id, mxfile.NewVertex(id, mxfile.LabelValue(g.Label, true), edit.GroupStyle, parent(g.Parent), geom.Rect{X: p.X, Y: p.Y, W: 200, H: 120}))
		im.groups, ids = append(im.groups, id), append(ids, model.EventID(page.Key, id))
	}
	im.nodes = make(map[string]string, len(im.ch.Nodes))
	for _, n := range im.ch.Nodes {
		kind := n.Shape
		if kind == "" {
			if kind = "box"; im.guess {
				kind = style.Guess(n.Label)
			}
		}
		id := d.NewID()
		p := spot(n.Group)
		look, plan, r := im.node(n, kind)
		r.X, r.Y = p.X, p.Y
		d.Append(page, id, mxfile.NewVertex(id, mxfile.LabelValue(n.Label, true), look, parent(n.Group), r))
		plan.Build(d, page, id, r.W, r.H)
		im.nodes[n.ID], ids = id, append(ids, model.EventID(page.Key, id))
	}
	for _, e := range im.ch.Edges {
		if e.Line == "hidden" {
			continue
		}
		im.draftEdge(d, e)
		im.edges++
	}
	return im.c.Do(d.Edit(), "import "+pdk.Count(len(im.ch.Nodes), "shape"), ids...)
}

// draftEdge drafts an edge of the chart and the texts at its ends.
func (im *importer) draftEdge(d *mxfile.Draft, e chart.Edge) {
	page := im.c.Model.Current
	s := lineStyle(e)
	if im.ch.Kind == chart.Mindmap {
		s = mindmap.BranchStyle()
	}
	id := d.NewID()
	d.Append(page, id, mxfile.NewEdge(id, mxfile.LabelValue(e.Label, true), s, im.layer, im.end(e.From), im.end(e.To)))
	edit.EndTexts{Source: &e.TailText, Target: &e.HeadText}.DraftNew(d, page, id)
}

// lineStyle returns the style of an edge of a chart: its line, and its heads or its
// relation.
func lineStyle(e chart.Edge) style.Style {
	s := edit.PlainEdge
	switch e.Line {
	case "dashed":
		s = s.Set("dashed", "1")
	case "thick":
		s = s.Set("strokeWidth", "3")
	}
	if e.Relation != "" {
		s, _ = style.WithRelation(s, e.Relation)
	} else {
		if e.Tail != "none" {
			s = style.SetHead(s, "start", e.Tail)
		}
		s = style.SetHead(s, "end", e.Head)
	}
	return s
}

// node returns the style and size of a node, and the plan of its parts.
func (im *importer) node(n chart.Node, kind string) (look style.Style, plan compound.Plan, r geom.Rect) {
	if kind == "bar" { // a fork or a join
		t, _ := style.ShapeNamed("box")
		return t.Style.Set("fillColor", "#000000").Set("strokeColor", "#000000"), plan, geom.Rect{W: 120, H: 8}
	}
	t, _ := style.ShapeNamed(kind) // drawChart refuses unknown types
	look, r = t.Style, geom.Rect{W: t.W, H: t.H}
	wide := math.Ceil(model.LabelWidth(n.Label)/10) * 10
	switch kind {
	case "class", "entity":
		plan = compound.Plan{Kind: kind, Fields: n.Fields, Methods: n.Methods}
		if strings.Contains(n.Label, "\n") && kind == "class" {
			plan.Head = compound.ClassHead + model.LineHeight
			look = look.Set("startSize", mxfile.Num(plan.Head))
		}
		if kind == "entity" && len(n.Fields) == 0 {
			plan.Fields = []string{"PK id"}
		}
		plan.Measure()
		keys := 0.0
		if kind == "entity" {
			keys = compound.KeyWidth
		}
		for _, f := range append(append([]string{n.Label}, n.Fields...), n.Methods...) {
			wide = math.Max(wide, math.Ceil((model.LabelWidth(f)+keys)/10)*10)
		}
		return look, plan, geom.Rect{W: math.Min(400, math.Max(t.W, wide+20)), H: plan.H}
	case "initial", "final":
		return look, plan, r
	case "note":
		return look.Set("fillColor", "#fff2cc").Set("strokeColor", "#d6b656"), plan, geom.Rect{W: math.Max(100, math.Min(260, wide+20)), H: 24 + model.LineHeight*model.LineCount(n.Label)}
	}
	if im.ch.Kind == chart.Mindmap {
		return im.branch(n, look)
	}
	if n.Label == "" { // a choice
		return look, plan, geom.Rect{W: 40, H: 40}
	}
	if !look.Is("aspect", "fixed") {
		r.W = math.Min(260, math.Max(t.W, wide+30))
	}
	return look, plan, r
}

// branch returns the style and size of a node of a mind map, in the colour of its branch.
func (im *importer) branch(n chart.Node, look style.Style) (style.Style, compound.Plan, geom.Rect) {
	of := 0
	for _, m := range im.ch.Nodes {
		if m.Level == 1 {
			of++
		}
		if m.ID == n.ID {
			break
		}
	}
	look, r := mindmap.TopicStyle(n.Level, n.Label, mindmap.BranchThemes()[max(0, of-1)%len(mindmap.BranchThemes())], look)
	return look, compound.Plan{}, r
}

// end returns the id of the cell that an edge of the chart names.
func (im *importer) end(id string) string {
	if made, ok := im.nodes[id]; ok {
		return made
	}
	return im.groups[im.ch.Group(id)]
}

// top returns the new cells that lie in no new group.
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
	dir, algo := layout.TB, "layered"
	if im.ch.Kind == chart.Mindmap {
		algo = "mind"
	}
	for i, name := range arranger.Dirs() {
		if name == im.ch.Dir {
			dir = layout.Dir(i)
		}
	}
	d := im.c.Model.Draft()
	arranger.Order{Algo: algo, Options: layout.Options{Dir: dir}}.Arrange(d, im.top())
	if e := d.Edit(); e != nil {
		if err := im.c.Do(e, "layout of the import"); err != nil {
			return err
		}
	}
	return arranger.SettleEnds(im.c, arranger.EdgesOf(im.top()))
}
