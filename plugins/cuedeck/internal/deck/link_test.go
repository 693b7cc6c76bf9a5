package deck

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// If a scan finds no dead links in a file, parsing its Markdown must find none either.
func TestScansMissNoDeadLinks(t *testing.T) {
	parts := []string{"[a](b.md)", "[a](none.md)", "[a]( <b.md> )", "[a](<no ne.md>)", "[a](\nnone.md)", "[a][r]\n\n[r]: none.md", "[a][r]\n\n[r]:\n  none.md 't'", "[r]: b.md#one\n\n[r]", "![p](none.md)", "[a](b.md#one)", "[a](b.md#two)", "[a](b.md#none)", "[a](c.md#code)", "[a](c.md#real)",
		"[a](n\\one.md)", "[a](n&#111;ne.md)", "[a](b(1).md)", "[a](b.md \"none.md\")", "`[a](none.md)`", "```\n[a](none.md)\n```", "    [a](none.md)", "[a]()", "[a](#here)", "# Here", "[a](#nowhere)", "<none.md>", "[a](/docs/b.md)", "[a](%62.md)", "[[a](none.md)](b.md)", "- [ ] [a](none.md)", "| [a](none.md) |\n|---|", "[a](b.md)[b](none.md)", "[a]  (none.md)", "[a]\n(none.md)"}
	r := rand.New(rand.NewPCG(1, 1))
	dead := 0
	for i := range 3000 {
		var text []string
		for range 1 + r.IntN(3) {
			text = append(text, parts[r.IntN(len(parts))])
		}
		files := pdk.NewFiles(abi.File{Name: "docs/a.md", Data: []byte(strings.Join(text, "\n\n"))}, abi.File{Name: "docs/b.md", Data: []byte("# One\n\nTwo\n---\n")}, abi.File{Name: "docs/c.md", Data: []byte("```\n# Code\n```\n# Real\n")})
		w, _, err := open(files)
		if err != nil {
			t.Fatal(err)
		}
		sound := w.linksHold("docs/a.md")
		for _, link := range w.Text("docs/a.md").Links {
			ref, ok := w.resolveLink("docs/a.md", link)
			if ok && w.whyDead(ref) != "" {
				dead++
				if sound {
					t.Fatalf("%d: %q has a dead link: %s", i, text, fmt.Sprint(ref))
				}
			}
		}
	}
	if dead < 500 {
		t.Errorf("there were %d dead links", dead)
	}
}
