package guest

import (
	"os"
	"path"
	"testing"

	judges "github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/internal/toy"
)

// What the checks ask of others, plugins of this repository do: one whose documents are files, one whose are folders, an example, and
// the one that the authoring page shows.
func TestOurOwnPluginsKeepEveryPromise(t *testing.T) {
	keepPromises(t, "plugins/drawio", "plugins/cuedeck", "examples/notes")
	t.Run(toy.Domain, func(t *testing.T) {
		file, err := toy.Build(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		keeps(t, toy.Domain, file)
	})
}

// So do the others, and of these there will be more.
func TestJudgeAllOurPluginsKeepEveryPromise(t *testing.T) {
	keepPromises(t, "plugins/midi", "plugins/svg", "plugins/flowise", "plugins/video", "examples/bookmarks")
}

func keepPromises(t *testing.T, packages ...string) {
	for _, p := range packages {
		name := path.Base(p)
		t.Run(name, func(t *testing.T) { keeps(t, name, testwasm.Build(t, p)) })
	}
}

func keeps(t *testing.T, name, file string) {
	t.Helper()
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if r := look(t, name, wasm, few(t, name)); !r.OK() {
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
