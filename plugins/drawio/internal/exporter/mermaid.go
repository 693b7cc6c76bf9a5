package exporter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/importer"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// exportMermaid writes a page as Mermaid text.
func exportMermaid(f *file, a pdk.Args) ([]byte, error) {
	s, err := readShot(f, a, maxWidth)
	if err != nil {
		return nil, err
	}
	ch := chartOf(s.page)
	if len(ch.Nodes)+len(ch.Groups) == 0 && ch.Sequence == nil && ch.Plan == nil {
		return nil, pdk.Errorf("page %s has no shapes to write", model.PageTitle(f, s.page)).TryQuery("pages")
	}
	return []byte(ch.Mermaid()), nil
}

// chartReader converts a page to a chart.
type chartReader struct {
	ch    *chart.Chart
	ids   map[*cell]string
	taken map[string]bool
}

// chartOf returns what a page shows: a sequence if it has participants, a plan if shapes
// have dates, classes or entities if most of its shapes are classes or entities, a mind
// map, or else a flowchart.
func chartOf(page *mxfile.Page) *chart.Chart {
	c := &chartReader{ch: &chart.Chart{Kind: chart.Flowchart}, ids: map[*cell]string{}, taken: map[string]bool{"end": true}}
	if t := model.SequenceOn(page); len(t.Participants) > 1 {
		c.sequence(t)
		return c.ch
	}
	if p := importer.PlanOn(page); p != nil {
		c.ch.Kind, c.ch.Plan = chart.Gantt, p
		for x := page.First(); x != nil; x = x.Next() {
			if x.Style == model.CaptionStyle {
				c.ch.Title = values.OneLine(x.Label())
			}
		}
		return c.ch
	}
	kinds := map[string]int{}
	shapes := 0
	for x := page.First(); x != nil; x = x.Next() {
		if x.Shape() && !model.InCompound(x) && x.Kind() != "text" && !model.IsGroup(x) {
			kinds[x.Kind()]++
			shapes++
		}
	}
	switch {
	case 2*kinds["class"] > shapes:
		c.ch.Kind = chart.Classes
	case 2*kinds["entity"] > shapes:
		c.ch.Kind = chart.Entities
	}
	c.shapes(page)
	lines, routes := arranger.Routes(page)
	if flow, _ := queries.Flows(lines, routes); flow == "to the right" && c.ch.Kind == chart.Flowchart {
		c.ch.Dir = "LR"
	}
	c.edges(page)
	if c.ch.Kind == chart.Flowchart && c.isMindMap(page) {
		c.ch.Kind, c.ch.Dir = chart.Mindmap, ""
	}
	return c.ch
}

// isMindMap reports whether a page is a mind map: curves with neither heads nor labels lead
// from one shape to all others, and each shape has only one such curve to it.
func (c *chartReader) isMindMap(page *mxfile.Page) bool {
	if len(c.ch.Groups) > 0 || len(c.ch.Nodes) < 2 || len(c.ch.Edges) != len(c.ch.Nodes)-1 {
		return false
	}
	for x := page.First(); x != nil; x = x.Next() {
		if x.Edge && !x.Style.Is("curved", "1") {
			return false
		}
	}
	from := map[string]string{}
	for _, e := range c.ch.Edges {
		if e.Tail != "none" || e.Head != "none" || e.Label != "" || from[e.To] != "" {
			return false
		}
		from[e.To] = e.From
	}
	for _, n := range c.ch.Nodes { // no cycle apart from the tree
		at, steps := n.ID, 0
		for from[at] != "" && steps < len(c.ch.Nodes) {
			at, steps = from[at], steps+1
		}
		if steps == len(c.ch.Nodes) {
			return false
		}
	}
	return true
}

// id returns a name for a cell that Mermaid accepts: the letters and digits of its label,
// with a number if that name is taken.
func (c *chartReader) id(x *cell) string {
	if id, ok := c.ids[x]; ok {
		return id
	}
	name := x.Name()
	if kind, rest, ok := strings.Cut(name, "\n"); ok && strings.HasPrefix(kind, "«") { // the stereotype of a class
		name = rest
	}
	id := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') {
			return r
		}
		return -1
	}, values.OneLine(name))
	if id == "" || unicode.IsDigit(rune(id[0])) {
		id = "n" + id
	}
	id = id[:min(len(id), 40)]
	for base, i := id, 2; c.taken[strings.ToLower(id)]; i++ {
		id = fmt.Sprintf("%s_%d", base, i)
	}
	c.taken[strings.ToLower(id)], c.ids[x] = true, id
	return id
}

// shapes adds the nodes and groups, each to its enclosing group.
func (c *chartReader) shapes(page *mxfile.Page) {
	groups := map[*cell]int{}
	within := func(x *cell) int {
		for o := x.Owner(); o != nil; o = o.Owner() {
			if i, ok := groups[o]; ok {
				return i
			}
		}
		return -1
	}
	for x := page.First(); x != nil; x = x.Next() {
		switch {
		case !x.Shape() || model.InCompound(x) || !model.IsSolid(x) && x.Degree() == 0:
		case model.IsGroup(x) && c.ch.Kind == chart.Flowchart:
			groups[x] = len(c.ch.Groups)
			c.ch.Groups = append(c.ch.Groups, chart.Group{ID: c.id(x), Label: x.Label(), Parent: within(x)})
		case !model.IsGroup(x):
			n := chart.Node{ID: c.id(x), Label: x.Label(), Shape: x.Kind(), Group: within(x)}
			n.Fields, n.Methods = membersOf(x)
			c.ch.Nodes = append(c.ch.Nodes, n)
		}
	}
}

