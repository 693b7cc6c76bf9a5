package vector_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

var fontUnits = regexp.MustCompile(`[0-9](ch|ex|lh|vmin|vmax|vw|vh)"`)

// drawn lists the elements whose boxes are compared.
const drawn = "rect circle ellipse line polyline polygon path"

// The fill boxes of all shapes equal those of a browser's getBBox().
func TestJudgeABrowserSeesTheSameBoxes(t *testing.T) {
	var names, texts []string
	for _, folder := range []string{"structure", "shapes", "painting", "paint-servers"} {
		files, _ := filepath.Glob(filepath.Join(suite(t), folder, "*", "*.svg"))
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := xmltree.Parse(string(data)); err != nil || strings.Contains(string(data), "<!ENTITY") || strings.Contains(f, "xmlns-validation") {
				continue // some are broken on purpose, or have shapes of other namespaces or entities, which we do not expand
			}
			names, texts = append(names, f), append(texts, string(data))
		}
	}
	theirs := judge.Lays(t, "", texts, strings.Fields(drawn))
	compared, hidden := 0, 0
	for i, name := range names {
		root, _ := xmltree.Parse(texts[i])
		ours := shapes(root, nil, nil)
		if len(ours) != len(theirs[i]) {
			t.Errorf("%s: %d shapes, the browser sees %d", name, len(ours), len(theirs[i]))
			continue
		}
		for k, s := range ours {
			l := theirs[i][k]
			their := [4]float64{l.X, l.Y, l.Width, l.Height}
			b, ok := s.path.Box(vector.Identity())
			if !ok && their[2]*their[3] == 0 {
				continue // an empty shape; the browser reports the side that it has
			}
			if their == [4]float64{} && ok {
				hidden++ // the browser does not lay it out
				continue
			}
			if s.measured {
				continue
			}
			compared++
			got := [4]float64{b.X0, b.Y0, b.Width(), b.Height()}
			for j := range got {
				if !(math.Abs(got[j]-their[j]) <= 0.5) {
					t.Errorf("%s: %s %d has the box %v, in the browser %v", name, s.name, k, got, their)
					break
				}
			}
		}
	}
	t.Logf("%d boxes of %d files are the same; the browser does not lay out %d", compared, len(names), hidden)
	if compared < 500 {
		t.Errorf("only %d boxes were compared", compared)
	}
}

// suite is the folder with the files of resvg's tests.
func suite(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	for err == nil && at != filepath.Dir(at) {
		dir := filepath.Join(at, "shared", "data", "svg")
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		at = filepath.Dir(at)
	}
	t.Skip("resvg's files are not here: they belong into ../shared/data/svg")
	return ""
}

type shape struct {
	name     string
	path     vector.Path
	measured bool // in units of fonts or windows, which depend on the browser
}

// shapes appends the shapes of an element, with lengths relative to the nearest viewport.
func shapes(e *xmltree.Element, above []*xmltree.Element, out []shape) []shape {
	name := xmltree.Local(e.Name)
	if len(above) > 0 && strings.Contains(" "+drawn+" ", " "+name+" ") {
		out = append(out, shape{name, pathOf(name, e, above), fontUnits.MatchString(e.Raw())})
	}
	above = append(above, e)
	for _, c := range e.Children {
		out = shapes(c, above[:len(above):len(above)], out)
	}
	return out
}

// pathOf reads a shape's attributes, or the same properties of a style attribute.
func pathOf(name string, e *xmltree.Element, above []*xmltree.Element) vector.Path {
	w, h := viewport(above)
	size := fontSize(append(above[:len(above):len(above)], e))
	num := func(key string, whole, def float64) float64 { return length(value(e, key), whole, size, def) }
	x := func(key string) float64 { return num(key, w, 0) }
	y := func(key string) float64 { return num(key, h, 0) }
	diagonal := math.Sqrt((w*w + h*h) / 2)
	switch name {
	case "rect":
		return vector.Rect(x("x"), y("y"), x("width"), y("height"), num("rx", w, -1), num("ry", h, -1))
	case "circle":
		return vector.Circle(x("cx"), y("cy"), num("r", diagonal, 0))
	case "ellipse":
		rx, ry := num("rx", w, -1), num("ry", h, -1)
		if rx < 0 {
			rx = ry
		}
		if ry < 0 {
			ry = rx
		}
		return vector.Ellipse(x("cx"), y("cy"), rx, ry)
	case "line":
		return vector.Straight(x("x1"), y("y1"), x("x2"), y("y2"))
	case "polyline", "polygon":
		return vector.Polygon(vector.Numbers(value(e, "points"), 1000), name == "polygon")
	}
	p, _ := vector.Parse(value(e, "d"))
	return p
}

func value(e *xmltree.Element, key string) string {
	style, _ := e.Attr("style")
	for one := range strings.SplitSeq(style, ";") {
		if k, v, ok := strings.Cut(one, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	v, _ := e.Attr(key)
	return v
}

// viewport is the size of the coordinate system of the innermost of these svg elements.
func viewport(above []*xmltree.Element) (w, h float64) {
	w, h = 300, 150
	for i, e := range above {
		if name := xmltree.Local(e.Name); name != "svg" && name != "symbol" {
			continue
		}
		if box := vector.Numbers(value(e, "viewBox"), 4); len(box) == 4 && box[2] > 0 && box[3] > 0 {
			w, h = box[2], box[3]
		} else if xmltree.Local(e.Name) == "svg" {
			size := fontSize(above[:i+1])
			w, h = length(value(e, "width"), w, size, w), length(value(e, "height"), h, size, h)
		}
	}
	return w, h
}

func fontSize(above []*xmltree.Element) float64 {
	size := 16.0
	for _, e := range above {
		size = length(value(e, "font-size"), size, size, size)
	}
	return size
}

// length reads a number with a unit.
func length(s string, whole, font, def float64) float64 {
	r := vector.NewScanner(s)
	f, ok := r.Number()
	if !ok {
		return def
	}
	unit, ok := map[string]float64{
		"": 1, "px": 1, "%": whole / 100, "em": font, "rem": 16, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "Q": 96 / 101.6,
	}[strings.TrimSpace(r.Rest())]
	if !ok {
		return def
	}
	return f * unit
}
