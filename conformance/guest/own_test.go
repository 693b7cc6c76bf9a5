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

// The built-in domains, the examples and the domain of docs/authoring.md pass the checks. make judge checks all of them, and
// for longer.
func TestOurOwnPluginsKeepEveryPromise(t *testing.T) {
	all := []string{"examples/bookmarks", "examples/notes"}
	for _, name := range testwasm.Plugins(t) {
		all = append(all, "plugins/"+name)
	}
	for _, p := range soak.Some(t, all, 8) {
		name := path.Base(p)
		t.Run(name, func(t *testing.T) {
			o := fewOps(t, name)
			if !soak.Whole() {
				o.Ops, o.Scale = 10, 30
			}
			checkKeepsAll(t, name, testwasm.Build(t, p), o)
		})
	}
	t.Run(toy.Domain, func(t *testing.T) {
		file, err := toy.Build(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		checkKeepsAll(t, toy.Domain, file, fewOps(t, toy.Domain))
	})
}

// checkKeepsAll fails unless the module in a file keeps every promise.
func checkKeepsAll(t *testing.T, name, file string, o Options) {
	t.Helper()
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if r := check(t, name, wasm, o); !r.OK() {
		t.Error(text(r))
	}
}

// The plugin in C has a verb that traps, which the host's tests need, so it breaks two promises.
func TestJudgeThePluginInCKeepsAllOtherPromises(t *testing.T) {
	wasm, err := os.ReadFile(judges.C(t, "tally"))
	if err != nil {
		t.Fatal(err)
	}
	r := check(t, "tally", wasm, fewOps(t, "tally"))
	for _, c := range r.Checks {
		if !c.OK() && c.ID != "registry" && c.ID != "endurance" {
			t.Errorf("%s\n%s", c.ID, text(r))
		}
	}
}
