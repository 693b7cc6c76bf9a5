package guest

import (
	"os"
	"testing"

	judges "github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/internal/toy"
)

// What the checks ask of others, plugins of this repository do: some
// that are built in, the examples, and the one that the authoring page shows.
func TestOurOwnPluginsKeepEveryPromise(t *testing.T) {
	for name, build := range map[string]func(t *testing.T) string{
		"midi":      func(t *testing.T) string { return testwasm.Build(t, "plugins/midi") },
		"drawio":    func(t *testing.T) string { return testwasm.Build(t, "plugins/drawio") },
		"svg":       func(t *testing.T) string { return testwasm.Build(t, "plugins/svg") },
		"flowise":   func(t *testing.T) string { return testwasm.Build(t, "plugins/flowise") },
		"cuedeck":   func(t *testing.T) string { return testwasm.Build(t, "plugins/cuedeck") },
		"video":     func(t *testing.T) string { return testwasm.Build(t, "plugins/video") },
		"bookmarks": func(t *testing.T) string { return testwasm.Build(t, "examples/bookmarks") },
		"notes":     func(t *testing.T) string { return testwasm.Build(t, "examples/notes") },
		toy.Domain: func(t *testing.T) string {
			file, err := toy.Build(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return file
		},
	} {
		t.Run(name, func(t *testing.T) {
			wasm, err := os.ReadFile(build(t))
			if err != nil {
				t.Fatal(err)
			}
			r := look(t, name, wasm, few(t, name))
			if !r.OK() {
				t.Error(text(r))
			}
		})
	}
}

// The one in C does, but for a verb that traps, which the host's tests need.
func TestJudgeThePluginInCKeepsEveryPromise(t *testing.T) {
	wasm, err := os.ReadFile(judges.C(t, "tally"))
	if err != nil {
		t.Fatal(err)
	}
	r := look(t, "tally", wasm, few(t, "tally"))
	for _, c := range r.Checks {
		if !c.OK() && c.ID != "registry" && c.ID != "endurance" {
			t.Errorf("%s\n%s", c.ID, text(r))
		}
	}
}
