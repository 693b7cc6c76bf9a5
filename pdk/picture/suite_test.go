package picture_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk/picture"
)

// alike is how far a picture may differ from resvg's: the root mean square of the
// differences of the channels, which go from 0 to 1.
const alike = 0.05

// Pictures of resvg's test files look like those of resvg. The test draws every fourth file, and all of them in make soak.
// If FCP_PICTURES names a folder, our pictures that differ are saved there.
func TestTheSuiteOfResvg(t *testing.T) {
	dir := suite(t)
	folders := map[string][2]int{}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("FCP_PICTURES") == "" {
		files = soak.Some(t, files, 8)
	}
	for _, f := range files {
		name, _ := filepath.Rel(dir, f)
		folder := filepath.Dir(name)
		got, ours, err := apart(f)
		n := folders[folder]
		n[1]++
		if err == nil && got <= alike {
			n[0]++
		} else if keep := os.Getenv("FCP_PICTURES"); keep != "" {
			t.Logf("%s %.3f %v", name, got, err)
			os.WriteFile(filepath.Join(keep, strings.ReplaceAll(strings.TrimSuffix(name, ".svg"), "/", "_")+".png"), ours, 0o644)
		}
		folders[folder] = n
	}
	names := make([]string, 0, len(folders))
	for f := range folders {
		names = append(names, f)
	}
	slices.Sort(names)
	var table strings.Builder
	sums := map[string][2]int{}
	for _, f := range names {
		n := folders[f]
		fmt.Fprintf(&table, "%-40s %3d of %3d\n", f, n[0], n[1])
		kind := filepath.Dir(f)
		for _, of := range []string{kind, "all but text and filters"} {
			if of == kind || kind != "text" && kind != "filters" {
				s := sums[of]
				sums[of] = [2]int{s[0] + n[0], s[1] + n[1]}
			}
		}
	}
	for _, of := range []string{"structure", "shapes", "painting", "paint-servers", "masking", "filters", "text", "all but text and filters"} {
		fmt.Fprintf(&table, "%-40s %3d of %3d, %.0f %%\n", of, sums[of][0], sums[of][1], 100*float64(sums[of][0])/float64(sums[of][1]))
	}
	t.Log("\n" + table.String())
	for of, least := range map[string]float64{"all but text and filters": 0.8, "filters": 0.75} {
		if n := sums[of]; float64(n[0]) < least*float64(n[1]) {
			t.Errorf("%d of %d look like resvg's, of %s", n[0], n[1], of)
		}
	}
}

// suite returns the folder with all of resvg's test files.
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

// Some of resvg's test files are part of the repository.
func TestSomeOfTheSuiteOfResvg(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "internal", "testwasm", "testdata", "svg", "*", "*", "*.svg"))
	if len(files) < 50 {
		t.Fatalf("only %d files", len(files))
	}
	for _, f := range files {
		if far, _, err := apart(f); err != nil || far > alike {
			t.Errorf("%s is %.3f from what resvg draws, %v", f, far, err)
		}
	}
}

// apart returns the difference between our picture of a file and the one beside it, both over white.
func apart(file string) (far float64, ours []byte, err error) {
	svg, err := os.ReadFile(file)
	if err != nil {
		return 1, nil, err
	}
	want, err := os.ReadFile(strings.TrimSuffix(file, ".svg") + ".png")
	if err != nil {
		return 1, nil, err
	}
	a, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return 1, nil, err
	}
	drawing, err := picture.Draw(svg, picture.Options{Width: a.Bounds().Dx(), Exact: true})
	if err != nil {
		return 1, nil, err
	}
	ours = drawing.PNG
	b, err := png.Decode(bytes.NewReader(ours))
	if err != nil {
		return 1, nil, err
	}
	if a.Bounds() != b.Bounds() {
		return 1, ours, fmt.Errorf("%v instead of %v", b.Bounds(), a.Bounds())
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
	return math.Sqrt(sum/3/float64(a.Bounds().Dx()*a.Bounds().Dy())) / 255, ours, nil
}

// white returns a pixel composed over white.
func white(img image.Image, x, y int) [3]float64 {
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	a := float64(c.A) / 255
	return [3]float64{float64(c.R)*a + 255*(1-a), float64(c.G)*a + 255*(1-a), float64(c.B)*a + 255*(1-a)}
}
