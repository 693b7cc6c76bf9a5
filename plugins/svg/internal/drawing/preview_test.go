package drawing

import (
	"bytes"
	"image"
	imagecolor "image/color"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Compare previews of a sample of resvg's files with resvg's pictures; make soak
// compares all.
func TestPreviewsLookAsResvgDrawsThem(t *testing.T) {
	names := drawable(t)
	r := rand.New(rand.NewPCG(4, 2))
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	comparePreviews(t, names[:soak.Times(30, len(names))])
}

func TestAPreviewNamesWhatItDoesNotDraw(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(`<!DOCTYPE svg [<!ENTITY r "<rect/>">]><svg xmlns="http://www.w3.org/2000/svg" width="50" height="50">&r;<foreignObject width="9" height="9"/><image width="9" height="9" href="a.png"/></svg>`))
	if got, want := doc.Query("preview"), "preview of the canvas @(0,0 50x50); not drawn: what entities stand for, foreignObject, image a.png, which is not part of the document"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := pdktest.Open(t, Domain(), "a.svg", []byte(signpost)).Query("preview front"); strings.Contains(got, "not drawn") {
		t.Error(got)
	}
}

// drawable lists the files of the corpus other than those about text and filters.
func drawable(t *testing.T) []string {
	names := slices.Sorted(maps.Keys(corpus(t)))
	return slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "text"+string(filepath.Separator)) || strings.HasPrefix(name, "filters"+string(filepath.Separator))
	})
}

// comparePreviews requires four of five previews to differ from resvg's picture of the
// same size by at most 5 % (root mean square of the differences of the channels, over
// white). It reports which of the other previews name what they do not draw.
func comparePreviews(t *testing.T, names []string) {
	t.Helper()
	files := corpus(t)
	same, told, silent := 0, 0, []string{}
	for _, name := range names {
		want, err := png.Decode(bytes.NewReader(drawnByResvg(t, name)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		doc := pdktest.Open(t, Domain(), filepath.Base(name), files[name])
		q := "preview width:" + strconv.Itoa(want.Bounds().Dx())
		far := 1.0
		for _, c := range doc.QueryContent(q) {
			if got, err := png.Decode(bytes.NewReader(c.Data)); err == nil && got.Bounds() == want.Bounds() {
				far = apart(want, got)
			}
		}
		switch {
		case far <= 0.05:
			same++
		case strings.Contains(doc.Query(q), "not drawn: "):
			told++
		default:
			silent = append(silent, name)
		}
	}
	t.Logf("of %d previews %d look as resvg draws them, %d others say what they lack; silent: %s", len(names), same, told, strings.Join(silent, " "))
	if 10*same < 8*len(names) {
		t.Errorf("only %d of %d previews look as resvg draws them", same, len(names))
	}
}

// drawnByResvg returns resvg's picture of a file of the corpus.
func drawnByResvg(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(suite(t), strings.TrimSuffix(name, ".svg")+".png"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// apart returns the root mean square of the differences of the channels of two pictures
// over white, from 0 to 1.
func apart(a, b image.Image) float64 {
	white := func(img image.Image, x, y int) [3]float64 {
		c := imagecolor.NRGBAModel.Convert(img.At(x, y)).(imagecolor.NRGBA)
		a := float64(c.A) / 255
		return [3]float64{float64(c.R)*a + 255*(1-a), float64(c.G)*a + 255*(1-a), float64(c.B)*a + 255*(1-a)}
	}
	sum := 0.0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := white(a, x, y), white(b, x, y)
			for i := range p {
				sum += (p[i] - q[i]) * (p[i] - q[i])
			}
		}
	}
	return math.Sqrt(sum/3/float64(a.Bounds().Dx()*a.Bounds().Dy())) / 255
}
