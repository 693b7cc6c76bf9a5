package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// axe-core checks the page as it is used: contrast, names, headings, roles.
func TestJudgeAxeFindsThePageAccessible(t *testing.T) {
	judge.Browser(t)
	_, modules := judge.Npm(t, "axe-core")
	axe, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	c, address := startView(t, "drawio", "midi")
	c.session("drawio", `new "Shop"`)
	c.edit("drawio", "add svc Orders", "add db OrderDB near:Orders dir:below", "connect Orders -> OrderDB", "page add Second", "add svc Other")
	c.session("drawio", "checkpoint before")
	c.edit("drawio", "add svc Late")
	check := func(p *judge.Tab, state string) {
		t.Helper()
		var found []struct {
			ID, Help string
			Nodes    []struct{ HTML, FailureSummary string }
		}
		p.Eval(`axe.run({rules: {"label-content-name-mismatch": {enabled: true}, "target-size": {enabled: true}}}).then((r) => r.violations)`, &found)
		for _, f := range found {
			t.Errorf("%s: %s (%s): %+v", state, f.ID, f.Help, f.Nodes)
		}
		keepPicture(t, p, "axe-"+state)
	}
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1180, 760, false}, {"dark", 1180, 760, true}, {"narrow", 375, 700, false}} {
		p := judge.Open(t, address, look.width, look.height, look.dark, string(axe))
		p.Wait(shows + ` && document.querySelector("#tabs [aria-current]").textContent.startsWith("Shop")`)
		check(p, look.name)
		p.Key("n", 0)
		p.Wait(`!document.querySelector("#picked").hidden`)
		p.Eval(`document.querySelector("#saidline").click()`, nil)
		check(p, look.name+"-selected")
		p.Eval(`document.querySelectorAll("#calls li:not(.flag) button")[1].click()`, nil)
		p.Wait(`!document.querySelector("#past").hidden`)
		check(p, look.name+"-past")
		p.Key("Escape", 0)
		p.Wait(`document.querySelector("#past").hidden`)
	}
	c.session("midi", `new "Song"`)
	c.edit("midi", "track add Piano", "note Piano C4 at:1.1 dur:quarter")
	p := judge.Open(t, address, 1180, 760, false, string(axe))
	p.Wait(shows + ` && !document.querySelector("#player").hidden`)
	check(p, "song")
	c.call("midi", map[string]any{"ops": []string{"note Nobody C4"}})
	p.Wait(`document.querySelector("#saidline").className == "bad"`)
	check(p, "failed")
}
