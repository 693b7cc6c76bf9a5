package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func connectVerb() verb {
	heads := strings.Join(style.HeadNames(), "|")
	return verb{Run: runConnect, Keys: []pdk.Parameter{
		values.Text("label", "TEXT"), sourceLabel, targetLabel, values.Text("style", "FLAG,FLAG…: "+strings.Join(style.LineFlags(), " ")),
		values.Text("exit", "FACE[@0-1]: left|right|top|bottom"), values.Text("entry", "FACE[@0-1]"), values.Text("source-arrow", heads), values.Text("target-arrow", heads),
		values.Text("theme", "THEME; stroke: startArrow: endSize: and all other keys of style"), edit.Via,
		values.Text("like", "A->B or an id: with the ends, dashes and colours of that edge"),
		values.Text("after", "TEXT of the message or frame of a sequence that this one goes below"), values.Text("before", "TEXT of the one that it goes above"),
	}, Verb: abi.Verb{
		Syntax:  "connect REF ARROW REF [ARROW REF]… [FLAG…] [label:] [source-label:] [target-label:] [style:] [exit:FACE[@F]] [entry:FACE[@F]] [source-arrow:] [target-arrow:] [theme:] [via:X,Y;X,Y] [like:EDGE] [key:value…] [after:MESSAGE|before:MESSAGE]",
		Brief:   "connect REF ARROW REF [ARROW REF]… [FLAG… label: source-label: target-label: exit:left target-arrow: like:EDGE via:X,Y key:…] · ARROW: -> <- <-> -- or a relation: " + strings.Join(style.RelationNames(), " "),
		Summary: "draw edges; ARROW is -> <- <-> or --, or the relation of the first shape to the second: " + strings.Join(style.RelationNames(), " "), Category: "edges",
		Examples: []string{"connect AuthService -> UserDB label:queries", "connect A -> B -> C style:dashed", "connect A <-> B exit:right entry:left@0.25", "connect A -- B target-arrow:diamond", "connect A inherits B", `connect A -- B label:owns source-label:1 target-label:"0..*"`, "connect A has-many C label:keeps", "connect A -> C like:A->B startArrow:ERmandOne", "connect Shop -> Bank label:charge after:order"},
	}}
}

// The labels at the ends of an edge.
var (
	sourceLabel = values.Text(model.SourceLabel, "TEXT beside that end: a multiplicity, cardinality or role")
	targetLabel = values.Text(model.TargetLabel, sourceLabel.Type.Takes)
)

func runConnect(c *ctx, a pdk.Args) error {
	f := c.Model
	a = withLineFlags(f, a)
	stops := pdk.Must(connected(f, a))
	look := pdk.Must(edit.EdgeStyle(f, a, edit.PlainEdge))
	via := edit.Via.Of(a)
	if len(via) > 0 && len(stops) > 2 {
		return pdk.Errorf("via: is for one edge; connect the %d pairs one by one", len(stops)-1)
	}
	d := f.Draft()
	label, ends := a.String("label", ""), edit.ReadEndTexts(a)
	page := f.Current
	var speech *sequence.Speech
	var ids, made []string
	for i := range len(stops) - 1 {
		from, to, arrow := stops[i], stops[i+1], a.Text(2*i+1)
		if arrow == "<-" {
			from, to, arrow = to, from, "->"
		}
		s, related := style.WithRelation(look, arrow)
		if related {
			arrow = "->"
		} else {
			s = edit.WithHeads(a, look, arrow)
		}
		s = edit.WithPorts(a, s, from, to)
		parent := pdk.Must(edgeParent(from))
		id := d.NewID()
		if !setsRoute(a) && model.AreParticipants(from, to) {
			if speech == nil {
				speech = pdk.Must(sequence.NewSpeech(d, a, page))
			}
			if ends.Any() {
				return pdk.Errorf("a message of a sequence has one text, label:").Try(a.Mended(pdk.Without(model.SourceLabel, model.TargetLabel)))
			}
			speech.Add(id, parent, label, arrow, from, to)
		} else {
			d.Append(page, id, mxfile.NewEdge(id, mxfile.LabelValue(label, true), s, parent, from.ID, to.ID).WithPoints(via))
			ends.DraftNew(d, page, id)
		}
		ids, made = append(ids, model.EventID(page.Key, id)), append(made, id)
	}
	if speech != nil {
		if err := speech.Draw(f, a); err != nil {
			return err
		}
	} else if err := sequence.RefusePlaceInTime(a); err != nil {
		return err
	}
	pdk.Check(c.Do(d.Edit(), "connect "+strings.Join(a.Texts(0), " "), ids...))
	pdk.Check(routeNew(c, a, page, made))
	lines := pdk.Map(made, func(id string) string { return model.EdgeEntry(page.Cell(id)) })
	c.Connected("%s", strings.Join(lines, "\n"))
	return nil
}

