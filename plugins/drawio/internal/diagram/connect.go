package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// edgeStyle is what a new edge looks like, without its heads.
const edgeStyle = style.Style("edgeStyle=orthogonalEdgeStyle;rounded=0;orthogonalLoop=1;jettySize=auto;html=1;")

func connectVerb() verb {
	heads := strings.Join(style.HeadNames(), "|")
	return verb{Run: runConnect, Verb: abi.Verb{
		Name: "connect", Syntax: "connect REF ARROW REF [ARROW REF]… [label:] [style:] [exit:FACE[@F]] [entry:FACE[@F]] [source-arrow:] [target-arrow:] [theme:] [via:X,Y;X,Y] [after:MESSAGE|before:MESSAGE]",
		Brief:   "connect REF ARROW REF [ARROW REF]… [label: style:FLAG,FLAG theme: exit:FACE[@0-1] entry: source-arrow: target-arrow: via:X,Y;X,Y] · ARROW: -> <- <-> -- or " + strings.Join(style.RelationNames(), " ") + "; FACE: left right top bottom",
		Summary: "draw edges; ARROW is -> <- <-> or --, or what the first is to the second: " + strings.Join(style.RelationNames(), " "), Category: "edges",
		Params: []abi.Param{
			{Key: "label", Value: "TEXT"}, {Key: "style", Value: "FLAG,FLAG…: " + strings.Join(style.LineFlags(), " ")},
			{Key: "exit", Value: "FACE[@0-1]: left|right|top|bottom"}, {Key: "entry", Value: "FACE[@0-1]"},
			{Key: "source-arrow", Value: heads}, {Key: "target-arrow", Value: heads},
			{Key: "theme", Value: "THEME"}, {Key: "via", Value: "X,Y;X,Y waypoints"},
			{Key: "after", Value: "TEXT of the message of a sequence, or a frame, below which this one goes"}, {Key: "before", Value: "TEXT of that above which it goes"},
		},
		Min: 2, Max: -1,
		Examples: []string{"connect AuthService -> UserDB label:queries", "connect A -> B -> C style:dashed", "connect A <-> B exit:right entry:left@0.25", "connect A -- B target-arrow:diamond", "connect A inherits B", "connect A has-many C label:keeps", "connect Shop -> Bank label:charge after:order"},
	}}
}

func runConnect(c *ctx, a pdk.Args) error {
	f := c.Model
	n := len(a.Positionals)
	if err := joints(f, a); err != nil {
		return err
	}
	stops := make([]*cell, 0, n/2+1)
	for i := 0; i < n; i += 2 {
		v, err := vertex(f, a.Text(i))
		if err != nil {
			return otherEnd(f, a, i, err)
		}
		stops = append(stops, v)
	}
	look, err := edgeLook(f, a, edgeStyle)
	if err != nil {
		return err
	}
	via, err := parseVia(a)
	if err != nil {
		return err
	}
	if len(via) > 0 && len(stops) > 2 {
		return pdk.Errorf("via: is for one edge; connect the %d pairs one by one", len(stops)-1)
	}
	d := f.Draft()
	label := a.String("label", "")
	page := f.Current
	var said *speech
	var lines, ids, made []string
	for i := range len(stops) - 1 {
		from, to, arrow := stops[i], stops[i+1], a.Text(2*i+1)
		if arrow == "<-" {
			from, to, arrow = to, from, "->"
		}
		s, related := style.Related(look, arrow)
		if related {
			arrow = "->"
		} else {
			s = heads(a, look, arrow)
		}
		s = seatPorts(a, s, from, to)
		parent, err := edgeParent(from)
		if err != nil {
			return err
		}
		id := d.NewID()
		if !placed(a) && talks(from, to) {
			if said == nil {
				if said, err = newSpeech(d, a, page); err != nil {
					return err
				}
			}
			said.add(id, parent, label, arrow, from, to)
		} else {
			d.Append(page, id, mxfile.NewEdge(id, mxfile.LabelValue(label, true), s, parent, from.ID, to.ID).WithPoints(via))
		}
		lines = append(lines, edgeLine(endName(from), arrow, endName(to), label, s.Line()))
		ids, made = append(ids, eventID(page.Key, id)), append(made, id)
	}
	if said != nil {
		if err := said.draw(f, a); err != nil {
			return err
		}
	} else if err := onlyTalks(a); err != nil {
		return err
	}
	if err := c.Do(d.Edit(), line("connect "+strings.Join(lines, ", ")), ids...); err != nil {
		return err
	}
	var around []*cell
	for _, id := range made {
		e := page.Cell(id)
		if twin(e) != nil {
			c.Warn("%s is drawn twice, alike, one on the other; a label would tell them apart", arrowText(e))
		}
		if leadable(a, e) {
			around = append(around, e)
		}
	}
	if err := avoid(c, around); err != nil {
		return err
	}
	c.Connected("%s", strings.Join(lines, "\n"))
	return nil
}

