package arrange

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// picture draws a result as SVG.
func picture(g *Graph, names []string, r Result) string {
	w, h := 0, 0
	for _, b := range r.Boxes {
		w, h = max(w, b.X+b.W), max(h, b.Y+b.H)
	}
	for _, t := range r.Routes {
		for _, q := range t.Points {
			w, h = max(w, q.X), max(h, q.Y)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -40 %d %d" width="%d" height="%d" font-family="Helvetica" font-size="12">`, w+40, h+60, w+40, h+60)
	b.WriteString(`<defs><marker id="a" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0L10,5L0,10z"/></marker></defs><rect x="-20" y="-40" width="100%" height="100%" fill="white"/>`)
	fmt.Fprintf(&b, `<text x="0" y="-22" font-size="13" fill="#a00">%s</text>`, r.Score)
	frames := map[int]bool{}
	for _, x := range g.Boxes {
		frames[x.Parent] = true
	}
	for i, x := range r.Boxes {
		if frames[i] {
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="8" fill="#3366cc" fill-opacity=".07" stroke="#888"/><text x="%d" y="%d" font-weight="bold">%s</text>`, x.X, x.Y, x.W, x.H, x.X+10, x.Y+18, names[i])
		}
	}
	for i, x := range r.Boxes {
		if frames[i] {
			continue
		}
		switch g.Boxes[i].Kind {
		case Diamond:
			fmt.Fprintf(&b, `<path d="M%d,%dl%d,%dl%d,%dl%d,%dz" fill="#fff" stroke="#000"/>`, x.X, x.Y+x.H/2, x.W/2, -x.H/2, x.W/2, x.H/2, -x.W/2, x.H/2)
		case Ellipse:
			fmt.Fprintf(&b, `<ellipse cx="%d" cy="%d" rx="%d" ry="%d" fill="#fff" stroke="#000"/>`, x.X+x.W/2, x.Y+x.H/2, x.W/2, x.H/2)
		case Hexagon:
			fmt.Fprintf(&b, `<path d="M%d,%dl20,%dh%dl20,%dl-20,%dh%dz" fill="#fff" stroke="#000"/>`, x.X, x.Y+x.H/2, -x.H/2, x.W-40, x.H/2, x.H/2, 40-x.W)
		default:
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="#fff" stroke="#000"/>`, x.X, x.Y, x.W, x.H, 6+20*int(g.Boxes[i].Kind/Cylinder))
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, x.X+x.W/2, x.Y+x.H/2+4, names[i])
	}
	for i, t := range r.Routes {
		var d strings.Builder
		for k, q := range t.Points {
			fmt.Fprintf(&d, "%c%d,%d", "ML"[min(k, 1)], q.X, q.Y)
		}
		dash := ""
		if g.Edges[i].Class == 1 {
			dash = ` stroke-dasharray="6 4"`
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="#222" stroke-linejoin="round" marker-end="url(#a)"%s/>`, d.String(), dash)
	}
	for i, t := range r.Routes {
		if e := g.Edges[i]; e.LabelW > 0 {
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#ffd" fill-opacity=".9"/><text x="%d" y="%d" text-anchor="middle" font-size="11">%s</text>`, t.Label.X-e.LabelW/2, t.Label.Y-e.LabelH/2, e.LabelW, e.LabelH, t.Label.X, t.Label.Y+4, strings.Repeat("x", (e.LabelW-6)/6))
		}
	}
	b.WriteString("</svg>")
	return strings.ReplaceAll(b.String(), "&", "&amp;")
}

// With ARRANGE_PICTURES=FOLDER the corpus is drawn there.
func TestPictures(t *testing.T) {
	folder := os.Getenv("ARRANGE_PICTURES")
	if folder == "" {
		t.Skip("ARRANGE_PICTURES is not set")
	}
	for _, b := range corpus {
		g, names := b.read(t)
		r := Arrange(g, Options{Dir: b.dir})
		t.Logf("%-14s %s", b.name, r.Score)
		if err := os.WriteFile(filepath.Join(folder, b.name+".svg"), []byte(picture(g, names, r)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