// withLineFlags moves line styles at the end of connect, which are no shapes, to style:.
func withLineFlags(f *file, a pdk.Args) pdk.Args {
	n := len(a.Positionals)
	for ; n > 3; n-- {
		p := a.Positionals[n-1]
		if p.Quoted || !slices.Contains(style.LineFlags(), strings.ToLower(p.Text)) {
			break
		}
		if _, none := selector.Vertex(f, p.Text); none == nil {
			break
		}
	}
	if n == len(a.Positionals) {
		return a
	}
	flags := strings.ToLower(strings.Join(a.Texts(n), ","))
	if given := a.String("style", ""); given != "" {
		flags = given + "," + flags
	}
	return a.With(pdk.WithWords(n, len(a.Positionals)-n), pdk.WithParam("style", flags))
}

// connected returns the shapes that connect connects, in the order of the op.
func connected(f *file, a pdk.Args) ([]*cell, error) {
	pdk.Check(checkArrows(f, a))
	var stops []*cell
	for i := 0; i < len(a.Positionals); i += 2 {
		v, err := selector.Vertex(f, a.Text(i))
		if err != nil {
			return nil, withNearShapes(f, a, i, err)
		}
		stops = append(stops, v)
	}
	return stops, nil
}

// routeNew routes new edges around shapes unless the op sets their route. It warns of edges that
// lie exactly on another edge, and of labels without room.
func routeNew(c *ctx, a pdk.Args, page *mxfile.Page, ids []string) error {
	var all, around []*cell
	for _, id := range ids {
		e := page.Cell(id)
		all = append(all, e)
		if model.Twin(e) != nil {
			c.Warn("%s is drawn twice in the same place; a label would tell them apart", model.ArrowText(e))
		}
		if mayRoute(a, e) {
			around = append(around, e)
		}
	}
	pdk.Check(settleNew(c, around, all))
	for i, id := range ids {
		all[i] = page.Cell(id)
	}
	edit.WarnTight(c, all...)
	return nil
}

// checkArrows checks that every other word of connect is an arrow.
func checkArrows(f *file, a pdk.Args) error {
	n := len(a.Positionals)
	known := func(i int) bool {
		_, none := selector.Vertex(f, a.Text(i))
		return none == nil
	}
	for i := range n {
		switch arrow := a.IsArrow(i) || i%2 == 1 && edit.IsRelation(a.Text(i)); {
		case i%2 == 1 && !arrow:
			err := pdk.Errorf("%q is not an arrow: -> <- <-> --, or a relation: %s", a.Text(i), strings.Join(style.RelationNames(), " "))
			if like := arrowLike(a.Text(i)); like != "" {
				err.Try(a.Mended(pdk.WithArrow(i, 1, like)))
			} else if known(i-1) && known(i) {
				err.Try(a.Mended(pdk.WithArrow(i, 0, "->")))
			}
			if whole := a.Text(i-1) + " " + a.Text(i); i == n-1 {
				if _, none := selector.Shape(f, whole, true); none == nil {
					return err.Try(a.Mended(pdk.WithJoined(i - 1)))
				}
			}
			if i == n-1 && i > 2 && len(err.Tries) == 0 && !a.Has("label") { // a label without its key
				text := a.Text(i)
				if k, v, ok := strings.Cut(text, ":"); ok && k == "text" && v != "" { // text is also a type, so the word reads as TYPE:LABEL
					text = v
				}
				err.Try(a.Mended(pdk.WithoutWord(i), pdk.WithParam("label", text)))
			}
			return err
		case i%2 == 0 && arrow && i > 0:
			return pdk.Errorf("two arrows in a row: %s %s", a.Text(i-1), a.Text(i)).Try(a.Mended(pdk.WithoutWord(i)))
		}
	}
	if n%2 == 0 || a.IsArrow(0) {
		return pdk.Errorf("connect takes REF ARROW REF, and more ARROW REF after")
	}
	return nil
}