// joints makes sure that every other word of connect is an arrow.
func joints(f *file, a pdk.Args) error {
	n := len(a.Positionals)
	known := func(i int) bool {
		_, none := vertex(f, a.Text(i))
		return none == nil
	}
	for i := range n {
		switch arrow := a.IsArrow(i) || i%2 == 1 && relation(a.Text(i)); {
		case i%2 == 1 && !arrow:
			err := pdk.Errorf("%q stands where an arrow must be: -> <- <-> --, or a relation: %s", a.Text(i), strings.Join(style.RelationNames(), " "))
			if like := arrowLike(a.Text(i)); like != "" {
				err.Try(a.Mended(pdk.WithArrow(i, 1, like)))
			} else if known(i-1) && known(i) {
				err.Try(a.Mended(pdk.WithArrow(i, 0, "->")))
			}
			if whole := a.Text(i-1) + " " + a.Text(i); i == n-1 {
				if _, none := shape(f, whole, true); none == nil {
					return err.Try(a.Mended(pdk.WithJoined(i - 1)))
				}
			}
			if i == n-1 && i > 2 && len(err.Tries) == 0 { // what the edge says or looks like
				key, text := "label", a.Text(i)
				if k, v, ok := strings.Cut(text, ":"); ok && k == "text" && v != "" { // which reads as a shape's name
					text = v
				} else if slices.Contains(style.LineFlags(), strings.ToLower(a.Text(i))) {
					key = "style"
				}
				if !a.Has(key) {
					err.Try(a.Mended(pdk.WithoutWord(i), pdk.WithParam(key, text)))
				}
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

// relation reports whether a word between two shapes says what the one is to the
// other.
func relation(word string) bool {
	_, ok := style.Related("", word)
	return ok
}

// arrowLike is the arrow that somebody drew otherwise, "" for other words.
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

// otherEnd is the refusal of stop i, which is near some shapes: one that it is
// joined to already was not meant.
func otherEnd(f *file, a pdk.Args, i int, refused error) error {
	_, level := f.Current.Names().Find(a.Text(i), false)
	near := nearShapes(f.Current, a.Text(i))
	e, ok := refused.(*pdk.Error)
	if !ok || level != pdk.MatchNone || len(e.Tries) > 0 || len(near) == 0 {
		return refused
	}
	near = slices.DeleteFunc(near, func(x *cell) bool {
		for _, at := range []int{i - 2, i + 2} {
			if at >= 0 && at < len(a.Positionals) {
				if y, err := vertex(f, a.Text(at)); err == nil && x == y {
					return true
				}
			}
		}
		return false
	})
	if e.Instead(a.Text(i), nameList(near)...); len(near) == 0 {
		e.TryQuery("map")
	}
	return e
}

// edgeParent is the layer an edge from c goes to, so that it is drawn above
// what c lies in.
func edgeParent(c *cell) (string, error) {
	if l := c.Layer(); l != nil {
		return l.ID, nil
	}
	if l := c.Page.DefaultLayer(); l != nil {
		return l.ID, nil
	}
	return "", pdk.Errorf("the page has no layer that an edge could lie on")
}

func edgeLine(from, arrow, to, label, drawn string) string {
	out := from + arrow + to
	if label != "" {
		out += fmt.Sprintf(" %q", oneLine(label))
	}
	return out + " " + drawn
}

// edgeLook is what the op's style:, theme:, exit: and entry: make of an edge.
func edgeLook(f *file, a pdk.Args, plain style.Style) (style.Style, error) {
	changes := style.Changes{More: themesOf(f)}
	if v, ok := a.Param("style"); ok {
		flags := strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		for i, flag := range flags {
			if err := changes.Flag(flag); err != nil {
				bad := pdk.Errorf("%s; styles: %s", err.Error(), strings.Join(style.LineFlags(), " "))
				for _, near := range pdk.Nearest(flag, style.LineFlags()) {
					bad.Try(a.Mended(pdk.WithParam("style", strings.Join(slices.Replace(slices.Clone(flags), i, i+1, near), ","))))
				}
				return "", bad
			}
		}
	}
	for _, key := range []string{"theme", "exit", "entry"} {
		if v, ok := a.Param(key); ok {
			if err := setting(f, &changes, key, v); err != nil {
				return "", err
			}
		}
	}
	for _, key := range []string{"source-arrow", "target-arrow"} {
		if v, ok := a.Param(key); ok {
			if _, ok := style.Head(v); !ok {
				return "", pdk.Errorf("%s", style.UnknownHead(v).Error()).Instead(v, meant(key, v)...)
			}
		}
	}
	s, err := changes.Apply(plain, style.Edge)
	return s, refusal(err)
}

// heads gives an edge the heads of its arrow, and over those what the op's
// own keys say.
func heads(a pdk.Args, s style.Style, arrow string) style.Style {
	source, target := "none", "none"
	if arrow == "->" || arrow == "<->" {
		target = "classic"
	}
	if arrow == "<->" {
		source = "classic"
	}
	source, target = a.String("source-arrow", source), a.String("target-arrow", target)
	if source != "none" {
		s = style.SetHead(s, "start", source)
	}
	return style.SetHead(s, "end", target)
}

func parseVia(a pdk.Args) ([]geom.Point, error) {
	v, ok := a.Param("via")
	if !ok {
		return nil, nil
	}
	var out []geom.Point
	for _, part := range strings.Split(v, ";") {
		p, err := parsePoint("via", part)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// refusal turns what package style refuses into an error of this SDK.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return pdk.Errorf("%s", err.Error())
}

func disconnectVerb() verb {
	return verb{Run: runDisconnect, Verb: abi.Verb{
		Name: "disconnect", Syntax: "disconnect REF ARROW REF [label:TEXT] | @edges…", Summary: "remove the edge between two shapes", Category: "edges",
		Brief:  "disconnect REF ARROW REF [label:] | @edges…",
		Params: []abi.Param{{Key: "label", Value: "TEXT, where there are several"}},
		Select: true, Min: 0, Max: 3,
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
			if x, none := vertex(c.Model, a.Text(0)); none == nil {
				err.TryQuery("connections " + name(x))
			}
		}
		return err
	}
	if len(a.Selectors) > 0 && len(a.Positionals) > 0 {
		return pdk.Errorf("disconnect takes REF ARROW REF or selectors, not both")
	}
	cells, _, err := target(c, a, true)
	if err != nil {
		return err
	}
	for _, e := range cells {
		if !e.Edge {
			return pdk.Errorf("%s is a shape; disconnect removes edges", short(e)).TryQuery("connections " + name(e))
		}
	}
	return removeCells(c, cells, "disconnect")
}
