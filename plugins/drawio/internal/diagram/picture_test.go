package diagram

import (
	"bytes"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestAPictureThatHoldsTheFileStaysAPicture(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A")
	d.run(`add db "B & <C>"`)
	d.run(`connect A -> "B & <C>" label:reads`)
	plain := d.bytes()
	for format, begins := range map[string]string{"drawio.svg": "<svg", "drawio.png": "\x89PNG"} {
		made, err := d.in.Export(&abi.ExportRequest{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		e := openDoc(t, made.Data)
		if e.bytes() != string(made.Data) {
			t.Errorf("%s: open and save change the picture", format)
		}
		e.run("style A theme:red")
		if got := e.bytes(); !strings.HasPrefix(got, begins) || !strings.Contains(got, "f8cecc") {
			t.Errorf("%s: the picture is not drawn again: %.300s", format, got)
		}
		e.undo()
		if e.bytes() != string(made.Data) {
			t.Errorf("%s: undo does not bring the picture's bytes back", format)
		}
		data, err := e.in.Model().Bytes()
		if err != nil || string(data) != plain {
			t.Errorf("%s: the picture holds another file", format)
		}
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

func TestPreviewIsAPNG(t *testing.T) {
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
	}{{"width:300", 300}, {"", 0}, {"format:png page:1 width:1568", 1568}, {"width:1600", 1568}} {
		c, err := ask(strings.Fields(tt.params)...)
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(c.Data))
		if err != nil || c.MIME != "image/png" || tt.width > 0 && config.Width != tt.width {
			t.Errorf("preview %s: %s, %d wide, %v", tt.params, c.MIME, config.Width, err)
		}
	}
	if r, err := d.in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "preview", Params: []abi.KeyValue{{Key: "width", Value: "1600"}}}}); err != nil || !strings.HasSuffix(r.Text, "\nwidth:1600 is more than there can be; this is width:1568") {
		t.Errorf("a picture that is less wide than was asked for says %v, %v", r, err)
	}
	c, err := ask("format:svg", "width:300")
	if err != nil || c.MIME != "image/svg+xml" || !strings.Contains(string(c.Data), `width="300"`) {
		t.Errorf("%v: %s %.100s", err, c.MIME, c.Data)
	}
	d.run("add svc \"Two words\" near:A dir:right", "connect A -> \"Two words\"", "page add P")
	r, err := d.in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "preview", Params: []abi.KeyValue{{Key: "format", Value: "svg"}, {Key: "page", Value: "1"}}}})
	if err != nil || len(r.Areas) != 3 || r.Areas[1].Name != "A" || r.Areas[2].Name != `"Two words"` || r.Areas[0].Width < 2000 || r.Areas[1].Width != 14000 || len(r.Pages) != 2 || r.Page != 1 {
		t.Errorf("people are shown %+v %q of page %d, %v", r.Areas, r.Pages, r.Page, err)
	}
	for params, want := range map[string]string{"format:bmp": "format:svg", "width:8": "16", "width:x": "width"} {
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

func TestWidthScaleAndTransparencyOfAPicture(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A size:100x50")
	export := func(format string, params ...string) ([]byte, error) {
		r := &abi.ExportRequest{Format: format}
		for _, p := range params {
			key, value, _ := strings.Cut(p, ":")
			r.Params = append(r.Params, abi.KeyValue{Key: key, Value: value})
		}
		out, err := d.in.Export(r)
		return out.Data, err
	}
	for _, format := range []string{"png", "drawio.png"} {
		data, err := export(format, "scale:3", "transparent:true")
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Dx() != 360 || img.Bounds().Dy() != 210 {
			t.Fatalf("%s: %v, %v", format, img.Bounds(), err)
		}
		if _, _, _, a := img.At(1, 1).RGBA(); a != 0 {
			t.Errorf("%s: the corner is not transparent: %d", format, a)
		}
		if r, _, _, a := img.At(60, 105).RGBA(); a != 0xffff || r != 0xffff {
			t.Errorf("%s: the shape is not white: %d %d", format, r, a)
		}
	}
	for _, format := range []string{"svg", "drawio.svg"} {
		data, err := export(format, "scale:0.5", "transparent:true")
		if err != nil || !strings.Contains(string(data), `width="60" height="35" viewBox`) || strings.Contains(string(data), "<rect") {
			t.Errorf("%s: %v %.300s", format, err, data)
		}
	}
	for want, params := range map[string][]string{"give one": {"scale:2", "width:300"}, "there may be 4096": {"scale:19", "page:1"}, "only page: width: scale: transparent:": {"clear:true"}, "transparent": {"transparent:perhaps"}} {
		d.run("resize A size:400x50")
		if _, err := export("png", params...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", params, err)
		}
		d.undo()
	}
	if _, err := export("html", "scale:2"); err == nil || !strings.Contains(err.Error(), "only page: width:") {
		t.Errorf("html: %v", err)
	}
}
