package diagram

import (
	"bytes"
	"image/color"
	"image/png"
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

func TestPreviewIsAnImageThatModelsSee(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A")
	ask := func(params ...string) (abi.Content, error) {
		op := abi.Op{Verb: "preview"}
		for _, p := range params {
			key, value, _ := strings.Cut(p, ":")
			op.Params = append(op.Params, abi.KeyValue{Key: key, Value: value})
		}
		r, err := d.in.Query(&abi.QueryRequest{Query: op})
		if err != nil {
			return abi.Content{}, err
		}
		if len(r.Content) != 1 {
			t.Fatalf("%+v", r)
		}
		return r.Content[0], nil
	}
	for _, tt := range []struct {
		params string
		width  int
	}{{"width:300", 300}, {"", 0}, {"format:png page:1 width:1568", 1568}} {
		c, err := ask(strings.Fields(tt.params)...)
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(c.Data))
		if err != nil || c.MIME != "image/png" || tt.width > 0 && config.Width != tt.width {
			t.Errorf("preview %s: %s, %d wide, %v", tt.params, c.MIME, config.Width, err)
		}
	}
	c, err := ask("format:svg", "width:300")
	if err != nil || c.MIME != "image/svg+xml" || !strings.Contains(string(c.Data), `width="300"`) {
		t.Errorf("%v: %s %.100s", err, c.MIME, c.Data)
	}
	for params, want := range map[string]string{"format:bmp": "format:svg", "width:1600": "1568", "width:8": "16", "width:x": "width", "colour:red": "page:N"} {
		if _, err := ask(params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("preview %s: %v", params, err)
		}
	}
}

func TestAPictureInPixelsIsExported(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A")
	d.run("style A fill:#ff0000")
	out, err := d.in.Export(&abi.ExportRequest{Format: "png", Params: []abi.KeyValue{{Key: "width", Value: "280"}}})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(out.Data))
	if err != nil || img.Bounds().Dx() != 280 {
		t.Fatalf("%v, %v", img, err)
	}
	red := color.NRGBAModel.Convert(img.At(60, img.Bounds().Dy()/2)).(color.NRGBA)
	if red.R < 200 || red.G > 60 || red.B > 60 {
		t.Errorf("the shape is %v", red)
	}
	if _, err := d.in.Export(&abi.ExportRequest{Format: "png", Params: []abi.KeyValue{{Key: "width", Value: "5000"}}}); err == nil || !strings.Contains(err.Error(), "4096") {
		t.Errorf("5000 pixels: %v", err)
	}
}
