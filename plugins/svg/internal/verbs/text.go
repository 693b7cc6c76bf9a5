package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func textVerb() verb {
	return verb{Run: running(runText), Verb: abi.Verb{
		Syntax: `text REF "TEXT"`, Brief: `text REF "TEXT" · \n starts a line`, Category: "elements",
		Summary:  `set the text that an element shows, and keep its path, lines and parts where they still fit; \n starts a line`,
		Examples: []string{`text heading "Sales 2026"`, `text note "two\nlines"`},
	}}
}

func runText(o *op) error {
	n, err := o.f.Find(o.a.Text(0), false)
	if err != nil {
		return err
	}
	if err := o.setShownText(n, o.a.Text(1)); err != nil {
		return err
	}
	o.unchanged = o.f.Ref(n) + " already shows that"
	o.touch(n)
	o.Changed("%s shows %s", o.f.Ref(n), pdk.Quote(model.Line(o.a.Text(1), 80)))
	return nil
}

// setShownText sets the text that an element shows.
func (o *op) setShownText(n *node, text string) error {
	typ := n.Type
	switch typ {
	case "text", "tspan", "textPath", "title", "desc":
	case "style", "script":
		return pdk.Errorf("%s is a %s; class changes rules", o.f.Ref(n), typ)
	default:
		err := pdk.Errorf("%s is a %s, which shows no text", o.f.Ref(n), typ)
		for m := range n.All() {
			if m.Type == "text" {
				return err.Instead(o.a.Text(0), o.f.Ref(m))
			}
		}
		if o.a.Verb == "text" && svgdom.Draws(n.Type) {
			err.Tryf("add text %s on:%s", pdk.Quote(text), o.f.Ref(n))
		}
		return err
	}
	o.writeText(n, text)
	return nil
}

func titleVerb(name, what string) verb {
	return verb{Run: running(func(o *op) error { return runTitle(o, name) }), Verb: abi.Verb{
		Syntax: name + ` [REF] "TEXT"`, Brief: name + ` [REF] "TEXT"`, Summary: what + `; "" removes it`, Category: "document",
		Examples: []string{name + ` "A chart of sales"`, name + ` dot "The first sale"`},
	}}
}

func runTitle(o *op, name string) error {
	n, text := o.f.Root, o.a.Text(0)
	if len(o.a.Positionals) == 2 {
		var err error
		if n, err = o.f.Find(text, false); err != nil {
			return err
		}
		text = o.a.Text(1)
	}
	var has *node
	for c := range n.Kids() {
		if c.Type == name && has == nil {
			has = c
		}
	}
	o.touch(n)
	of := "the document"
	if n != o.f.Root {
		of = o.f.Ref(n)
	}
	said := name + " of " + of
	switch {
	case text == "" && has == nil:
		o.unchanged = of + " has no " + name
		return nil
	case text == "":
		o.Remove(has)
		o.Deleted("%s", said)
		return nil
	case has != nil:
		o.writeText(has, text)
		o.unchanged = "the " + said + " is already that"
		o.Changed("%s: %s", said, pdk.Quote(model.Line(text, 80)))
		return nil
	case o.f.Mixed(n):
		raw := "<" + o.f.Prefix() + name + ">" + xmltree.EscapeText(text) + "</" + o.f.Prefix() + name + ">"
		o.Insert(n, nil, func(string) string { return raw })
	case !svgdom.Draws(n.Type) && !svgdom.Group(n.Type):
		return pdk.Errorf("a %s has no %s", n.Type, name)
	default:
		var after *node
		if first := n.First; name == "desc" && first != nil && first.Type == "title" {
			after = first
		}
		o.Insert(n, after, writer(o.f, element{name: name, text: text}))
	}
	o.Created("%s: %s", said, pdk.Quote(model.Line(text, 80)))
	return nil
}

