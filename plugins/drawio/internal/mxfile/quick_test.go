package mxfile

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"pgregory.net/rapid"
)

// views reads a text with both readers. It returns both views, whether the
// quick reader accepted the text, and whether the text is a cell.
func views(raw string) (tree, quick Cell, took, valid bool) {
	p := &Page{}
	tree, quick = Cell{Page: p}, Cell{Page: p}
	took = quick.quick(raw)
	e, err := xmltree.Parse(raw)
	if err != nil || e.Start != 0 || e.End != len(raw) || mxCell(e) == nil {
		return tree, quick, took, false
	}
	tree.view(e)
	return tree, quick, took, true
}

func TestTheQuickReaderReadsWhatTheTreeReaderReads(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"<mxCell", "<mxGeometry", "<UserObject", "</mxCell>", "/>", ">", " ", "\n  ", "=", `"`, "'", "<", "&", "é", "\xff",
		` id="a"`, ` id='b'`, ` value="x &lt;b&gt; y"`, ` value="two&#xa;lines"`, ` style="rounded=1;html=1;"`, ` style="fcpBadge=1"`, ` parent="1"`,
		` source="a"`, ` target="c d"`, ` vertex="1"`, ` vertex="0"`, ` edge="1"`, ` connectable="0"`, ` visible="0"`, ` x="12"`, ` y="-3.5"`, ` width=" 7 "`, ` height="1e3"`,
		` relative="1"`, ` as="geometry"`, ` x="1" y="2" width="30" height='4'`, ` x="12" y="0.333" height="7" width="1e1" as="geometry"`, "<mxPoint/>", "<!-- -->",
	})
	attrs := rapid.SliceOfN(piece, 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		raw := "<mxCell"
		add := func(what string) {
			for _, s := range attrs.Draw(t, what) {
				raw += s
			}
		}
		add("attributes")
		if rapid.Bool().Draw(t, "has geometry") {
			raw += rapid.SampledFrom([]string{">", ">\n ", "><mxGeometry", ">\n<mxGeometry"}).Draw(t, "open")
			add("geometry")
			raw += rapid.SampledFrom([]string{"/></mxCell>", "/>\n</mxCell>", "></mxCell>", ""}).Draw(t, "close")
		} else {
			raw += "/>"
		}
		tree, quick, took, valid := views(raw)
		if !took {
			return
		}
		if !valid {
			t.Fatalf("the quick reader takes %q", raw)
		}
		quick.styling, tree.styling = nil, nil
		if quick != tree {
			t.Fatalf("%q: the quick reader says\n%+v\nthe other\n%+v", raw, quick, tree)
		}
		name := rapid.SampledFrom([]string{"style", "value", "id", "parent", "tooltip"}).Draw(t, "name")
		value := rapid.SampledFrom([]string{"", "a", `a "b" <c> 'd' &`, "two\nlines", "x <b> y"}).Draw(t, "value")
		if got, want := Text(raw).WithAttr(name, value), Text(raw).treeAttr(name, value); got != want {
			t.Fatalf("%q with %s=%q: quick %q, by the tree %q", raw, name, value, got, want)
		}
		number := rapid.SampledFrom([]float64{0, 12, -3.5, 7, 1000, 0.333})
		r := geom.Rect{X: number.Draw(t, "x"), Y: number.Draw(t, "y"), W: number.Draw(t, "w"), H: number.Draw(t, "h")}
		if got, want := Text(raw).WithGeo(r), Text(raw).treeGeo(r); got != want {
			t.Fatalf("%q at %v: quick %q, by the tree %q", raw, r, got, want)
		}
	})
}

func TestTheQuickReaderAcceptsWhatThisPackageWrites(t *testing.T) {
	for _, text := range []Text{
		NewVertex("a", `"quoted" & more`, "rounded=1;", "1", geom.Rect{X: 10, Y: 20, W: 30.5, H: 40}),
		NewEdge("e", "x", "html=1;", "1", "a", "b"),
		NewVertex("a", "b", "c", "1", geom.Rect{X: 1, Y: -2, W: 3, H: 4}).indented("\n    "),
		`<mxCell id="0"/>`,
	} {
		tree, quick, took, valid := views(string(text))
		tree.styling, quick.styling = nil, nil
		if !took || !valid || tree != quick {
			t.Errorf("%s: taken %v, %+v", text, took, quick)
		}
	}
}

// BenchmarkReaders compares the quick reader with the tree reader.
func BenchmarkReaders(b *testing.B) {
	raw := `<mxCell id="17" value="Payment service" style="rounded=1;whiteSpace=wrap;html=1;fillColor=#dae8fc;strokeColor=#6c8ebf;" vertex="1" parent="1"><mxGeometry x="120" y="360" width="140" height="60" as="geometry"/></mxCell>`
	c := Cell{Page: &Page{}}
	b.Run("quick", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !c.quick(raw) {
				b.Fatal("not taken")
			}
		}
	})
	b.Run("tree", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e, err := xmltree.Parse(raw)
			if err != nil {
				b.Fatal(err)
			}
			c.view(e)
		}
	})
	b.Run("quick edit", func(b *testing.B) {
		for b.Loop() {
			if _, ok := Text(raw).quickAttr("style", "rounded=0;"); !ok {
				b.Fatal("not taken")
			}
		}
	})
	b.Run("tree edit", func(b *testing.B) {
		for b.Loop() {
			Text(raw).treeAttr("style", "rounded=0;")
		}
	})
}
