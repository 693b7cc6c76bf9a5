package deck

import (
	"os"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// now is the time of every call of tests.
const now = 1767349800000 // 2026-01-02T10:30:00Z

func world() *pdktest.World { return &pdktest.World{Now: now} }

func TestThin(t *testing.T) {
	doc := pdktest.OpenFolder(t, Domain(), map[string]string{"docs/auth.md": "# Auth\n\n## Login Flow\n\nUsers log in. See [plan](plan.md#risks).\n\n## OAuth\n\n- [ ] tokens\n- [ ] refresh\n"}, world())
	for _, ops := range [][]string{
		{`add card "Set up the build" tags:infra`, `add card "Write the login page" priority:high assignee:@dev tags:auth,web depends:"Set up the build" text:"- [ ] form\n- [ ] errors"`, `add card "Deploy" depends:"Write the login page" tags:inffra`, `add doc docs/plan.md text:"# Plan\n\n## Risks\n\nNone."`},
		{`modify "set up" status:active`},
		{`check write form`}, {`check write 2`}, {`note "set up" "CI runs\nnow"`, `note "set up" "second"`}, {`section docs/plan.md#Risks set "## Risks\n\nSome."`, `section docs/plan.md append "## More\n\nx"`, `section docs/plan.md#Risks rename "Open questions"`},
		{`tag deploy +ops -inffra`}, {`connect deploy -> "Set up the build"`}, {`disconnect deploy -> "Set up the build"`}, {`copy deploy title:"Deploy again"`}, {`repeat Deploy count:2`}, {`archive "Deploy again"`}, {`remove "Deploy 2" `}, {"modify @tag:infra tags:infra,ci"},
		{`section write append "See [x](none.md)."`},
	} {
		t.Logf("%q\n%s\n[%s]", ops, doc.Do(ops...), doc.Digest())
	}
	for _, q := range []string{"map", "list", "list status:todo", "list @ready", "list @created:>1d", "next", "describe write", "describe docs/auth.md", "read docs/auth.md#login-flow", "read deploy", "find login", "deps deploy all", "deps set reverse", "deps set reverse all", "graph", "graph mermaid", "graph dot", "graph json", "validate", "doctor", "scene", "stats", "board"} {
		t.Logf("== %s\n%s", q, doc.Query(q))
	}
	t.Log(doc.State().Warnings)
	doc.Fail(`modify "set up" depends:"Write the login page"`, "→")
	os.WriteFile("/tmp/board.png", doc.QueryContent("board")[0].Data, 0o644)
}