// writeText makes an element show a text. It keeps as much of the markup as the text allows: the path or the part that
// all text is in, lines, and parts that the change does not touch. It warns of the rest.
func (o *op) writeText(n *node, text string) {
	parts := o.parts(n)
	switch {
	case n.FullText() == text && len(parts) < 2:
	case len(parts) == 0:
		o.writeBare(n, text)
	case o.isLines(n, parts):
		o.writeLines(n, parts, strings.Split(text, "\n"))
	case len(parts) == 1 && bareText(n) == "":
		o.writeText(parts[0], text)
	case !strings.Contains(text, "\n") && o.writeDifference(n, text):
	default:
		keeper := n
		if bareText(n) == "" { // the first part has the place, too
			keeper, parts = parts[0], parts[1:]
		}
		for _, p := range parts {
			o.Warn("%s %s is gone: the new text has no place for it", o.f.Ref(p), model.QuoteText(p.FullText(), 40))
			o.cut(p)
		}
		if keeper == n {
			o.writeBare(n, text)
		} else {
			o.writeText(keeper, text)
		}
	}
}

// parts returns the elements in a text that hold text.
func (o *op) parts(n *node) (out []*node) {
	for c := range n.Kids() {
		switch c.Type {
		case "tspan", "textPath", "a", "tref", "altGlyph":
			out = append(out, c)
		}
	}
	return out
}

// bareText returns the text of an element that is in none of its parts, "" if there is only white space.
func bareText(n *node) string { return strings.TrimSpace(n.Text()) }

// cut removes a part of a text, and the white space before it.
func (o *op) cut(n *node) {
	o.Set(n, tree.Lead, comments(n.Lead))
	o.Remove(n)
}

// writeBare sets the text of an element without parts. Other elements in it, such as a title or an animation, stay.
func (o *op) writeBare(n *node, text string) {
	typ := n.Type
	if lines := strings.Split(text, "\n"); len(lines) > 1 && typ != "title" && typ != "desc" {
		if x := o.startOf(n); typ != "textPath" && x != "" {
			o.empty(n)
			for i, l := range lines {
				o.appendLine(n, x, i, l)
			}
			return
		}
		o.Warn("%s has one line: the line breaks are blanks", o.f.Ref(n))
		text = strings.Join(lines, " ")
	}
	if n.End == "" {
		o.SetText(n, text)
		return
	}
	o.empty(n)
	o.Set(n, tree.Tail, n.Tail+xmltree.EscapeText(text))
}

// startOf returns the x at which the lines of a text start: its own, or that of an element around it.
func (o *op) startOf(n *node) string {
	for m := n; m != nil && o.f.IsText(m); m = m.Parent {
		if m.Type == "textPath" {
			return ""
		}
		if x, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(m.Get("x"), ",", " ")), " "); x != "" {
			return x
		}
	}
	return "0"
}

func (o *op) appendLine(n *node, x string, i int, text string) {
	l := element{name: "tspan", attrs: [][2]string{{"x", x}}, text: text}
	if i > 0 {
		l.set("dy", lineHeight)
	}
	var b strings.Builder
	l.write(&b, o.f.Prefix(), "", "")
	o.AppendRaw(n, b.String())
}

const lineHeight = "1.2em"

// empty removes the text of an element that is in none of its parts. Comments stay.
func (o *op) empty(n *node) {
	for c := range n.Kids() {
		o.Set(c, tree.Lead, comments(c.Lead))
	}
	o.Set(n, tree.Tail, comments(n.Tail))
}

// comments returns the comments in a piece of a file.
func comments(raw string) string { return strings.Join(comment().FindAllString(raw, -1), "") }

var comment = pdk.Regexp(`(?s)<!--.*?-->`)

// isLines reports whether each part of a text starts a line, and there is no text outside of them.
func (o *op) isLines(n *node, parts []*node) bool {
	if bareText(n) != "" || n.Type != "text" {
		return false
	}
	for i, p := range parts {
		_, x := p.Attr("x")
		y, hasY := p.Attr("y")
		dy, hasDY := p.Attr("dy")
		ruled := p.Get("sodipodi:role") == "line"
		if p.Type != "tspan" || !x && !ruled {
			return false
		}
		if i > 0 && !ruled && !(hasY && y != parts[i-1].Get("y")) && !(hasDY && dy != "0") {
			return false
		}
	}
	return true
}

