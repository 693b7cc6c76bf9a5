package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/docs"
)

// The page's excerpts of the examples are identical to the source files, which are built and tested.
func TestTheAuthoringPageShowsTheExamplesAsTheyAre(t *testing.T) {
	parts := strings.Split(docs.Authoring, "\n<!-- from: ")[1:]
	if len(parts) < 5 {
		t.Errorf("the page shows %d excerpts of the examples", len(parts))
	}
	for _, part := range parts {
		name, rest, _ := strings.Cut(part, " -->\n```go\n")
		shown, _, _ := strings.Cut(rest, "\n```")
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(file), shown+"\n") {
			t.Errorf("%s does not contain this:\n%s", name, shown)
		}
	}
	for _, name := range []string{"../examples/bookmarks/main.go", "../examples/notes/main.go"} {
		file, err := os.ReadFile(name)
		if n := strings.Count(string(file), "\n"); err != nil || n >= 200 {
			t.Errorf("%s has %d lines, %v", name, n, err)
		}
	}
}
