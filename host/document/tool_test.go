package document

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestTheChangeOfATypedToolSurvivesTheHostAndIsUndoneAsOne(t *testing.T) {
	wasm, err := os.ReadFile(testwasm.World(t))
	if err != nil {
		t.Fatal(err)
	}
	dom := described(t, "world", wasm, sandbox.Limits{Call: 20 * time.Second})
	call := func(d *desk, name, args string) (string, bool) {
		t.Helper()
		tool, err := dom.TypedTool(name, false)
		if err != nil {
			t.Fatal(err)
		}
		r, answer := d.Tool(ctx, tool, []byte(args))
		if answer == nil {
			return r.String(), r.Failed
		}
		return string(answer.Structured) + answer.Text, r.Failed
	}
	d := blank(t, dom)
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add zero")
	if said, failed := call(d, "thing_add", `{"text":"one"}`); failed || said != `{"text":"one"}` {
		t.Errorf("said %s", said)
	}
	before := d.standing()
	for _, name := range []string{"thing_undone", "thing_fail"} {
		if said, failed := call(d, name, `{}`); !failed {
			t.Errorf("%s says %s", name, said)
		}
		if after := d.standing(); after != before {
			t.Errorf("%s leaves\n%+v, not\n%+v", name, after, before)
		}
	}
	d.kill()
	if said, failed := call(d, "thing_lines", `{"text":"o"}`); failed || said != `["#world T","zero","one"]` {
		t.Errorf("said %s, %v", said, failed)
	}
	want := d.standingWithoutPositions()
	d.die()
	if got := d.standingWithoutPositions(); got != want {
		t.Errorf("recovered\n%+v, not\n%+v", got, want)
	}
	if h := d.History(ctx, 9).Text; !strings.Contains(h, "2. one") {
		t.Errorf("history says %s", h)
	}
	d.ok(d.UndoBatch(ctx, false))
	if got := d.bytes(); got != "#world T\nzero" {
		t.Errorf("undone, it holds %q", got)
	}
}