// writeLines sets the lines of a text. A line that is there keeps its attributes; a new one gets those of the last one.
func (o *op) writeLines(n *node, parts []*node, lines []string) {
	for i := len(lines); i < len(parts); i++ {
		o.cut(parts[i])
	}
	for i, l := range lines {
		if i < len(parts) {
			o.writeText(parts[i], l)
			continue
		}
		last := parts[i-1]
		fresh := o.Copy(last, n, last, withoutIDs)
		o.Set(fresh, tree.Lead, last.Lead)
		o.lowerLine(parts, fresh)
		for _, p := range o.parts(fresh) {
			o.cut(p)
		}
		o.writeBare(fresh, l)
		parts = append(parts, fresh)
	}
}

// lowerLine puts a copy of the last line below it, as far as that is below the line before.
func (o *op) lowerLine(parts []*node, fresh *node) {
	last := parts[len(parts)-1]
	if dy := last.Get("dy"); dy != "" && (len(parts) > 1 || dy != "0") {
		return
	}
	y, ok := value.ParseNumber(last.Get("y"))
	if !ok {
		o.SetAttr(fresh, "dy", lineHeight)
		return
	}
	step := 1.2 * o.scene().FontSize(last)
	if len(parts) > 1 {
		if above, ok := value.ParseNumber(parts[len(parts)-2].Get("y")); ok {
			step = y - above
		}
	}
	o.SetAttr(fresh, "y", model.Num(y+step))
}

// withoutIDs removes the ids in an element's text.
func withoutIDs(raw string) string {
	e, err := xmltree.Parse(raw)
	if err != nil {
		return raw
	}
	var edits []css.Edit
	var walk func(e *xmltree.Element)
	walk = func(e *xmltree.Element) {
		for _, a := range e.Attrs {
			if a.Name == "id" {
				edits = append(edits, css.Edit{From: len(strings.TrimRight(raw[:a.NameStart], " \t\r\n")), To: a.End + 1})
			}
		}
		for _, c := range e.Children {
			walk(c)
		}
	}
	walk(e)
	return css.Edited(raw, edits)
}

// run is a run of text between two tags.
type run struct {
	n    *node
	part tree.Part // Lead or Tail
	text string
}

// runs returns the texts between the tags of an element and its parts, in order.
func (o *op) runs(n *node) (out []run) {
	for c := range n.Kids() {
		out = append(out, run{c, tree.Lead, svgdom.Plain(c.Lead)})
		out = append(out, o.runs(c)...)
	}
	return append(out, run{n, tree.Tail, svgdom.Plain(n.Tail)})
}

// writeDifference changes the part of a text that differs from the new one, if that lies between two tags. It reports
// false and changes nothing if it does not.
func (o *op) writeDifference(n *node, text string) bool {
	old := n.FullText()
	head := 0
	for head < len(old) && head < len(text) && old[head] == text[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(text)-head && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	from, to := head, len(old)-tail
	at := 0
	for _, p := range o.runs(n) {
		if raw := p.n.Lead; at <= from && to <= at+len(p.text) && (to > from || len(p.text) > 0) {
			if p.part == tree.Tail {
				raw = p.n.Tail
			}
			if typ := p.n.Type; strings.Contains(raw, "<") || p.part == tree.Tail && (typ == "title" || typ == "desc" || !o.f.Mixed(p.n)) {
				return false
			}
			fresh := p.text[:from-at] + text[head:len(text)-tail] + p.text[to-at:]
			if strings.TrimSpace(fresh) == "" && strings.TrimSpace(p.text) != "" {
				return false // its part would show nothing
			}
			o.Set(p.n, p.part, xmltree.EscapeText(fresh))
			return true
		}
		at += len(p.text)
	}
	return false
}
