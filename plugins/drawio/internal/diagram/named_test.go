package diagram

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"pgregory.net/rapid"
)

// The law of edits: each cell of a real file keeps its bytes unless the op's words or the lines of
// the reply name it.
func TestNoOpChangesWhatNobodyNamed(t *testing.T) {
	files := samples(t)
	var names []string
	for n, data := range files {
		if len(data) < 60_000 {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "file")
		g := &gen{t: rt, d: openDoc(t, files[name])}
		for range rapid.IntRange(1, 6).Draw(rt, "ops") {
			op := g.op()
			before := cellsOf(g.d, op)
			r := g.d.try(op)
			for _, silent := range before.changedSilently(g.d, op, r) {
				rt.Errorf("%s: %s\n%s\nchanged %s", name, op, r.Text, silent)
			}
		}
	})
}

// state holds what the law compares: the text of each cell before an op, the names of the element
// that it belongs to, and whether a selector of the op selects it or what it is a part of.
type state map[string]*noted

type noted struct {
	raw, style, label string
	edge              bool
	names             []string
	selected          bool
}

func cellsOf(d *doc, op string) state {
	f := d.in.Model()
	out := state{}
	for _, p := range f.Pages {
		for x := p.First(); x != nil; x = x.Next() {
			if x.Opaque || !x.Vertex && !x.Edge { // layers and comments
				continue
			}
			out[model.ID(x)] = &noted{raw: x.Raw(), style: string(x.Style), label: x.Value, edge: x.Edge, names: namesOf(x)}
		}
	}
	parsed, err := d.op(op)
	if err == nil && parsed.Verb == "replace" && len(parsed.Positionals) > 0 { // the text selects
		for id, n := range out {
			n.selected = strings.Contains(model.ByID(f, id).Label(), parsed.Positionals[0].Text)
		}
	} else if err == nil && len(parsed.Selectors) > 0 {
		cells, _ := selector.Select(f, d.recent, parsed.Selectors, parsed.Verb == "remove")
		for id, n := range out {
			n.selected = slices.ContainsFunc(wholesOf(model.ByID(f, id)), func(o *cell) bool { return slices.Contains(cells, o) })
		}
	}
	return out
}

// namesOf returns the words that name a cell: its own names and those of the shape or edge that it
// is a part of.
func namesOf(x *cell) []string {
	switch model.StyleValue(x.Style, mxfile.BadgeKey) {
	case "legend", "part":
		return []string{"legend"}
	case "title", "heading":
		return []string{"title"}
	}
	var out []string
	for _, o := range wholesOf(x) {
		out = append(out, model.Short(o), o.Key, strings.Trim(model.Reference(o), `"`))
		if o.Edge && !model.HasFreeEnd(o) {
			out = append(out, model.ArrowText(o))
		}
	}
	return out
}

// wholesOf returns a cell and the shapes or edges that it is a part of: that of a badge, the edge of a label, and the box
// of a row.
func wholesOf(x *cell) []*cell {
	out := []*cell{x}
	for n := 0; n < 20; n++ {
		up := x.Page.Cell(x.Parent)
		if up == nil || !up.Edge && !x.Badge && !model.InCompound(x) {
			break
		}
		out, x = append(out, up), up
	}
	return out
}

// changedSilently returns the cells that an op changed or removed without a word.
func (s state) changedSilently(d *doc, op string, r abi.Result) (out []string) {
	f := d.in.Model()
	said := plain(op + "\n" + r.Text)
	wholePage := strings.HasPrefix(op, "look") || strings.HasPrefix(op, "orient") ||
		strings.HasPrefix(op, "layout") && !strings.Contains(op, "@") && !strings.HasPrefix(r.Text, "layout keep")
	for id, was := range s {
		x := model.ByID(f, id)
		if x != nil && x.Raw() == was.raw || was.selected || x == nil && strings.HasPrefix(op, "page remove") {
			continue
		}
		if wholePage {
			if x == nil || slices.Contains(was.names, "legend") || slices.Contains(was.names, "title") {
				continue
			}
			if x.Value != was.label {
				out = append(out, fmt.Sprintf("the label of %s", id))
			}
			if is := lineStyle(x.Style); was.edge && strings.HasPrefix(op, "look") && is != lineStyle(style.Style(was.style)) {
				out = append(out, fmt.Sprintf("the line of %s", id))
			}
			continue
		}
		names := was.names
		if x != nil {
			names = append(names, namesOf(x)...)
		}
		if !slices.ContainsFunc(names, func(n string) bool { return contains(said, plain(n)) }) {
			is := "(removed)"
			if x != nil {
				is = x.Raw()
			}
			out = append(out, fmt.Sprintf("%s %q\n  %s\n  %s", id, names, was.raw, is))
		}
	}
	return out
}