// membersOf returns the fields and methods of a class, or the fields of an entity.
func membersOf(x *cell) (fields, methods []string) {
	if x.ID == "" {
		return nil, nil
	}
	ruled := false
	for _, k := range x.Page.Children(x.ID) {
		switch {
		case x.Kind() == "class" && k.Style.Bare("line"):
			ruled = true
		case x.Kind() == "class" && k.Label() != "" && (ruled || strings.Contains(k.Label(), "(")):
			methods = append(methods, k.Label())
		case x.Kind() == "class" && k.Label() != "":
			fields = append(fields, k.Label())
		case x.Kind() == "entity" && k.ID != "":
			var words []string
			for _, f := range x.Page.Children(k.ID) {
				if f.Label() != "" {
					words = append(words, f.Label())
				}
			}
			if len(words) > 0 {
				fields = append(fields, strings.Join(words, " "))
			}
		}
	}
	return fields, methods
}

// edges adds the edges between cells of the chart.
func (c *chartReader) edges(page *mxfile.Page) {
	for x := page.First(); x != nil; x = x.Next() {
		if !x.Edge {
			continue
		}
		from, to := model.Ends(x)
		if from == nil || to == nil {
			continue
		}
		a, known := c.ids[model.Outermost(from)]
		b, too := c.ids[model.Outermost(to)]
		if !known || !too {
			continue
		}
		e := chart.Edge{From: a, To: b, Label: model.EdgeLabel(x), Relation: x.Style.Relation(), Tail: "none", Head: "none"}
		tail, _ := x.Style.Get("startArrow")
		head, ok := x.Style.Get("endArrow")
		if !ok {
			head = "classic"
		}
		if c.ch.Kind == chart.Flowchart { // Mermaid has few heads for flowcharts
			tail, head = plainHead(tail), plainHead(head)
		}
		if tail != "" {
			e.Tail = tail
		}
		e.Head = head
		switch {
		case x.Style.Is("dashed", "1"):
			e.Line = "dashed"
		case x.Style.Is("strokeWidth", "3"):
			e.Line = "thick"
		}
		if c.ch.Kind == chart.Classes {
			for _, k := range page.Children(x.ID) {
				switch {
				case !k.Vertex || x.Label() == "" && k.Label() == e.Label && k.Geo.X > -0.5 && k.Geo.X < 0.5:
				case k.Geo.X < -0.5:
					e.TailText = k.Label()
				case k.Geo.X > 0.5:
					e.HeadText = k.Label()
				}
			}
			if x.Label() == "" && (e.Label == e.TailText || e.Label == e.HeadText) {
				e.Label = ""
			}
		}
		c.ch.Edges = append(c.ch.Edges, e)
	}
}

// plainHead returns the nearest head that Mermaid's flowcharts have.
func plainHead(head string) string {
	switch {
	case head == "" || head == "none" || strings.HasPrefix(head, "ER"):
		return "none"
	case strings.HasPrefix(head, "oval") || strings.HasPrefix(head, "circle"):
		return "circle"
	case head == "cross":
		return "cross"
	}
	return "classic"
}

// sequence reads the sequence of a page, from the top down.
func (c *chartReader) sequence(t *model.Sequence) {
	s := &chart.Sequence{}
	c.ch.Kind, c.ch.Sequence = chart.Messages, s
	index := map[*cell]int{}
	for i, p := range t.Participants {
		index[p] = i
		s.Participants = append(s.Participants, chart.Participant{ID: c.id(p), Label: p.Label(), Actor: p.Style.Is("participant", "umlActor")})
	}
	for _, m := range sequence.NewTimeline(t, nil).Moments {
		step := chart.Step{Kind: m.Kind, Text: m.Text}
		switch m.Kind {
		case chart.Message:
			c.message(m, index, &step)
		case chart.Note:
			c.noteSide(m, t, &step)
		case chart.Activate, chart.Deactivate:
			step.From = index[m.Span.Who]
			step.To = step.From
		case chart.Open, chart.Close, chart.Section:
			step.Frame = strings.ToLower(m.Span.C.Label())
			if !slices.Contains(chart.Frames(), step.Frame) || m.Kind == chart.Section && chart.SectionWord(step.Frame) == "" {
				continue
			}
		}
		s.Steps = append(s.Steps, step)
	}
}

// message converts a message to a step of the chart.
func (c *chartReader) message(m *sequence.Moment, index map[*cell]int, step *chart.Step) {
	from, to := model.Ends(m.C)
	head, ok := m.C.Style.Get("endArrow")
	switch {
	case head == "none" || head == "cross" || head == "open":
	case strings.HasPrefix(head, "open") || head == "async":
		head = "open"
	case !ok || head != "":
		head = "block"
	}
	tail, _ := m.C.Style.Get("startArrow")
	step.Both = tail != "" && tail != "none" && tail != "oval"
	step.From, step.To, step.Head, step.Dashed = index[model.Participant(from)], index[model.Participant(to)], head, m.C.Style.Is("dashed", "1")
}

// noteSide sets the participants that a note is over or beside.
func (c *chartReader) noteSide(m *sequence.Moment, t *model.Sequence, step *chart.Step) {
	r := m.C.Abs()
	step.From, step.To, step.Side = -1, -1, "over"
	for i, p := range t.Participants {
		if mid := p.Abs().Center().X; mid >= r.X && mid <= r.Right() {
			if step.From < 0 {
				step.From = i
			}
			step.To = i
		}
	}
	if step.From >= 0 {
		return
	}
	step.Side = "right" // of the nearest participant to the left
	for i, p := range t.Participants {
		if p.Abs().Center().X < r.X {
			step.From, step.To = i, i
		}
	}
	if step.From < 0 {
		step.Side, step.From, step.To = "left", 0, 0
	}
}
