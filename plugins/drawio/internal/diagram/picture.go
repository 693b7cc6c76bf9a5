package diagram

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

type format = pdk.Format[*file]

// formats are the pictures that export writes.
func formats() []format {
	return []format{
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "a picture of the current page, or of page:N"}, Write: exportSVG},
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "the same as pixels"}, Write: exportPNG},
		{Format: abi.Format{Name: "html", Extension: ".html", MIME: "text/html", Summary: "all pages as pictures in one page for browsers"}, Write: exportHTML},
		{Format: abi.Format{Name: "drawio.svg", Extension: ".drawio.svg", MIME: "image/svg+xml", Summary: "a picture of the current page that holds the whole file; draw.io and open read it"}, Write: exportBoth},
	}
}

// broadest is how many pixels wide an SVG may be drawn.
const broadest = 8192

// pictured is the page that page:N names, and the width:N to draw it in, at
// most broadest; 0 where none is named.
func pictured(f *file, a pdk.Args, broadest float64) (*mxfile.Page, float64, error) {
	for _, kv := range a.Params {
		if kv.Key != "page" && kv.Key != "width" {
			err := pdk.Errorf("unknown parameter %s:; there are page:N and width:N", kv.Key)
			near := pdk.Nearest(kv.Key, []string{"page", "width"})
			for _, k := range near {
				err.Try(a.Mended(pdk.WithKey(kv.Key, k)))
			}
			if len(near) == 0 {
				err.Try(a.Mended(pdk.Without(kv.Key)))
			}
			return nil, 0, err
		}
	}
	p := f.Current
	if v, ok := a.Param("page"); ok {
		var err error
		if p, err = pageRef(f, v, false); err != nil {
			return nil, 0, err
		}
	}
	width, err := a.Float("width", 0, 16, broadest)
	return p, width, err
}

func exportSVG(f *file, a pdk.Args) ([]byte, error) {
	p, width, err := pictured(f, a, broadest)
	if err != nil {
		return nil, err
	}
	return []byte(svg.Page(p, svg.Options{Width: width})), nil
}

func exportPNG(f *file, a pdk.Args) ([]byte, error) {
	p, width, err := pictured(f, a, picture.MaxWidth)
	if err != nil {
		return nil, err
	}
	out, err := picture.PNG([]byte(svg.Page(p, svg.Options{})), int(width))
	if err != nil {
		return nil, pdk.Errorf("%v", err)
	}
	return out, nil
}

func exportBoth(f *file, a pdk.Args) ([]byte, error) {
	p, width, err := pictured(f, a, broadest)
	if err != nil {
		return nil, err
	}
	data, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	return []byte(svg.Page(p, svg.Options{Width: width, Content: string(data)})), nil
}

func exportHTML(f *file, a pdk.Args) ([]byte, error) {
	_, width, err := pictured(f, a, broadest)
	if err != nil {
		return nil, err
	}
	pages := f.Pages
	if a.Has("page") {
		p, _, err := pictured(f, a, broadest)
		if err != nil {
			return nil, err
		}
		pages = []*mxfile.Page{p}
	}
	title := f.Title()
	if title == "" {
		title = f.Pages[0].Name
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>" + html.EscapeString(title) +
		"</title>\n<style>body{font-family:Helvetica,Arial,sans-serif;margin:24px}svg{max-width:100%;height:auto}</style>\n</head>\n<body>\n")
	for i, p := range pages {
		b.WriteString("<h2>" + html.EscapeString(p.Name) + "</h2>\n")
		picture := svg.Page(p, svg.Options{Width: width})
		// The ids of gradients are those of their picture.
		picture = strings.ReplaceAll(strings.ReplaceAll(picture, `id="g`, `id="p`+strconv.Itoa(i+1)+"g"), `url(#g`, `url(#p`+strconv.Itoa(i+1)+"g")
		b.WriteString(picture)
	}
	b.WriteString("</body>\n</html>\n")
	return []byte(b.String()), nil
}

func previewQuery() query {
	return query{Run: runPreview, Query: abi.Query{Name: "preview", Syntax: "preview [page:N] [width:N]", Summary: "a picture of a page"}}
}

// runPreview answers with a PNG unless it is told otherwise: models see no SVG.
func runPreview(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if len(a.Positionals) > 0 || len(a.Selectors) > 0 {
		return abi.QueryResponse{}, noPreview(a)
	}
	format := "png"
	op := *a.Op
	op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(kv abi.KeyValue) bool {
		if kv.Key == "format" {
			format = strings.ToLower(kv.Value)
		}
		return kv.Key == "format"
	})
	a.Op = &op
	most := float64(picture.Side)
	switch format {
	case "png":
	case "svg":
		most = broadest
	default:
		return abi.QueryResponse{}, pdk.Errorf("preview draws format:png and format:svg, not %s", pdk.Quote(format)).Try(a.Mended())
	}
	p, width, err := pictured(v.Model, a, most)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	content := abi.Content{MIME: "image/svg+xml"}
	if format == "svg" {
		content.Data = []byte(svg.Page(p, svg.Options{Width: width}))
	} else {
		content.MIME = "image/png"
		if content.Data, err = picture.Preview([]byte(svg.Page(p, svg.Options{})), int(width)); err != nil {
			return abi.QueryResponse{}, pdk.Errorf("%v; export svg writes the drawing to a file", err)
		}
	}
	t := count(p)
	return abi.QueryResponse{
		Text:    fmt.Sprintf("preview of page %s: %ds %de %dg", pageTitle(v.Model, p), t.shapes, t.edges, t.groups),
		Content: []abi.Content{content},
	}, nil
}

// noPreview refuses words behind preview: one may be the value of a key.
func noPreview(a pdk.Args) error {
	err := pdk.Errorf("preview takes page:N and width:N")
	word := a.Text(0)
	_, bad := strconv.Atoi(word)
	switch {
	case len(a.Positionals) == 1 && (word == "svg" || word == "png"):
		return err.Try(a.Mended(pdk.WithoutWord(0), pdk.WithParam("format", word)))
	case len(a.Positionals) == 1 && bad == nil:
		return err.Try(a.Mended(pdk.WithoutWord(0), pdk.WithParam("page", word)), "preview")
	}
	return err.Try("preview")
}

// save is the file as it came: a picture that holds a diagram stays one, with
// the same bytes while the diagram is the same, and is drawn again otherwise.
func save(f *file) ([]byte, error) {
	data, err := f.Bytes()
	picture, holds := f.Picture()
	switch {
	case err != nil || picture == "":
		return data, err
	case string(data) == holds:
		return []byte(picture), nil
	}
	return drawn(f, data), nil
}

// saveAs writes a picture that holds the file under the name of a picture, and
// the file itself under that of a file. A file keeps what it came as while it
// keeps the extension that it came with, right or wrong.
func saveAs(f *file, name string) ([]byte, error) {
	ext := func(s string) string { return strings.ToLower(path.Ext(s)) }
	picture, _ := f.Picture()
	switch kind := ext(name); {
	case f.Named != "" && kind == ext(f.Named):
	case kind == ".svg" && picture == "":
		data, err := f.Bytes()
		if err != nil {
			return nil, err
		}
		return drawn(f, data), nil
	case (kind == ".drawio" || kind == ".xml") && picture != "":
		return f.Bytes()
	}
	return save(f)
}

// drawn is the picture of the first page that holds the file.
func drawn(f *file, data []byte) []byte {
	return []byte(svg.Page(f.Pages[0], svg.Options{Content: string(data)}))
}