// lineStyle returns the keys of a style that say how a line is drawn, apart from colours.
func lineStyle(s style.Style) string {
	out := ""
	for _, key := range []string{"dashed", "dashPattern", "strokeWidth", "edgeStyle", "startArrow", "endArrow", "curved", "rounded", "shape"} {
		v, _ := s.Get(key)
		out += key + "=" + v + ";"
	}
	return out
}

// plain returns a text as the law compares it.
func plain(text string) string {
	text = strings.NewReplacer(`\"`, "", `"`, "", `\n`, " ", `\\`, `\`).Replace(strings.ToLower(text))
	for _, arrow := range []string{"->", "<-", "--", "<->"} {
		text = strings.ReplaceAll(text, " "+arrow+" ", arrow)
	}
	return strings.Join(strings.Fields(text), " ")
}

// contains reports whether a text contains a word that is not a part of a longer one.
func contains(text, word string) bool {
	isWord := func(s string, last bool) bool {
		r := []rune(s)
		if len(r) == 0 {
			return false
		}
		c := r[0]
		if last {
			c = r[len(r)-1]
		}
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z'
	}
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if !isWord(text[:i], true) && !isWord(text[i+len(word):], false) {
			return true
		}
		at = i + len(word)
	}
	return false
}

// Another type of a shape changes what makes the type, and nothing that somebody set on the shape.
func TestAnotherTypeKeepsWhatSomebodySetOnAShape(t *testing.T) {
	d := newDoc(t)
	d.run("add note A at:100,100", "rotate A 45", "pin A", "style A fill:#123456 valign:bottom spacingLeft:20 gradientColor:#ff0000 flipH:1 textOpacity:50 opacity:80")
	for _, kind := range []string{"db", "svc", "cloud"} {
		text := d.run("modify A type:" + kind)
		for key, want := range map[string]string{"rotation": "45", "movable": "0", "fillColor": "#123456", "verticalAlign": "bottom", "spacingLeft": "20", "gradientColor": "#ff0000", "flipH": "1", "textOpacity": "50", "opacity": "80"} {
			if !at(t, d, "A").Style.Is(key, want) {
				t.Errorf("%s: %s is not %s: %s", text, key, want, at(t, d, "A").Style)
			}
		}
		if text != "A: type:"+kind {
			t.Error(text)
		}
	}
	d.run("load aws")
	if got, want := d.run("modify A type:lambda"), "A: type:lambda\nA is now @(121,101 78x78)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s := at(t, d, "A").Style; !s.Is("rotation", "45") || !s.Is("movable", "0") {
		t.Error(s)
	}
	d.run("add text B", "modify B type:box")
	if s := at(t, d, "B").Style; s.Is("verticalAlign", "middle") { // this came with the old type
		t.Error(s)
	}
}

// A label keeps the format of the whole text, and the reply says where parts lose theirs.
func TestALabelKeepsItsFormat(t *testing.T) {
	d := openDoc(t, sheet(box("a", "&lt;b&gt;&lt;font color=&quot;#0070f2&quot;&gt;Title&lt;/font&gt;&lt;/b&gt;", 0, 0)+box("b", "&lt;b&gt;Name&lt;/b&gt; and text", 300, 0)))
	if got, want := d.run("label Title Heading"), `Title label: "Heading"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := at(t, d, "Heading").Value, `<b><font color="#0070f2">Heading</font></b>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := d.run("label b Other"), "Name and text label: \"Other\"\nformats of parts of the old text are gone: Other"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.undo()
	if got, want := d.run("modify b label:Other"), "\nformats of parts of the old text are gone: Other"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	d = openDoc(t, sheet(`<object placeholders="1" status="Done" label="Task 7&lt;br&gt;&lt;i&gt;%status%&lt;/i&gt;" id="a"><mxCell style="html=1;" vertex="1" parent="1"><mxGeometry width="10" height="10" as="geometry"/></mxCell></object>`))
	if got, want := d.run(`label "Task 7" "Task 8"`), `Task 7 label: "Task 8"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := at(t, d, "Task 8").Value, "Task 8<br><i>%status%</i>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The names of properties in a label are not text: replace leaves them, known or not, and changes what they show.
func TestReplaceLeavesTheNamesOfProperties(t *testing.T) {
	label := "&lt;b&gt;%c4Name%&lt;/b&gt;&lt;br&gt;code: %other% %date{mm o}% 5%, o% %c4Note%"
	d := openDoc(t, sheet(`<object placeholders="1" c4Name="Store" c4Note="o" label="`+label+`" id="a"><mxCell style="html=1;" vertex="1" parent="1"><mxGeometry width="10" height="10" as="geometry"/></mxCell></object>`+
		strings.Replace(box("b", "%o%", 300, 0), "html=1;", "", 1)))
	d.run(`replace o ""`)
	want := strings.NewReplacer(`c4Name="Store"`, `c4Name="Stre"`, `c4Note="o"`, `c4Note=""`, "code: ", "cde: ", ", o% ", ", % ").Replace(`c4Name="Store" c4Note="o" label="` + label)
	if got := d.raw("a"); !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := d.in.Model().Current.Cell("b").Value; got != "%%" { // this cell has no placeholders
		t.Errorf("b is %s", got)
	}
}

// What replace does not replace keeps its bytes, in the same label, too.
func TestReplaceKeepsTheRestOfALabel(t *testing.T) {
	for label, want := range map[string]string{
		"A&nbsp;&nbsp;old &#39;x&#39; &copy;":  "A&nbsp;&nbsp;B &amp; C &#39;x&#39; &copy;",
		"old&nbsp;\u00a0old":                   "B &amp; C&nbsp;\u00a0B &amp; C",
		"<b>o</b>ld old&lt;old":                "<b>o</b>ld B &amp; C&lt;B &amp; C",
		"a &amp;old; &unknown; old &amp":       "a &amp;B &amp; C; &unknown; B &amp; C &amp",
		"<font title=\"old\">\u00fcold</font>": "<font title=\"old\">\u00fcB &amp; C</font>",
	} {
		d := openDoc(t, sheet(box("a", html.EscapeString(label), 0, 0)))
		d.run(`replace old "B & C"`)
		if got := d.in.Model().Current.Cell("a").Value; got != want {
			t.Errorf("%s is %s, want %s", label, got, want)
		}
	}
	d := openDoc(t, sheet(box("a", html.EscapeString("x&nbsp;y&amp;z"), 0, 0)))
	d.run(`replace "x y&z" w`)
	if got := d.in.Model().Current.Cell("a").Value; got != "w" {
		t.Errorf("it is %s", got)
	}
}

// A reply tells elements of one name apart: those that the op means, and others that it changes, too.
func TestAReplyTellsElementsOfOneNameApart(t *testing.T) {
	free := func(id string, y int) string {
		return fmt.Sprintf(`<mxCell id="%s" style="html=1;" edge="1" parent="1"><mxGeometry relative="1" as="geometry"><mxPoint x="40" y="%d" as="sourcePoint"/><mxPoint x="90" y="%d" as="targetPoint"/></mxGeometry></mxCell>`, id, y, y)
	}
	d := openDoc(t, sheet(box("a1", "A", 40, 40)+box("a2", "A", 40, 160)+free("e1", 300)+free("e2", 320)+free("far", 20)))
	d.run("group a1 as:G")
	want := "A @(40,40 160x140)\nG is now 200x210\nA made way\nalso changed: A a2, (40,380)->(90,380) e1, (40,400)->(90,400) e2"
	if got := d.run("resize a1 160x140"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := d.run("style e1 dashed"), "(40,380)->(90,380) e1: dashed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
