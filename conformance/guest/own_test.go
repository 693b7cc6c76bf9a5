package guest

import (
	"os"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/internal/toy"
)

// What the checks ask of others, the plugins of this repository do: two in Go,
// one in C, and the one that the authoring page shows.
func TestOurOwnPluginsKeepEveryPromise(t *testing.T) {
	for name, build := range map[string]func(t *testing.T) string{
		"midi":   func(t *testing.T) string { return testwasm.Build(t, "plugins/midi") },
		"drawio": func(t *testing.T) string { return testwasm.Build(t, "plugins/drawio") },
		"tally":  func(t *testing.T) string { return testwasm.C(t, "tally") },
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
			r := look(t, name, "", wasm)
			for _, c := range r.Checks {
				// tally has a verb that traps, for the host's tests.
				if !c.OK() && (name != "tally" || c.ID != "registry" && c.ID != "endurance") {
					t.Errorf("%s\n%s", c.ID, text(r))
				}
			}
		})
	}
}
