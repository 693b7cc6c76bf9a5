package diagram

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
)

// c4File is a page as draw.io's C4 library makes it: its labels show custom
// properties.
const c4File = `<mxfile><diagram id="d1" name="Context"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<object placeholders="1" c4Name="Customer" c4Type="Person" c4Description="Holds accounts" label="&lt;b&gt;%c4Name%&lt;/b&gt;&lt;div&gt;[%c4Type%]&lt;/div&gt;&lt;br&gt;&lt;div&gt;%c4Description%&lt;/div&gt;" id="p"><mxCell style="html=1;whiteSpace=wrap;shape=mxgraph.c4.person2;" parent="1" vertex="1"><mxGeometry x="40" y="40" width="110" height="140" as="geometry"/></mxCell></object>
<object placeholders="1" c4Name="Banking" c4Type="Software System" c4Description="Shows accounts" label="&lt;b&gt;%c4Name%&lt;/b&gt;&lt;div&gt;[%c4Type%]&lt;/div&gt;&lt;br&gt;&lt;div&gt;%c4Description%&lt;/div&gt;" id="s"><mxCell style="rounded=1;whiteSpace=wrap;html=1;" parent="1" vertex="1"><mxGeometry x="40" y="240" width="160" height="110" as="geometry"/></mxCell></object>
<mxCell id="e" style="endArrow=blockThin;html=1;" edge="1" parent="1" source="p" target="s"><mxGeometry relative="1" as="geometry"/></mxCell>
</root></mxGraphModel></diagram></mxfile>`

func TestNamesOfShapesResolvePlaceholders(t *testing.T) {
	d := openDoc(t, []byte(c4File))
	for _, q := range []string{"map", "list", "connections Customer", "describe Banking"} {
		if got := d.query(q); strings.Contains(got, "%c4") || !strings.Contains(got, "Banking") {
			t.Errorf("%s does not show names:\n%s", q, got)
		}
	}
	if got := d.query("find holds"); !strings.Contains(got, "Customer(") {
		t.Errorf("find sees no property that a label shows:\n%s", got)
	}
	if got := d.query("list @text:\"software system\""); !strings.Contains(got, "Banking(") {
		t.Errorf("@text sees no property that a label shows:\n%s", got)
	}
	d.run("label Customer Client", "move Client by:10,0", "remove Banking")
	if got := d.bytes(); !strings.Contains(got, `c4Name="Client"`) || !strings.Contains(got, "%c4Name%") || strings.Contains(got, "Shows accounts") {
		t.Errorf("the label was not set where it comes from:\n%s", got)
	}
	for range 3 {
		d.undo()
	}
	if d.bytes() != c4File {
		t.Error("not undone")
	}
}

// idFile has shapes whose labels are ids of others.
const idFile = `<mxfile><diagram id="d1" name="P"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="13" value="Jan" style="html=1;" vertex="1" parent="1"><mxGeometry x="40" y="40" width="80" height="40" as="geometry"/></mxCell>
<mxCell id="124" value="13" style="html=1;" vertex="1" parent="1"><mxGeometry x="240" y="40" width="80" height="40" as="geometry"/></mxCell>
<mxCell id="125" value="" style="html=1;" vertex="1" parent="1"><mxGeometry x="440" y="40" width="80" height="40" as="geometry"/></mxCell>
<mxCell id="126" value="125" style="html=1;" vertex="1" parent="1"><mxGeometry x="640" y="40" width="80" height="40" as="geometry"/></mxCell>
</root></mxGraphModel></diagram></mxfile>`

