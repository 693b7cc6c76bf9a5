package drawing

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// odd has every construct that is easily lost: a byte order mark, CRLF, an XML
// declaration, a document type with entities, comments everywhere, both kinds of
// quotes, CDATA, processing instructions, prefixes, unknown elements, mixed text,
// duplicate ids.
const odd = "\uFEFF<?xml version='1.0' encoding=\"UTF-8\"?>\r\n<!-- head --><!DOCTYPE svg [\r\n <!ENTITY who \"world > all\">\r\n]>\r\n" +
	`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink='http://www.w3.org/1999/xlink' xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:my="urn:x" viewBox='0,0 300 200'` + "\r\n   width = \"300\" >\r\n" +
	"\t<title>Odd &amp; &who;</title>\r\n\t<?php kept ?>\r\n\t<style type=\"text/css\"><![CDATA[\r\n\t.a > b { fill : red }\r\n\t.a{fill:#0f0;/* kept */stroke: blue}\r\n\t]]></style>\r\n" +
	"\t<defs><linearGradient id=\"grad\"><stop offset='0' style='stop-color:#fff'/><stop offset=\"1\"/></linearGradient></defs>\r\n" +
	"\t<g id=\"layer1\" inkscape:groupmode='layer' inkscape:label=\"Back &quot;Ground&quot;\" transform=\"matrix(1 0 0 1 10 20)\">\r\n\t\t<rect id=\"r1\" class=\"a\" x=\"1.50\" y='2' width=\"20mm\" height=\"10%\" style=\" fill:red ; stroke : none;\" />\r\n" +
	"\t\t<!-- about r2 --><rect id='r2' width='10' height='10' fill=\"&who;\"></rect>\r\n\t\t<my:thing deep=\"1\"><my:inner/></my:thing>\r\n\t</g>\r\n" +
	"\t<text id=\"t1\" x=\"10\" y=\"50\">Hello <tspan font-weight='bold'>big</tspan> &who;<!-- c --> <![CDATA[<raw>]]></text>\r\n" +
	"\t<use xlink:href='#r1' x=\"30\"/><circle r='5' id='r2' cx='100' cy='100'/>\r\n\t<path d='M 10,10 l 20,0 0,20z' fill='url( #grad )'/>\r\n\t<g/>\r\n</svg>\r\n<!-- tail -->\r\n"

func TestOddConstructsKeepTheirBytes(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "odd.svg", []byte(odd))
	if got := string(doc.Save()); got != odd {
		t.Fatalf("changed by opening:\n%q", got)
	}
	doc.Laws("move layer1 by:5,5", "style r1 fill:blue", "style r1 stroke-width:2", "class a fill:navy", "add rect in:layer1 at:20,20 size:5x5", "text t1 new", "ungroup layer1", "order t1 front", "optimize", "group t1 r1 as:both")
}

