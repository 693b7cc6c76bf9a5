package drawing

import (
	"bytes"
	"fmt"
	imagecolor "image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk/picture"
)

// pictureDifference returns the difference of the pictures of two documents: the root
// mean square of the differences of the channels, from 0 to 1. ok is false if one of
// the documents cannot be drawn.
func pictureDifference(t testing.TB, a, b []byte) (far float64, ok bool) {
	t.Helper()
	p, err := picture.Draw(a, picture.Options{Width: 200, Exact: true})
	if err != nil {
		return 0, false
	}
	q, err := picture.Draw(b, picture.Options{Width: 200, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(p.PNG, q.PNG) {
		return 0, true
	}
	x, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatal(err)
	}
	y, err := png.Decode(bytes.NewReader(q.PNG))
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0
	for j := range x.Bounds().Dy() {
		for i := range x.Bounds().Dx() {
			c, d := imagecolor.RGBAModel.Convert(x.At(i, j)).(imagecolor.RGBA), imagecolor.RGBAModel.Convert(y.At(i, j)).(imagecolor.RGBA)
			for _, v := range [3]float64{float64(c.R) - float64(d.R), float64(c.G) - float64(d.G), float64(c.B) - float64(d.B)} {
				sum += v * v / 255 / 255
				n++
			}
		}
	}
	return math.Sqrt(sum / float64(n)), true
}

func sortedNames(files map[string][]byte) (out []string) {
	for n := range files {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func TestAnOutlineLooksAsTheStrokeDid(t *testing.T) {
	files := corpus(t)
	delete(files, filepath.Join("filters", "filter", "on-a-vertical-line.svg")) // this filter draws nothing without a height
	done := 0
	for _, name := range soak.Some(t, namesIn(files, "painting", "shapes", "filters"), 3) {
		s := openSketch(t, filepath.Base(name), files[name])
		reply := s.try("outline @all")
		if reply.Error != nil || len(reply.Warnings) > 0 {
			continue
		}
		far, drawn := pictureDifference(t, files[name], []byte(s.bytes()))
		if !drawn {
			continue
		}
		done++
		if far > 0.02 {
			t.Errorf("%s: %.4f: %s", name, far, reply.Text)
		}
	}
	t.Logf("%d files", done)
}

// namesIn returns the names of the files in some folders, for tests that take too long
// with all files.
func namesIn(files map[string][]byte, folders ...string) []string {
	return slices.DeleteFunc(sortedNames(files), func(name string) bool {
		folder, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		return !slices.Contains(folders, folder)
	})
}

func TestOptimizedFilesLookTheSame(t *testing.T) {
	files := corpus(t)
	before, after := 0, 0
	for _, name := range soak.Some(t, namesIn(files, "painting", "paint-servers", "shapes", "structure", "masking"), 3) {
		s := openSketch(t, filepath.Base(name), files[name])
		reply := s.try("optimize")
		saved := []byte(s.bytes())
		before, after = before+len(files[name]), after+len(saved)
		if far, drawn := pictureDifference(t, files[name], saved); drawn && far > 0.003 {
			t.Errorf("%s: %.4f: %s", name, far, reply.Text)
		}
	}
	t.Logf("%d bytes, were %d", after, before)
}

func TestWhatIsShortened(t *testing.T) {
	for _, c := range []struct{ head, from, to string }{
		{"", `<rect width="9" fill="#ff0000" stroke="#aabbcc"/>`, `<rect width="9" fill="red" stroke="#abc"/>`},
		{"", `<rect width="9" fill="RGB(0,0,128)" stroke="white"/>`, `<rect width="9" fill="navy" stroke="#fff"/>`},
		{"", `<rect width="9" fill="rgba(255,0,0,.5)"/>`, `<rect width="9" fill="rgba(255,0,0,.5)"/>`},
		{"", `<rect width="9" style="fill:#ff0000; stroke-width: 2.00000px; opacity:1;"/>`, `<rect width="9" style="fill:red;stroke-width:2px"/>`},
		{"", `<rect width="9" opacity="1" stroke="none" fill-opacity="1.0" fill="blue"/>`, `<rect width="9" fill="blue"/>`},
		{"", `<g fill="red"><rect width="9" fill="black"/></g>`, `<g fill="red"><rect width="9" fill="#000"/></g>`},
		{"", `<g fill="red"><rect width="9" fill="#f00"/></g>`, `<g fill="red"><rect width="9"/></g>`},
		{"<style>rect{opacity:.5}</style>", `<rect width="9" style="opacity:1"/>`, `<rect width="9" style="opacity:1"/>`},
		{"<style>rect[fill='black']{opacity:.5}</style>", `<rect width="9" fill="black"/>`, `<rect width="9" fill="black"/>`},
		{`<g fill="red"><use href="#a"/></g>`, `<rect id="a" width="9" fill="black"/>`, `<rect id="a" width="9" fill="#000"/>`},
		{"", `<g transform="matrix(1 0 0 1 10.00001 0)"><rect width="9"/></g>`, `<g transform="translate(10)"><rect width="9"/></g>`},
		{"", `<g transform="translate(0, 0)"><rect width="9"/></g>`, `<g><rect width="9"/></g>`},
		{"", `<g transform="rotate(30.000001, 0, 0) scale(2, 2)"><rect width="9"/></g>`, `<g transform="rotate(30)scale(2)"><rect width="9"/></g>`},
		{"", `<g transform="translate(5 5) translate(-5 -5)"><rect width="9"/></g>`, `<g><rect width="9"/></g>`},
		{"", `<path d="M 100.0001 50 L 110 50 L 110 60 L 100 60 Z"/>`, `<path d="M100 50h10v10h-10z"/>`},
		{"", `<g transform="scale(1000)"><path d="M 0.10001 0.05 L 0.11 0.05"/></g>`, `<g transform="scale(1000)"><path d="M.10001.05H.11"/></g>`},
		{"", `<polygon points="1.00001, 2 3.5, 4 5, 0.5"/>`, `<polygon points="1 2 3.5 4 5 .5"/>`},
	} {
		head := `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">` + c.head
		s := openSketch(t, "a.svg", []byte(head+c.from+"</svg>"))
		s.try("optimize")
		if got := strings.TrimSuffix(strings.TrimPrefix(s.bytes(), head), "</svg>"); got != c.to {
			t.Errorf("%s is\n%s\nwant\n%s", c.from, got, c.to)
		}
	}
	s := openSketch(t, "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="9.0" fill="#ff0000"/></svg>`))
	if r := s.try("optimize keep:looks,numbers"); r.Kind != "unchanged" {
		t.Errorf("%v %s", r.Kind, r.Text)
	}
}

// The union of black shapes looks the same as the shapes.
func TestAUnionLooksAsTheShapesDid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var b strings.Builder
		n := func(most int) float64 { return float64(r.IntN(most*10)) / 10 }
		for i := range 2 + r.IntN(3) {
			how := fmt.Sprintf(`id="s%d" transform="translate(%v %v) rotate(%v) scale(%v %v) skewX(%v)"`, i, n(150)+20, n(70)+10, n(360), 0.5+n(2), 0.5+n(2), n(40))
			switch r.IntN(5) {
			case 0:
				fmt.Fprintf(&b, `<rect %s width="%v" height="%v" rx="%v"/>`, how, 10+n(50), 10+n(30), n(9))
			case 1:
				fmt.Fprintf(&b, `<ellipse %s rx="%v" ry="%v"/>`, how, 5+n(30), 5+n(20))
			case 2:
				fmt.Fprintf(&b, `<path %s fill-rule="evenodd" d="M0 0C%v %v %v %v %v %vS%v %v 9 9Z"/>`, how, n(60), n(60), n(60), n(60), n(60), n(60), n(60), n(60))
			case 3:
				fmt.Fprintf(&b, `<polygon %s points="%v,%v %v,%v %v,%v %v,%v"/>`, how, n(60), n(60), n(60), n(60), n(60), n(60), n(60), n(60))
			case 4:
				fmt.Fprintf(&b, `<g %s><circle r="%v"/><path d="M0 0A%v %v 20 0 1 %v %vL-20 20"/></g>`, how, 5+n(20), 5+n(30), 5+n(30), n(50), n(50))
			}
		}
		before := `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><path id="first" d="M5 5H30V60Q0 50 5 5"/>` + b.String() + "</svg>"
		s := openSketch(t, "a.svg", []byte(before))
		reply := s.try("bool union @depth:1")
		if reply.Error != nil {
			t.Fatalf("%v in %s", reply.Error, before)
		}
		if far, drawn := pictureDifference(t, []byte(before), []byte(s.bytes())); !drawn || far > 0.02 {
			t.Errorf("%.4f: %s\n%s\n%s", far, reply.Text, before, s.bytes())
		}
	}
}
