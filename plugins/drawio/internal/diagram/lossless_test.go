package diagram

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// odd has every construct that is easily lost: a declaration, a byte order
// mark, CRLF, comments, wrappers with data, an edge to a container, an edge
// with free ends, edge labels, swimlanes, a rotated shape, layers, unknown
// style keys, bare tokens, entities of all kinds, and settings of the page.
const odd = "\uFEFF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<!-- made by hand -->\r\n" +
	`<mxfile host='app.diagrams.net' pages="1" unknown="kept"><diagram name="Ünï &amp; co" id='d1'>` + "\r\n" +
	`<mxGraphModel dx="10" dy="20" grid="0" background="#FFEEDD" math="1" pageWidth="500" extra='x'>` + "\r\n<root>\r\n" +
	`<mxCell id="0"/><mxCell id="1" parent="0" value="Back"/><mxCell id="L2" parent="0" value="Hidden" visible="0" style="locked=1"/>` + "\r\n" +
	`<UserObject label="Linked" tooltip='He said "hi"' link="https://x.y/?a=1&amp;b=2" tags="t1 t2" custom="42" id="u1">` +
	`<mxCell style="ellipse;bareToken;unknownKey=7;html=1;rotation=30;flipH=1" vertex="1" parent="1"><mxGeometry x="10.5" y="-20" width="80" height="40" as="geometry"><mxRectangle width="1" height="2" as="alternateBounds"/></mxGeometry></mxCell></UserObject>` + "\r\n<!-- between -->\r\n" +
	`<object label="Lane" id="lane"><mxCell parent="1" vertex="1" style="swimlane;startSize=30;horizontal=0;"><mxGeometry x="200" y="0" width="300" height="200" as="geometry"/></mxCell></object>` +
	`<mxCell id="in" value="two&#xa;lines&#10;three" style="rounded=1" parent="lane" vertex="1"><mxGeometry x="40" y="40" width="60" height="30" as="geometry"/></mxCell>` +
	`<mxCell id="e1" style="dashed=1;endArrow=ERmany" parent="1" source="u1" target="lane" edge="1"><mxGeometry relative="1" as="geometry"><Array as="points"><mxPoint x="100" y="150"/><mxPoint y="7"/></Array></mxGeometry></mxCell>` +
	`<mxCell id="e1l" value="on the edge" style="edgeLabel;html=1" parent="e1" vertex="1" connectable="0"><mxGeometry x="-0.2" relative="1" as="geometry"><mxPoint as="offset"/></mxGeometry></mxCell>` +
	`<mxCell id="free" parent="1" edge="1"><mxGeometry relative="1" as="geometry"><mxPoint x="1" y="2" as="sourcePoint"/><mxPoint x="3" y="4" as="targetPoint"/></mxGeometry></mxCell>` +
	`<mxCell id="half" parent="1" target="in" edge="1"><mxGeometry relative="1" as="geometry"><mxPoint x="1" y="2" as="sourcePoint"/></mxGeometry></mxCell>` +
	`<strange kept="yes"><deep/></strange><mxCell id="img" style="shape=image;image=data:image/png,AAAA;" parent="L2" vertex="1"><mxGeometry width="20" height="20" as="geometry"/></mxCell>` +
	"\r\n</root></mxGraphModel>\r\n</diagram>\r\n<!-- tail --></mxfile>\r\n"