// One op changes one contiguous piece of the file; the text before and after it does
// not change.
func TestAnEditIsASpliceOfTheFile(t *testing.T) {
	for op, want := range map[string][2]string{ // the text removed, and the text inserted
		"style r1 fill:blue":        {"fill:red ;", "fill:blue ;"},
		"style r1 opacity:0.5":      {" stroke : none;", " stroke : none; opacity: 0.5;"},
		"move circle~16 by:1,2":     {"cx='100' cy='100'", "cx='101' cy='102'"},
		"class a fill:navy":         {".a{fill:#0f0;", ".a{fill:navy;"},
		"modify use~15 x:40":        {`x="30"`, `x="40"`},
		"path path~17 close":        {"", ""},
		"remove use~15":             {"\r\n\t<use xlink:href='#r1' x=\"30\"/>", ""},
		"add group new":             {"\t<g/>\r\n", "\t<g/>\r\n\t<g id=\"new\"/>\r\n"},
		`title "New"`:               {"Odd &amp; &who;", "New"},
		"canvas viewbox:0,0,10,20":  {"viewBox='0,0 300 200'", "viewBox='0,0,10,20'"},
		"add rect x in:g~18 at:0,0": {"\t<g/>\r\n", "\t<g>\r\n\t\t<rect id=\"x\" x=\"0\" y=\"0\" width=\"100\" height=\"60\"/>\r\n\t</g>\r\n"},
	} {
		s := openSketch(t, "odd.svg", []byte(odd))
		r := s.try(op)
		if r.Error != nil {
			t.Errorf("%s: %s", op, r.Error.Message)
			continue
		}
		if got := s.bytes(); got != strings.Replace(odd, want[0], want[1], 1) {
			t.Errorf("%s gave\n%q\nwant %q in the place of %q", op, got, want[1], want[0])
		}
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, 1) // not the level that this domain writes
	if err != nil {
		t.Fatal(err)
	}
	w.Name = "kept.svg"
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestACompressedFileIsSavedUnchanged(t *testing.T) {
	data := zipped(t, odd)
	doc := pdktest.Open(t, Domain(), "odd.svgz", data)
	if got := doc.Save(); !bytes.Equal(got, data) {
		t.Error("changed by opening")
	}
	doc.Do("style r1 fill:blue")
	changed := doc.Save()
	if !bytes.HasPrefix(changed, []byte{0x1f, 0x8b}) || bytes.Equal(changed, data) {
		t.Errorf("a change is saved as %q", changed[:20])
	}
	doc.Undo(1)
	if got := doc.Save(); !bytes.Equal(got, data) {
		t.Error("changed by an op and its undo")
	}
	pdktest.Open(t, Domain(), "odd.svgz", data).Laws("style r1 fill:blue", "move layer1 by:1,1", "remove r1")
}

func TestANameSaysWhetherAFileIsCompressed(t *testing.T) {
	f, _, err := open("a.svg", []byte(seeded))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"b.svg": false, "b.svgz": true, "b.SVGZ": true} {
		data, err := f.BytesAs(name)
		if got := bytes.HasPrefix(data, []byte{0x1f, 0x8b}); err != nil || got != want {
			t.Errorf("%s: compressed is %v (%v)", name, got, err)
		}
	}
	odder, _, err := open("a.svg", zipped(t, seeded)) // compressed, whatever its name
	if err != nil {
		t.Fatal(err)
	}
	if data, err := odder.BytesAs("c.svg"); err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		t.Errorf("%q %v", data[:4], err)
	}
}

func TestOtherEncodingsAreKept(t *testing.T) {
	latin := strings.Replace(`<?xml version="1.0" encoding="ISO-8859-1"?><svg xmlns="http://www.w3.org/2000/svg"><text id="t">caf`+"\xe9"+`</text></svg>`, "\n", "", -1)
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(latin))
	if got := doc.Query("source t"); !strings.Contains(got, "café") {
		t.Error(got)
	}
	doc.Do(`text t "naïve €"`)
	if got := string(doc.Save()); !strings.Contains(got, "na\xefve &#8364;<") {
		t.Errorf("%q", got)
	}
	doc.Undo(1)
	if got := string(doc.Save()); got != latin {
		t.Errorf("%q", got)
	}
	var wide []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + seeded)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	pdktest.Open(t, Domain(), "a.svg", wide).Laws("style background fill:#eee", "remove logo")
	pdktest.OpenFails(t, Domain(), "a.svg", []byte(`<?xml version="1.0" encoding="EBCDIC-CP-US"?><svg/>`), "ebcdic-cp-us")
}

func TestAFileThatIsNotSVGIsRefused(t *testing.T) {
	for text, why := range map[string]string{
		"": "no element", "<svg>": "ends inside", "<html/>": "not an SVG", "plain": "text outside", "<svg><g></svg>": "</svg>", "\xff<svg/>": "UTF-8", "\x1f\x8b": "compressed",
		`<svg xmlns="http://www.w3.org/2000/svg" content="&lt;mxfile&gt;&lt;/mxfile&gt;"/>`: "drawio",
	} {
		pdktest.OpenFails(t, Domain(), "a.svg", []byte(text), why)
	}
}
