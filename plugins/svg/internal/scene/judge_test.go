package scene_test

import (
	"encoding/json"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// judged are the elements whose boxes and places are compared.
var judged = []string{"rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "image", "use", "g", "a", "switch"}

// The boxes of all elements but texts are those that a browser's getBBox()
// gives, and they lie where the browser says.
func TestJudgeABrowserSeesTheSameBoxesAndPlaces(t *testing.T) {
	browser := judge.Browser(t)
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
				continue // entities are not expanded here, and some units are the browser's own
			}
			names, texts = append(names, strings.TrimSuffix(filepath.Join(folder, filepath.Base(filepath.Dir(f)), filepath.Base(f)), ".svg")), append(texts, string(data))
		}
	}
	if len(names) == 0 {
		t.Skip("resvg's files are not here: they belong into ../shared/data/svg")
	}
	theirs := seen(t, browser, texts)
	compared, placed, off := 0, 0, map[string]int{}
	for i, name := range names {
		doc, err := tree.Parse(texts[i])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sc := scene.New(doc, &scene.Styles{})
		k := 0
		for n := range doc.Root.All() {
			if n == doc.Root || !slices.Contains(judged, doc.Type(n)) || !strings.HasPrefix(n.Name, doc.Prefix()) {
				continue
			}
			if k >= len(theirs[i]) {
				t.Errorf("%s: the browser sees %d elements", name, len(theirs[i]))
				break
			}
			their := theirs[i][k]
			k++
			ours, ok := sc.Local(n)
			if [4]float64(their[:4]) == [4]float64{} || lettered(doc, n) {
				continue // it is not laid out, or by the browser's fonts
			}
			if (!ok || ours.Width()*ours.Height() == 0) && their[2]*their[3] == 0 {
				continue
			}
			compared++
			got := [4]float64{ours.X0, ours.Y0, ours.Width(), ours.Height()}
			if far(got[:], their[:4], 0.5) {
				off["boxes"]++
				t.Errorf("%s: %s %s has the box %.2f, in the browser %.2f", name, doc.Type(n), n.ID(), got, their[:4])
			}
			if !drawn(doc, n) {
				continue
			}
			placed++
			m := sc.CTM(n)
			corner := m.At(vector.Point{X: ours.X0, Y: ours.Y0})
			other := vector.Matrix{A: their[4], B: their[5], C: their[6], D: their[7], E: their[8], F: their[9]}.At(vector.Point{X: ours.X0, Y: ours.Y0})
			if ok && far([]float64{corner.X, corner.Y}, []float64{other.X, other.Y}, 0.5) {
				off["places"]++
				t.Errorf("%s: %s %s lies at %.2f, in the browser at %.2f", name, doc.Type(n), n.ID(), corner, other)
			}
		}
	}
	t.Logf("%d boxes and %d places of %d files were compared; %v", compared, placed, len(names), off)
	if compared < 800 {
		t.Errorf("only %d boxes were compared", compared)
	}
}

// ownUnits are those of fonts and windows.
var ownUnits = regexp.MustCompile(`[0-9](ch|ex|lh|rem|vmin|vmax|vw|vh)"`)

// lettered reports whether an element holds text, or lies in some.
func lettered(doc *tree.Doc, n *tree.Node) bool {
	for m := range n.All() {
		if doc.Type(m) == "text" {
			return true
		}
	}
	return n.Parent != nil && doc.Mixed(n.Parent)
}

// drawn reports whether an element draws where it stands.
func drawn(doc *tree.Doc, n *tree.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if !scene.Draws(doc.Type(p)) {
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

// seen asks the browser for the boxes of the judged elements of each document, and
// the maps from their spaces to that of the root.
func seen(t *testing.T, browser string, texts []string) (out [][][10]float64) {
	t.Helper()
	data, err := json.Marshal(texts) // json escapes < as \u003c, so no text ends the script
	if err != nil {
		t.Fatal(err)
	}
	page := `<!DOCTYPE html><meta charset="utf-8"><body><div id="at" style="width:300px;height:150px"></div><pre id="out"></pre><script>
const wanted = new Set("` + strings.Join(judged, " ") + `".split(" ")), out = [];
for (const text of ` + string(data) + `) {
  const list = [];
  try {
    const root = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    at.replaceChildren(root);
    for (const e of root.querySelectorAll("*")) {
      if (!wanted.has(e.localName) || e.namespaceURI != "http://www.w3.org/2000/svg") continue;
      let b = {x: 0, y: 0, width: 0, height: 0}, m = {a: 0, b: 0, c: 0, d: 0, e: 0, f: 0};
      try { b = e.getBBox(); } catch (_) {}
      try { m = root.getScreenCTM().inverse().multiply(e.getScreenCTM()); } catch (_) {}
      list.push([b.x, b.y, b.width, b.height, m.a, m.b, m.c, m.d, m.e, m.f]);
    }
  } catch (_) {}
  out.push(list);
}
at.replaceChildren();
document.getElementById("out").textContent = "BOXES" + JSON.stringify(out) + "END";
</script></body>`
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--force-device-scale-factor=1", "--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+file)
	said, err := cmd.Output()
	_, rest, ok := strings.Cut(string(said), "<pre id=\"out\">BOXES")
	rest, _, found := strings.Cut(rest, "END")
	if !ok || !found {
		t.Skipf("the browser runs no pages here: %v\n%.500s", err, said)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(rest)), &out); err != nil {
		t.Fatal(err)
	}
	if len(out) != len(texts) {
		t.Fatalf("boxes of %d documents, of %d", len(out), len(texts))
	}
	return out
}
