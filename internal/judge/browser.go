package judge

import (
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/browser"
)

// Browser returns the path of Chromium.
func Browser(t testing.TB) string {
	t.Helper()
	return Program(t, browser.Names()...)
}

// profile returns a folder for a browser. After the main process has ended, another one may still write there for a
// moment.
func profile(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fcp-browser")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if os.RemoveAll(dir) == nil {
				return
			}
		}
	})
	return dir
}

// Headless returns a command that opens a page in Chromium, with its own profile in dir and without dialogs.
func Headless(t testing.TB, dir, page string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(Browser(t), slices.Concat(browser.Arguments(dir), args, []string{"file://" + page})...)
}

// Asks runs a page in Chromium and decodes the value that it passes to say(value). If the page passes none, the test is
// skipped.
func Asks(t testing.TB, page string, value any, args ...string) {
	t.Helper()
	const before, after = "SAID", "END"
	dir := profile(t)
	file := filepath.Join(dir, "page.html")
	text := `<!DOCTYPE html><meta charset="utf-8"><pre id="said"></pre><script>const say = (v) => { said.textContent = "` + before + `" + JSON.stringify(v) + "` + after + `" };</script>` + page
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := Headless(t, dir, file, append(args, "--dump-dom")...).Output()
	_, rest, ok := strings.Cut(string(out), `<pre id="said">`+before)
	end := strings.LastIndex(rest, after+"</pre>")
	if !ok || end < 0 {
		t.Skipf("the browser runs no pages here: %v\n%.500s", err, out)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(rest[:end])), value); err != nil {
		t.Fatal(err)
	}
}

// Lay is the position of an element: X, Y, Width, Height are its getBBox(); A to F map its space to that of its
// document's root. All are 0 if it is not laid out.
type Lay struct{ X, Y, Width, Height, A, B, C, D, E, F float64 }

// Lays returns the positions of elements with these names in SVG documents, as Chromium lays them out at 300 by 150
// pixels. Elements of other namespaces are left out. head is added to the page: styles and scripts for all documents.
func Lays(t testing.TB, head string, documents, elements []string) (lays [][]Lay) {
	t.Helper()
	texts, err := json.Marshal(documents) // JSON escapes < as \u003c, so no text ends the script
	if err != nil {
		t.Fatal(err)
	}
	Asks(t, head+`<body><div id="at" style="width:300px;height:150px"></div><script>
const wanted = new Set("`+strings.Join(elements, " ")+`".split(" ")), out = [];
for (const text of `+string(texts)+`) {
  const list = [];
  try {
    const root = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    at.replaceChildren(root);
    for (const e of root.querySelectorAll("*")) {
      if (!wanted.has(e.localName) || e.namespaceURI != "http://www.w3.org/2000/svg") continue;
      let b = {x: 0, y: 0, width: 0, height: 0}, m = {a: 0, b: 0, c: 0, d: 0, e: 0, f: 0};
      try { b = e.getBBox(); } catch (_) {}
      try { m = root.getScreenCTM().inverse().multiply(e.getScreenCTM()); } catch (_) {}
      list.push({x: b.x, y: b.y, width: b.width, height: b.height, a: m.a, b: m.b, c: m.c, d: m.d, e: m.e, f: m.f});
    }
  } catch (_) {}
  out.push(list);
}
at.replaceChildren();
say(out);
</script></body>`, &lays)
	if len(lays) != len(documents) {
		t.Fatalf("lays of %d documents, of %d", len(lays), len(documents))
	}
	return lays
}