func TestAnIDThatIsAlsoALabelIsAmbiguous(t *testing.T) {
	d := openDoc(t, []byte(idFile))
	for ref, tries := range map[string][]string{
		"13":  {"style Jan bold", `style "box:13" bold`},
		"125": {"style #125 bold", `style "box:125" bold`},
	} {
		err := d.refused("style "+ref+" bold", "the label of one shape and the id of another")
		var got []string
		for _, s := range err.Try {
			got = append(got, s.Text)
			if r := d.try(s.Text); r.Error != nil {
				t.Errorf("%s: %s", s.Text, r.Error.Message)
			}
		}
		slices.Sort(got)
		slices.Sort(tries)
		if !slices.Equal(got, tries) {
			t.Errorf("%s: suggested %q, want %q", ref, got, tries)
		}
	}
	d.run("style #126 italic")
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Shape() {
			if x, err := selector.Shape(d.in.Model(), pdk.Unquote(model.Reference(c)), true); err != nil || x != c {
				t.Errorf("name %s of %s means %v: %v", model.Reference(c), c.Key, x, err)
			}
		}
	}
}

func TestReplaceChangesLabelsOnAllPagesAndKeepsTheirFormat(t *testing.T) {
	d := openDoc(t, []byte(strings.Replace(c4File, "</root>", `<mxCell id="h" value="An &lt;b&gt;account&lt;/b&gt; &amp;amp; an ac&lt;i&gt;count&lt;/i&gt;" style="html=1;" vertex="1" parent="1"><mxGeometry x="440" y="40" width="80" height="40" as="geometry"/></mxCell></root>`, 1)))
	first := d.bytes()
	d.run("page add Two", "add box \"My account\"", "add box Other", "connect \"My account\" -> Other label:\"opens account\"")
	got := d.run(`replace account "pro<file"`)
	if want := `"account" is now "pro<file" in 5 labels on 2 pages`; !strings.Contains(got, want) {
		t.Errorf("replied %q, want %q in it", got, want)
	}
	text := d.bytes()
	for _, want := range []string{`Holds pro&lt;files`, `An &lt;b&gt;pro&amp;lt;file&lt;/b&gt; &amp;amp; an ac&lt;i&gt;count`, `My pro&amp;lt;file`, `opens pro&amp;lt;file`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	d.undo()
	d.run("replace account profile @page:1 @text:Customer")
	if text := d.bytes(); !strings.Contains(text, "Holds profiles") || !strings.Contains(text, "Shows accounts") || !strings.Contains(text, "My account") {
		t.Errorf("replaced beyond what was selected:\n%s", text)
	}
	err := d.refused("replace Account profile", "case matters")
	if len(err.Try) == 0 || !strings.Contains(err.Try[0].Text, "replace account profile") {
		t.Errorf("suggested %v", err.Try)
	}
	d.refused("replace nothing x", "no label contains")
	d.refused("replace \"an account\" x @text:account @page:1", "pieces of different format")
	for len(d.log) > 0 {
		d.undo()
	}
	if d.bytes() != first {
		t.Error("not undone")
	}
}

func TestLabelSetsTheTextOfASelection(t *testing.T) {
	d := newDoc(t)
	d.run("add db A", "add db B", "add box C", "connect A -> B", "connect B -> C label:old")
	d.run("label @type:db Store", "label @edges reads")
	if got := d.query("map"); strings.Count(got, "Store(db)") != 2 || strings.Count(got, `"reads"`) != 2 || !strings.Contains(got, "C(box)") {
		t.Errorf("labelled:\n%s", got)
	}
	d.unchanged("label @type:db Store", `already have the label "Store"`)
}

func TestRemovingAllButSomeKeepsTheirContainers(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B", "add box C", "add box X", "group A B as:Keep", "group Keep C as:Outer", "group X as:Other")
	d.run("remove @not:group:Keep")
	got := d.query("map")
	for _, want := range []string{"Outer(group)", "Keep(group)", "A(box)", "B(box)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is gone:\n%s", want, got)
		}
	}
	for _, gone := range []string{"C(box)", "X(box)", "Other(group)"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s stayed:\n%s", gone, got)
		}
	}
	d.refused("remove @not:group:Keep @type:group", "containers of shapes that stay")
}
