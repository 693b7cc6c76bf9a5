// Package exporter writes a document as a picture, as HTML or as Mermaid text.
package exporter

import (
	"fmt"
	"html"
	"path"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

type format = pdk.Format[*file]

// Formats lists the formats that export writes.
func Formats() []format {
	drawn := []string{"page", "width", "scale", "transparent"}
	return []format{
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "a picture of the current page, or of page:N, width:N pixels wide or scale:N times its size; transparent:true without a background"}, Params: drawn, Write: exportSVG},
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "the same picture as a PNG"}, Params: drawn, Write: exportPNG},
		{Format: abi.Format{Name: "html", Extension: ".html", MIME: "text/html", Summary: "all pages as pictures in one page for browsers"}, Params: []string{"page", "width"}, Write: exportHTML},
		{Format: abi.Format{Name: "drawio.svg", Extension: ".drawio.svg", MIME: "image/svg+xml", Summary: "an SVG that contains the whole file; draw.io and open read it"}, Params: drawn, Write: exportSVGWithFile},
		{Format: abi.Format{Name: "drawio.png", Extension: ".drawio.png", MIME: "image/png", Summary: "a PNG that contains the whole file"}, Params: drawn, Write: exportPNGWithFile},
		{Format: abi.Format{Name: "mermaid", Extension: ".mmd", MIME: "text/vnd.mermaid", Summary: "the current page, or page:N, as Mermaid text: flowchart, sequenceDiagram, classDiagram, erDiagram, mindmap or gantt"}, Params: []string{"page"}, Write: exportMermaid},
	}
}

// maxWidth is the greatest width of an SVG, in pixels.
const maxWidth = 8192

// shot says what part of a document to draw, and how.
type shot struct {
	page  *mxfile.Page
	width float64 // in pixels, 0 if not given
	scale float64 // 0 if not given
	clear bool
}

// readShot reads the parameters of an export or a preview: page:N, width:N up to broadest, scale:N and transparent:true.
func readShot(f *file, a pdk.Args, broadest float64) (shot, error) {
	s := shot{page: f.Current}
	var err error
	if v, ok := a.Param("page"); ok {
		if s.page, err = selector.Page(f, v, false); err != nil {
			return s, err
		}
	}
	if s.width, err = a.Float("width", 0, 16, broadest); err != nil {
		return s, err
	}
	if s.scale, err = a.Float("scale", 0, 0.05, 20); err != nil {
		return s, err
	}
	if a.Has("width") && a.Has("scale") {
		return s, pdk.Errorf("width: and scale: both say how large the picture is: give one").Try(a.Mended(pdk.Without("width")), a.Mended(pdk.Without("scale")))
	}
	s.clear, err = a.Bool("transparent", false)
	return s, err
}

// svg draws the picture as SVG with a content attribute.
func (s shot) svg(content string) []byte {
	return []byte(svg.Page(s.page, s.options(content)))
}

func (s shot) options(content string) svg.Options {
	return svg.Options{Width: s.width, Scale: s.scale, Clear: s.clear, Content: content}
}

// png draws the picture as PNG.
func (s shot) png() ([]byte, error) {
	drawn, wide := svg.PageAndWidth(s.page, svg.Options{Scale: s.scale, Clear: s.clear})
	if s.scale > 0 {
		if s.width = wide; wide > picture.MaxWidth {
			return nil, pdk.Errorf("with scale:%s the picture is %s pixels wide; there may be %d", mxfile.Num(s.scale), mxfile.Num(wide), picture.MaxWidth)
		}
	}
	do := picture.PNG
	if s.clear {
		do = picture.Clear
	}
	out, err := do([]byte(drawn), int(s.width))
	if err != nil {
		return nil, pdk.Errorf("%v", err)
	}
	return out, nil
}

func exportSVG(f *file, a pdk.Args) ([]byte, error) {
	s, err := readShot(f, a, maxWidth)
	if err != nil {
		return nil, err
	}
	return s.svg(""), nil
}

func exportPNG(f *file, a pdk.Args) ([]byte, error) {
	s, err := readShot(f, a, picture.MaxWidth)
	if err != nil {
		return nil, err
	}
	return s.png()
}

func exportSVGWithFile(f *file, a pdk.Args) ([]byte, error) {
	s, err := readShot(f, a, maxWidth)
	if err != nil {
		return nil, err
	}
	data, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	return s.svg(string(data)), nil
}

func exportPNGWithFile(f *file, a pdk.Args) ([]byte, error) {
	out, err := exportPNG(f, a)
	if err != nil {
		return nil, err
	}
	data, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	return mxfile.InPNG(out, string(data)), nil
}

