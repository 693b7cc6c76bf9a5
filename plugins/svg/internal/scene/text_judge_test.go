package scene_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// previewFonts returns a script and a style sheet that give a page the fonts of
// previews.
func previewFonts() string {
	var b strings.Builder
	b.WriteString("<script>")
	for weight, data := range map[string][]byte{"normal": goregular.TTF, "bold": gobold.TTF} {
		fmt.Fprintf(&b, `document.fonts.add(new FontFace("Ours", Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0)), {weight: "%s"}));`, base64.StdEncoding.EncodeToString(data), weight)
	}
	b.WriteString("</script><style>svg, svg * { font-family: Ours !important }</style>")
	return b.String()
}

// Texts have the boxes that a browser gives them in the same fonts, and approximately
// those that a browser gives them in other fonts. Large differences have known causes:
// this package does not shape Arabic or join emoji, and it skips letters beyond the end
// of a path.
func TestJudgeABrowserSetsTextInTheSameBoxes(t *testing.T) {
	judge.Browser(t)
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(root, "..", "shared", "data", "svg", "*", "*", "*.svg"))
	var names, texts []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), "<text") || strings.Contains(string(data), "<!ENTITY") {
			continue
		}
		if _, err := tree.Parse(string(data)); err == nil {
			names, texts = append(names, filepath.Join(filepath.Base(filepath.Dir(f)), filepath.Base(f))), append(texts, string(data))
		}
	}
	if len(names) == 0 {
		t.Skip("resvg's files are not here: they belong into ../shared/data/svg")
	}
	for _, font := range []struct {
		name, head   string
		half, threeQ float64 // the largest error in half and in three quarters of the texts, relative to the longer side of each
	}{
		{"Go", previewFonts(), 0.01, 0.03},
		{"FreeSans", "<style>svg, svg * { font-family: FreeSans, Arial, Helvetica, sans-serif !important }</style>", 0.1, 0.15},
	} {
		theirs := judge.Lays(t, font.head, texts, []string{"text"})
		var off []float64
		for i, name := range names {
			doc, err := tree.Parse(texts[i])
			if err != nil {
				t.Fatal(err)
			}
			sc := scene.New(doc, &scene.Styles{})
			k := 0
			for n := range doc.Root.All() {
				if n.Type != "text" || k >= len(theirs[i]) {
					continue
				}
				l := theirs[i][k]
				k++
				b, ok := sc.Local(n)
				if !ok || l.Width == 0 {
					continue
				}
				far := max(math.Abs(b.X0-l.X), math.Abs(b.X1-l.X-l.Width), math.Abs(b.Y0-l.Y), math.Abs(b.Y1-l.Y-l.Height)) / max(l.Width, l.Height)
				off = append(off, far)
				if font.name == "Go" && far > 0.05 {
					t.Logf("%s: %.1f %.1f %.1fx%.1f, in the browser %.1f %.1f %.1fx%.1f", name, b.X0, b.Y0, b.Width(), b.Height(), l.X, l.Y, l.Width, l.Height)
				}
			}
		}
		slices.Sort(off)
		if len(off) < 200 {
			t.Fatalf("only %d texts were compared", len(off))
		}
		half, threeQ := off[len(off)/2], off[len(off)*3/4]
		t.Logf("%s: of %d texts half are off by less than %.1f %% of their longer side, three quarters by less than %.1f %%", font.name, len(off), 100*half, 100*threeQ)
		if half > font.half || threeQ > font.threeQ {
			t.Errorf("in the font %s half of the texts are off by up to %.3f of their longer side, three quarters by up to %.3f", font.name, half, threeQ)
		}
	}
}
