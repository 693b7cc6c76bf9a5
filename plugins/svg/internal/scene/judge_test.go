package scene_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// judged lists the types of elements whose boxes and positions are compared.
var judged = []string{"rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "image", "use", "g", "a", "switch"}

// The boxes of all elements other than texts equal those of getBBox() in a browser, in
// the same positions.
func TestJudgeABrowserSeesTheSameBoxesAndPlaces(t *testing.T) {
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	var names, texts []string
	for _, folder := range []string{"structure", "shapes", "painting", "paint-servers"} {
		files, _ := filepath.Glob(filepath.Join(root, "..", "shared", "data", "svg", folder, "*", "*.svg"))
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(data), "<!ENTITY") || strings.Contains(f, "not-UTF-8") || strings.Contains(f, "xmlns-validation") || ownUnits.Match(data) {
				continue // entities are not expanded here, and some units depend on the browser
			}
			names, texts = append(names, strings.TrimSuffix(filepath.Join(folder, filepath.Base(filepath.Dir(f)), filepath.Base(f)), ".svg")), append(texts, string(data))
		}
	}
	if len(names) == 0 {
		t.Skip("resvg's files are not here: they belong into ../shared/data/svg")
	}
	theirs := judge.Lays(t, "", texts, judged)
	compared, placed, off := 0, 0, map[string]int{}
	for i, name := range names {
		doc, err := tree.Parse(texts[i])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sc := scene.New(doc, &scene.Styles{})
		k := 0
		for n := range doc.Root.All() {
			if n == doc.Root || !slices.Contains(judged, n.Type) || !strings.HasPrefix(n.Name, doc.Prefix()) {
				continue
			}
			if k >= len(theirs[i]) {
				t.Errorf("%s: the browser sees %d elements", name, len(theirs[i]))
				break
			}
			lay := theirs[i][k]
			their := [4]float64{lay.X, lay.Y, lay.Width, lay.Height}
			k++
			ours, ok := sc.Local(n)
			if their == [4]float64{} || lettered(doc, n) {
				continue // not laid out, or laid out with the browser's fonts
			}
			if (!ok || ours.Width()*ours.Height() == 0) && their[2]*their[3] == 0 {
				continue
			}
			compared++
			got := [4]float64{ours.X0, ours.Y0, ours.Width(), ours.Height()}
			if far(got[:], their[:], 0.5) {
				off["boxes"]++
				t.Errorf("%s: %s %s has the box %.2f, in the browser %.2f", name, n.Type, n.ID(), got, their[:])
			}
			if !drawn(doc, n) {
				continue
			}
			placed++
			m := sc.CTM(n)
			corner := m.At(vector.Point{X: ours.X0, Y: ours.Y0})
			other := vector.Matrix{A: lay.A, B: lay.B, C: lay.C, D: lay.D, E: lay.E, F: lay.F}.At(vector.Point{X: ours.X0, Y: ours.Y0})
			if ok && far([]float64{corner.X, corner.Y}, []float64{other.X, other.Y}, 0.5) {
				off["places"]++
				t.Errorf("%s: %s %s lies at %.2f, in the browser at %.2f", name, n.Type, n.ID(), corner, other)
			}
		}
	}
	t.Logf("%d boxes and %d places of %d files were compared; %v", compared, placed, len(names), off)
	if compared < 800 {
		t.Errorf("only %d boxes were compared", compared)
	}
}

// ownUnits matches units of fonts and windows.
var ownUnits = regexp.MustCompile(`[0-9](ch|ex|lh|rem|vmin|vmax|vw|vh)"`)

// lettered reports whether an element is or contains text, or is inside text.
func lettered(doc *tree.Doc, n *tree.Node) bool {
	for m := range n.All() {
		if m.Type == "text" {
			return true
		}
	}
	return n.Parent != nil && doc.Mixed(n.Parent)
}

// drawn reports whether an element draws at its place in the document.
func drawn(doc *tree.Doc, n *tree.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if !svgdom.Draws(p.Type) {
			return false
		}
	}
	return true
}

func far(a, b []float64, most float64) bool {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= most) {
			return true
		}
	}
	return false
}