// arrowLike returns the arrow that a word stands for in other notations, "" for other
// words.
func arrowLike(word string) string {
	switch strings.ToLower(word) {
	case "=>", "-->", "==>", "→", "⇒", "->>", ">", "to":
		return "->"
	case "<=", "<--", "<==", "←", "⇐", "<<-", "<", "from":
		return "<-"
	case "<=>", "<-->", "<==>", "↔", "⇔", "><":
		return "<->"
	case "-", "---", "==", "—", "–", "and", "with":
		return "--"
	}
	return ""
}

// withNearShapes adds suggestions to the error for shape i of connect. It leaves out similar
// shapes that the same edge already connects.
func withNearShapes(f *file, a pdk.Args, i int, refused error) error {
	_, level := f.Current.Names().Find(a.Text(i), false)
	near := selector.NearShapes(f.Current, a.Text(i))
	e, ok := refused.(*pdk.Error)
	if !ok || level != pdk.MatchNone || len(e.Tries) > 0 || len(near) == 0 {
		return refused
	}
	near = slices.DeleteFunc(near, func(x *cell) bool {
		for _, at := range []int{i - 2, i + 2} {
			if at >= 0 && at < len(a.Positionals) {
				if y, err := selector.Vertex(f, a.Text(at)); err == nil && x == y {
					return true
				}
			}
		}
		return false
	})
	if e.Instead(a.Text(i), model.References(near)...); len(near) == 0 {
		e.TryQuery("map")
	}
	return e
}

// edgeParent returns the layer for an edge from c, so that the edge is drawn above the
// container of c.
func edgeParent(c *cell) (string, error) {
	if l := c.Layer(); l != nil {
		return l.ID, nil
	}
	if l := c.Page.DefaultLayer(); l != nil {
		return l.ID, nil
	}
	return "", pdk.Errorf("the page has no layer for an edge")
}

func disconnectVerb() verb {
	return verb{Run: runDisconnect, Keys: []pdk.Parameter{values.Text("label", "TEXT, where there are several")}, Verb: abi.Verb{
		Syntax: "disconnect REF ARROW REF|@edges… [label:TEXT]", Summary: "remove the edge between two shapes", Category: "edges",
		Max: -1, Brief: "disconnect REF ARROW REF [label:] | @edges…",
		Examples: []string{"disconnect AuthService -> UserDB", "disconnect AuthService -> UserDB label:queries", "disconnect @edges @connected:UserDB"},
	}}
}

func runDisconnect(c *ctx, a pdk.Args) error {
	if len(a.Selectors) == 0 && !a.IsArrow(1) {
		err := pdk.Errorf("disconnect takes REF ARROW REF")
		switch n := len(a.Positionals); {
		case n == 2:
			err.Try(a.Mended(pdk.WithArrow(1, 0, "->")))
		case n == 3 && arrowLike(a.Text(1)) != "":
			err.Try(a.Mended(pdk.WithArrow(1, 1, arrowLike(a.Text(1)))))
		case n > 0:
			if x, none := selector.Vertex(c.Model, a.Text(0)); none == nil {
				err.TryQuery("connections " + model.Reference(x))
			}
		}
		return err
	}
	if len(a.Selectors) > 0 && len(a.Positionals) > 0 {
		return pdk.Errorf("disconnect takes REF ARROW REF or selectors, not both")
	}
	cells, _ := pdk.Must2(selector.Targets(c, a, true))
	for _, e := range cells {
		if !e.Edge {
			return pdk.Errorf("%s is a shape; disconnect removes edges", model.Short(e)).TryQuery("connections " + model.Reference(e))
		}
	}
	return removeCells(c, cells, model.List(cells, 3), "disconnect")
}
