package mxfile

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

func TestALibraryIsReadHoweverItsShapesAreWritten(t *testing.T) {
	model := func(cells string) string {
		return `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>` + cells + `</root></mxGraphModel>`
	}
	shape := `<mxCell id="2" value="Pump" style="ellipse;fillColor=#ff0000;" vertex="1" parent="1"><mxGeometry width="30" height="20" as="geometry"/></mxCell>`
	packed, err := pack(model(shape))
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }
	list := `[{"xml":"` + quoted(model(shape)) + `","w":1,"h":1,"title":"Main pump"},{"xml":"` + packed + `","w":30,"h":20},` +
		`{"xml":"` + quoted(xmltree.Escape(model(shape), 0)) + `"},{"data":"data:image/png;base64,AAAA","w":40,"h":40,"title":"Logo"},` +
		`{"xml":"` + quoted(model(shape+strings.Replace(shape, `"2"`, `"3"`, 1))) + `","title":"Two"},{"title":"nothing"}]`
	items, err := Library("<mxlibrary>" + xmltree.EscapeText(list) + "</mxlibrary>")
	if err != nil || len(items) != 5 {
		t.Fatalf("%v: %+v", err, items)
	}
	for i, want := range []Item{
		{"Main pump", 30, 20, "ellipse;fillColor=#ff0000;", false}, {"Pump", 30, 20, "ellipse;fillColor=#ff0000;", false}, {"Pump", 30, 20, "ellipse;fillColor=#ff0000;", false},
		{"Logo", 40, 40, "shape=image;verticalLabelPosition=bottom;verticalAlign=top;labelBackgroundColor=default;imageAspect=0;aspect=fixed;html=1;image=data:image/png,AAAA;", false},
		{"Two", 30, 20, "", true},
	} {
		if items[i] != want {
			t.Errorf("%+v, not %+v", items[i], want)
		}
	}
}

func TestAFileThatIsNotALibraryIsRefused(t *testing.T) {
	for src, want := range map[string]string{
		"<mxfile/>":                             "not <mxlibrary>",
		"nothing":                               "not a library",
		"<mxlibrary>{}</mxlibrary>":             "its list of shapes",
		`<mxlibrary>[{"xml":"%%"}]</mxlibrary>`: "entry 1 of the library",
	} {
		if _, err := Library(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if _, err := Open([]byte("<mxlibrary>[]</mxlibrary>")); err == nil || !strings.Contains(err.Error(), "import library") {
		t.Errorf("a library that is opened: %v", err)
	}
}
