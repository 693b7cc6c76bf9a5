package session

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestPluginsSaysWhatIsNotWatched(t *testing.T) {
	d := list(t)
	c := newClient(t, "list", d)
	for _, tt := range []struct {
		local bool
		want  string
	}{
		{true, "changes of the files are not seen (/a: too many open files): reload looks at them"},
		{false, "changes of the files are not seen: reload looks at them"},
	} {
		c.source = newGrowing(domain.Catalog{Domains: []*domain.Domain{d}, Watched: []string{"/a"}, Unwatched: "/a: too many open files",
			Absent: []domain.Absent{{Name: "b.wasm", Path: "/a/b.wasm", Later: true, Why: "! it is\nlate"}}})
		c.Local = tt.local
		r := c.Session.Session(ctx, "list", "", "plugins").String()
		if !strings.Contains(r, tt.want) || strings.Contains(r, "/a") != tt.local || strings.Contains(r, "\n! it is") {
			t.Errorf("local %v:\n%s", tt.local, r)
		}
	}
}

// tooled is a build of a domain with a tool on documents, changed in some acts.
func tooled(t testing.TB, name string, changes map[string]testwasm.Act) *domain.Domain {
	t.Helper()
	d := loadOnce(t, "tooled "+name, func() ([]byte, error) {
		m := testwasm.MinimalManifest()
		m.Domain, m.Version = "tooled", name
		m.Tools = []abi.Tool{{Name: "count_things", InputSchema: []byte(`{"type":"object"}`), On: abi.OnDocument, ReadOnly: true}}
		acts := testwasm.Minimal()
		acts[abi.ExportManifest] = testwasm.Answers(m)
		acts[abi.ExportTool] = testwasm.Answers(&abi.ToolResponse{Text: name, State: abi.State{Digest: "0 things"}})
		for export, act := range changes {
			acts[export] = act
		}
		return testwasm.Scripted(acts), nil
	})
	d.Build = strings.Repeat(name, 64)
	return d
}

func TestTheNextCallFindsADocumentOnTheBuildThatIsServed(t *testing.T) {
	a, b, broken := tooled(t, "a", nil), tooled(t, "b", nil), tooled(t, "c", map[string]testwasm.Act{abi.ExportNew: testwasm.Refuses("no")})
	c := newClient(t, "tooled", a)
	c.SetTools([]string{"tooled"}, false, false)
	tool := func(d *domain.Domain) string {
		t.Helper()
		tool, err := d.TypedTool("count_things", false)
		if err != nil {
			t.Fatal(err)
		}
		r, answer := c.Tool(ctx, tool, nil)
		if answer == nil {
			return r.String()
		}
		return answer.Text
	}
	c.act(`new "T"`)
	if got := tool(a); got != "a" {
		t.Errorf("the tool says %q", got)
	}
	c.source = newGrowing(domain.Catalog{Domains: []*domain.Domain{b}})
	if got := tool(b); got != "b" || c.Current("tooled").Domain() != b {
		t.Errorf("the tool of the new build says %q", got)
	}
	c.source = newGrowing(domain.Catalog{Domains: []*domain.Domain{broken}})
	if got := c.act("status").String(); !strings.Contains(got, "this document stays on b (sha256 bbbbbbbbbbbb…): the new one cannot build it (tooled| no)") {
		t.Errorf("status says %s", got)
	}
	if got := tool(broken); got != "! count_things is a tool of c (sha256 cccccccccccc…), and this document runs on b (sha256 bbbbbbbbbbbb…): save it, close it and open it again\n  try: status" {
		t.Errorf("the tool of a build that the document is not on says %q", got)
	}
	if got := tool(b); got != "b" {
		t.Errorf("its own tool says %q", got)
	}
}