func packed(t *testing.T, xml string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 9) // not the level this domain writes with
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(strings.ReplaceAll(url.QueryEscape(xml), "+", "%20"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// forms returns the same content in each kind of file.
func forms(t *testing.T) map[string]string {
	from, to := strings.Index(odd, "<mxGraphModel"), strings.Index(odd, "</mxGraphModel>")+len("</mxGraphModel>")
	model := odd[from:to]
	return map[string]string{
		"plain":      odd,
		"bare":       "<!-- bare -->\n" + model + "\n",
		"compressed": odd[:from] + packed(t, model) + odd[to:],
		"spaced":     odd[:from] + "\n   " + packed(t, model) + "\n  " + odd[to:],
	}
}

func TestCellsThatAnOpDoesNotTouchKeepTheirBytes(t *testing.T) {
	ops := []string{
		"add box New", "style Linked fill:#00ff00", "label Linked Renamed", "move Linked by:10,10", "resize Linked 90x50", "label in Plain",
		"style Linked -> Lane bold", "label Linked -> Lane other", "remove free", "remove half", "connect in -> Linked", "add box X in:Lane", "modify in type:db",
		"remove Linked", "copy Linked", "group Linked as:G", "style img bold", "ungroup Lane", "layout", "page rename 1 Other", "page add P2", "page duplicate 1", "move in in:none",
	}
	for form, src := range forms(t) {
		if d := openDoc(t, []byte(src)); d.bytes() != src {
			t.Errorf("%s: changed by opening and saving", form)
		}
		for _, op := range ops {
			if form == "bare" && strings.HasPrefix(op, "page") {
				continue
			}
			d := openDoc(t, []byte(src))
			before := cells(d.in.Model())
			r := d.try(op)
			if r.Error != nil {
				t.Errorf("%s: %s: %s", form, op, r.Error.Message)
				continue
			}
			touched := map[string]bool{}
			for _, ev := range r.Events {
				e := Domain().Edits(ev.Type).(*mxfile.Edit)
				if err := decode(ev.Data, e); err != nil {
					t.Fatal(err)
				}
				for _, s := range e.Steps {
					touched[s.Page+" "+s.Cell] = true
				}
			}
			after := cells(d.in.Model())
			for key, raw := range before {
				if !touched[key] && after[key] != raw {
					t.Errorf("%s: %s changed cell %s from %s to %s", form, op, key, raw, after[key])
				}
			}
			// What is saved reads back as the same cells.
			again := openDoc(t, []byte(d.bytes()))
			for key, raw := range cells(again.in.Model()) {
				if after[key] != raw && !strings.Contains(key, "#") {
					t.Errorf("%s: %s: cell %s is saved as %q, is %q", form, op, key, raw, after[key])
				}
			}
			if form == "compressed" && !strings.HasPrefix(op, "page") && strings.Contains(d.bytes(), "<mxGraphModel") {
				t.Errorf("%s: the page is not compressed any more", op)
			}
			d.undo()
			if d.bytes() != src {
				t.Errorf("%s: undo of %s left\n%s", form, op, d.bytes())
			}
		}
	}
}

// cells returns the texts of a file's cells by key.
func cells(f *file) map[string]string {
	out := map[string]string{}
	for _, p := range f.Pages {
		for c := p.First(); c != nil; c = c.Next() {
			out[p.Key+" "+c.Key] = c.Raw()
		}
	}
	return out
}

func TestOddConstructsAreRead(t *testing.T) {
	d := openDoc(t, []byte(odd))
	if got := d.digest(); got != "3s 3e 1g 500x220 p:1/1" {
		t.Error(got)
	}
	for q, want := range map[string]string{
		"describe Linked":          "link: https://x.y/?a=1&b=2",
		"describe in":              `label: "two\nlines\nthree"`,
		"connections Lane":         `Linked--Lane "on the edge" dashed`,
		"describe free":            "starts at 1,2",
		"describe 1":               "layer L2 Hidden hidden locked",
		"list @type:lane":          "Lane(lane)",
		"list @edges @text:edge":   "1 edge",
		"find edge":                "on the edge",
		"list @group:Lane":         "lines three",
		"list @range:0,-50-100,50": "Linked",
	} {
		if got := d.query(q); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", q, got, want)
		}
	}
}

func TestBlankPagesTakeShapes(t *testing.T) {
	for _, src := range []string{
		`<mxfile><diagram id="a" name="A"/></mxfile>`,
		`<mxfile><diagram id="a" name="A"></diagram></mxfile>`,
		"<mxfile>\n<diagram id=\"a\" name=\"A\">\n  </diagram>\n</mxfile>",
		`<mxfile><diagram><mxGraphModel/></diagram></mxfile>`,
		`<mxfile><diagram><mxGraphModel dx="1"></mxGraphModel></diagram></mxfile>`,
		`<mxfile><diagram><mxGraphModel><root/></mxGraphModel></diagram></mxfile>`,
		`<mxfile><diagram><mxGraphModel><root></root></mxGraphModel></diagram></mxfile>`,
		`<mxfile><diagram><mxGraphModel><root><mxCell id="0"/></root></mxGraphModel></diagram></mxfile>`,
		`<mxGraphModel><root/></mxGraphModel>`,
		`<mxGraphModel/>`,
	} {
		d := openDoc(t, []byte(src))
		if d.bytes() != src {
			t.Errorf("%s: changed by opening", src)
		}
		d.run("add box A", "add box B", "connect A -> B")
		full := d.bytes()
		again := openDoc(t, []byte(full))
		if got := again.digest(); !strings.HasPrefix(got, "2s 1e") {
			t.Errorf("%s became %s: %s", src, full, got)
		}
		for range 3 {
			d.undo()
		}
		if d.bytes() != src {
			t.Errorf("%s: undone to %s", src, d.bytes())
		}
	}
}

func TestABareModelTakesASecondPage(t *testing.T) {
	src := "<?xml version=\"1.0\"?>\n<mxGraphModel><root><mxCell id=\"0\"/><mxCell id=\"1\" parent=\"0\"/></root></mxGraphModel>\n"
	d := openDoc(t, []byte(src))
	d.run("add box A", "page add Two", "add box B")
	again := openDoc(t, []byte(d.bytes()))
	if got := again.query("pages"); !strings.Contains(got, "1 Page-1: 1s") || !strings.Contains(got, "2 Two: 1s") {
		t.Errorf("%s in %s", got, d.bytes())
	}
	for range 3 {
		d.undo()
	}
	if d.bytes() != src {
		t.Errorf("undone to %s", d.bytes())
	}
}

func TestRepeatedIDsAreKept(t *testing.T) {
	src := `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="x" value="A" parent="1" vertex="1"><mxGeometry width="10" height="10" as="geometry"/></mxCell>` +
		`<mxCell id="x" value="B" parent="1" vertex="1"><mxGeometry x="50" width="10" height="10" as="geometry"/></mxCell><mxCell value="C" parent="1" vertex="1"/></root></mxGraphModel>`
	d := openDoc(t, []byte(src))
	d.run("label B BB", "move C to:300,300", "style A bold", "remove A")
	for range 4 {
		d.undo()
	}
	if d.bytes() != src {
		t.Error("not restored")
	}
}
