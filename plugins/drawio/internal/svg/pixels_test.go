package svg_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// A browser draws the same pages as our renderer: the shapes almost identically, the
// letters in another font. With FCP_PICTURES set to a folder, both pictures are stored
// there.
func TestJudgeABrowserDrawsTheSamePixels(t *testing.T) {
	judge.Browser(t)
	dir := shared(t)
	for _, name := range []string{"business-swimlane", "cloud-azure-azure_7", "other-infographic_4", "uml-sysml"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, name+".xml"))
			if err != nil {
				t.Fatal(err)
			}
			f, err := mxfile.Open(data)
			if err != nil {
				t.Fatal(err)
			}
			drawn := svg.Page(f.Pages[0], svg.Options{})
			ours, err := picture.Preview([]byte(drawn), 0)
			if err != nil {
				t.Fatal(err)
			}
			theirs := shot(t, drawn, ours)
			if keep := os.Getenv("FCP_PICTURES"); keep != "" {
				os.WriteFile(filepath.Join(keep, name+"-ours.png"), ours, 0o644)
				os.WriteFile(filepath.Join(keep, name+"-chromium.png"), theirs, 0o644)
			}
			mean, far := apart(t, ours, theirs)
			t.Logf("they differ by %.2f of 255 on average; %.2f%% of the pixels differ much", mean, 100*far)
			if mean > 6 || far > 0.03 {
				t.Errorf("they differ by %.2f of 255 on average, and in %.2f%% of the pixels by much", mean, 100*far)
			}
		})
	}
}

// shot returns what the browser shows of an SVG, in the size of the PNG like.
func shot(t *testing.T, drawn string, like []byte) []byte {
	t.Helper()
	config, err := png.DecodeConfig(bytes.NewReader(like))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page, out := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.png")
	html := fmt.Sprintf(`<!DOCTYPE html><body style="margin:0"><img src="page.svg" style="display:block;width:%dpx;height:%dpx"></body>`, config.Width, config.Height)
	for file, text := range map[string]string{page: html, filepath.Join(dir, "page.svg"): drawn} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := judge.Headless(t, dir, page, "--hide-scrollbars", "--screenshot="+out, fmt.Sprintf("--window-size=%d,%d", config.Width, config.Height))
	output, err := cmd.CombinedOutput()
	theirs, readErr := os.ReadFile(out)
	if readErr != nil {
		t.Skipf("the browser takes no picture here: %v\n%.500s", err, output)
	}
	return theirs
}

// apart compares two pictures of the same size: the average difference of a channel,
// and the share of the pixels that differ by more than a third.
func apart(t *testing.T, a, b []byte) (mean, far float64) {
	t.Helper()
	x, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	y, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if x.Bounds() != y.Bounds() {
		t.Fatalf("one is %v, the other %v", x.Bounds(), y.Bounds())
	}
	sum, much := 0, 0
	at := func(img image.Image, i, j int) color.NRGBA {
		return color.NRGBAModel.Convert(img.At(i, j)).(color.NRGBA)
	}
	for j := range x.Bounds().Dy() {
		for i := range x.Bounds().Dx() {
			p, q := at(x, i, j), at(y, i, j)
			d := 0
			for _, c := range [][2]uint8{{p.R, q.R}, {p.G, q.G}, {p.B, q.B}} {
				d += max(int(c[0])-int(c[1]), int(c[1])-int(c[0]))
			}
			sum += d
			if d > 255 {
				much++
			}
		}
	}
	pixels := float64(x.Bounds().Dx() * x.Bounds().Dy())
	return float64(sum) / 3 / pixels, float64(much) / pixels
}
