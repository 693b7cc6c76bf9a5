package guest

import (
	"os"
	"path"
	"testing"

	judges "github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/internal/toy"
)

// What the checks ask of others, plugins of this repository do: those that are built in, the examples, and the one that the authoring
// page shows. make judge looks at all of them, and for longer.
func TestOurOwnPluginsKeepEveryPromise(t *testing.T) {
	for _, p := range soak.Some(t, []string{"plugins/drawio", "plugins/midi", "plugins/cuedeck", "plugins/flowise", "examples/bookmarks",
		"plugins/svg", "plugins/video", "examples/notes"}, 8) {
		name := path.Base(p)
		t.Run(name, func(t *testing.T) {
			o := few(t, name)
			if !soak.Whole() {
				o.Ops, o.Scale = 10, 30
			}
			keeps(t, name, testwasm.Build(t, p), o)
		})
	}
	t.Run(toy.Domain, func(t *testing.T) {
		file, err := toy.Build(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		keeps(t, toy.Domain, file, few(t, toy.Domain))
	})
}

func keeps(t *testing.T, name, file string, o Options) {
	t.Helper()
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if r := look(t, name, wasm, o); !r.OK() {
		t.Error(text(r))
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
