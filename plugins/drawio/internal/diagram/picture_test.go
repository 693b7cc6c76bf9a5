package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestAPictureWithTheFileInItIsEditedAsOne(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A")
	d.run(`add db "B & <C>"`)
	d.run(`connect A -> "B & <C>" label:reads`)
	made, err := d.in.Export(&abi.ExportRequest{Format: "drawio.svg"})
	if err != nil {
		t.Fatal(err)
	}
	plain := d.bytes()
	e := openDoc(t, made.Data)
	if e.bytes() != string(made.Data) {
		t.Error("open and save change the picture")
	}
	e.run("style A theme:red")
	if got := e.bytes(); !strings.HasPrefix(got, "<svg") || !strings.Contains(got, "f8cecc") {
		t.Errorf("the picture is not drawn again: %.300s", got)
	}
	e.undo()
	if e.bytes() != string(made.Data) {
		t.Error("undo does not bring the picture's bytes back")
	}
	data, err := e.in.Model().Bytes()
	if err != nil || string(data) != plain {
		t.Error("the picture holds another file")
	}
	for _, format := range []string{"svg", "html"} {
		if out, err := d.in.Export(&abi.ExportRequest{Format: format}); err != nil || !strings.Contains(string(out.Data), "reads") {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := d.in.Export(&abi.ExportRequest{Format: "svg", Params: []abi.KeyValue{{Key: "page", Value: "9"}}}); err == nil {
		t.Error("a page that is not there is drawn")
	}
}

func TestPreviewIsAnImage(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A")
	r, err := d.in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "preview", Params: []abi.KeyValue{{Key: "width", Value: "300"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].MIME != "image/svg+xml" || !strings.Contains(string(r.Content[0].Data), `width="300"`) {
		t.Errorf("%+v", r)
	}
}