func exportHTML(f *file, a pdk.Args) ([]byte, error) {
	s, err := readShot(f, a, maxWidth)
	if err != nil {
		return nil, err
	}
	pages := f.Pages
	if a.Has("page") {
		pages = []*mxfile.Page{s.page}
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
		picture := svg.Page(p, svg.Options{Width: s.width})
		// Ids of gradients must be unique in the page.
		picture = strings.ReplaceAll(strings.ReplaceAll(picture, `id="g`, `id="p`+strconv.Itoa(i+1)+"g"), `url(#g`, `url(#p`+strconv.Itoa(i+1)+"g")
		b.WriteString(picture)
	}
	b.WriteString("</body>\n</html>\n")
	return []byte(b.String()), nil
}

func PreviewQuery() query {
	return query{Run: runPreview, Query: abi.Query{Syntax: "preview [page:N] [width:N]", Summary: "a picture of a page",
		Takes: &abi.Takes{Select: true, Max: -1, Params: []abi.Param{{Key: "page", Value: "N"}, {Key: "width", Value: "N"}, {Key: "format", Value: "png|svg"}}}}}
}

// runPreview answers with a PNG unless the query asks for SVG: models cannot see SVG.
func runPreview(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if len(a.Positionals) > 0 || len(a.Selectors) > 0 {
		return abi.QueryResponse{}, noPreview(a)
	}
	inSVG, err := a.WantsSVG()
	if err != nil {
		return abi.QueryResponse{}, err
	}
	most := float64(picture.Side)
	if inSVG {
		most = maxWidth
	}
	a, note := a.AtMost("width", int(most))
	shown, err := readShot(v.Model, a, most)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	p := shown.page
	content := abi.Content{MIME: "image/svg+xml"}
	var places []svg.Place
	if inSVG {
		var text string
		text, places = svg.PageAndPlaces(p, shown.options(""))
		content.Data = []byte(text)
	} else {
		content.MIME = "image/png"
		if content.Data, err = picture.Preview([]byte(svg.Page(p, svg.Options{})), int(shown.width)); err != nil {
			return abi.QueryResponse{}, pdk.Errorf("%v; export svg writes the drawing to a file", err)
		}
	}
	t := model.Count(p)
	out := abi.QueryResponse{
		Text:    fmt.Sprintf("preview of page %s: %ds %de %dg%s", model.PageTitle(v.Model, p), t.Shapes, t.Edges, t.Groups, note),
		Content: []abi.Content{content},
	}
	if inSVG {
		out.Pages, out.Page, out.Areas = pageTitles(v.Model), v.Model.Number(p), areas(places)
	}
	return out, nil
}

func pageTitles(f *file) (titles []string) {
	for _, p := range f.Pages {
		if len(f.Pages) > 1 {
			titles = append(titles, model.PageTitle(f, p))
		}
	}
	return titles
}

// areas returns the areas of a picture that stand for a cell when someone clicks on them.
func areas(places []svg.Place) (list []abi.Area) {
	for _, at := range places {
		list = append(list, pdk.Area(model.Reference(at.Cell), at.X, at.Y, at.W, at.H, model.ID(at.Cell)))
	}
	return list[:min(len(list), abi.MaxAreas)]
}

// noPreview refuses words after preview. One of them may be the value of a key.
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

// Save writes the document in the form in which it was opened. A picture that holds a
// diagram stays one. It keeps its bytes while the diagram is unchanged, and is drawn again
// otherwise.
func Save(f *file) ([]byte, error) {
	data, err := f.Bytes()
	picture, holds := f.Picture()
	switch {
	case err != nil || picture == "":
		return data, err
	case string(data) == holds:
		return []byte(picture), nil
	case f.InPixels():
		return pictureWithFile(f, data, ".png")
	}
	return pictureWithFile(f, data, ".svg")
}

// SaveAs writes a picture that holds the file if the name is that of a picture, and the file
// itself otherwise. If a document keeps its extension, it keeps its form, even if the extension
// does not match.
func SaveAs(f *file, name string) ([]byte, error) {
	ext := func(s string) string { return strings.ToLower(path.Ext(s)) }
	picture, _ := f.Picture()
	kind := ext(name)
	came := ""
	switch {
	case f.InPixels():
		came = ".png"
	case picture != "":
		came = ".svg"
	}
	switch {
	case f.Named != "" && kind == ext(f.Named):
	case (kind == ".svg" || kind == ".png") && kind != came:
		data, err := f.Bytes()
		if err != nil {
			return nil, err
		}
		return pictureWithFile(f, data, kind)
	case (kind == ".drawio" || kind == ".xml") && picture != "":
		return f.Bytes()
	}
	return Save(f)
}

// pictureWithFile returns a picture of the first page that holds the file. ext selects the kind
// of picture.
func pictureWithFile(f *file, data []byte, ext string) ([]byte, error) {
	s := shot{page: f.Pages[0]}
	if ext == ".svg" {
		return s.svg(string(data)), nil
	}
	out, err := s.png()
	if err != nil {
		return nil, err
	}
	return mxfile.InPNG(out, string(data)), nil
}

type (
	file  = mxfile.File
	cell  = mxfile.Cell
	view  = pdk.View[*mxfile.File]
	query = pdk.Query[*mxfile.File]
)
