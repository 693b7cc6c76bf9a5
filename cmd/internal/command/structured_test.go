package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/host/schema"
	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Some clients show their model nothing of a result but its structured content, if it has any. comparison is a client
// that compares both sides of each reply, and the structured one with the schema that the tool publishes.
type comparison struct {
	*client
	schemas    map[string]*schema.Schema
	replies    int // with structured content
	warned     int // of these, with warnings
	failed     int // of these, errors
	structured bool
}

func newComparison(t *testing.T, c *client, structured bool) *comparison {
	x := &comparison{client: c, schemas: map[string]*schema.Schema{}, structured: structured}
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
		}
	}
	c.request("tools/list", nil, &list)
	for _, tool := range list.Tools {
		if len(tool.OutputSchema) == 0 {
			continue
		}
		s, err := schema.Compile(tool.OutputSchema)
		if err != nil {
			t.Fatal(tool.Name, err)
		}
		x.schemas[tool.Name] = s
	}
	return x
}

// use makes a call and compares. wants are strings that the structured side must contain, as JSON.
func (x *comparison) use(tool string, args any, wants ...string) {
	x.t.Helper()
	x.id++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": x.id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		x.t.Fatal(err)
	}
	if _, err := x.in.Write(append(data, '\n')); err != nil {
		x.t.Fatal(err)
	}
	m := x.read(tool)
	for m.ID == nil || *m.ID != x.id {
		m = x.read(tool)
	}
	var res struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	side := m.Error // of an error of JSON-RPC, all is structured
	if m.Error == nil {
		if err := json.Unmarshal(m.Result, &res); err != nil {
			x.t.Fatal(err)
		}
		if side = res.StructuredContent; side == nil {
			x.checkPlain(tool, args, res.IsError, len(res.Content))
			side = m.Result // such a result is shown as it is
		} else {
			x.replies++
			x.checkSchema(tool, args, side)
			for _, block := range res.Content {
				x.compare(tool, args, block.Text, side)
			}
			if bytes.Contains(side, []byte(`"warnings":[`)) {
				x.warned++
			}
			if res.IsError {
				x.failed++
			}
		}
	}
	for _, want := range wants {
		if !strings.Contains(string(side), want) {
			x.t.Errorf("%s %v: %s\nwant %s in it", tool, args, side, want)
		}
	}
}

// checkPlain checks a result without structured content: of a tool with an output schema it must be an error, since
// clients discard any other.
func (x *comparison) checkPlain(tool string, args any, failed bool, blocks int) {
	x.t.Helper()
	if x.schemas[tool] != nil && !failed || x.structured && blocks == 1 {
		x.t.Errorf("%s %v has no structured content", tool, args)
	}
}

func (x *comparison) checkSchema(tool string, args any, side []byte) {
	x.t.Helper()
	v, err := schema.Decode(side)
	if err == nil && x.schemas[tool] != nil {
		err = x.schemas[tool].Check(v)
	}
	if err != nil {
		x.t.Errorf("%s %v: the structured content does not fit the published schema: %v\n%s", tool, args, err, side)
	}
}

// compare checks that each line of text is in the structured side.
func (x *comparison) compare(tool string, args any, text string, side []byte) {
	x.t.Helper()
	if text == "done" { // stands for no text
		return
	}
	if v, err := schema.Decode([]byte(text)); err == nil { // a typed tool's result
		own := schema.Without(side, func(key string) bool { return key == schema.WarningsKey })
		var wrapped struct{ Result json.RawMessage }
		if _, object := v.(map[string]any); !object && json.Unmarshal(own, &wrapped) == nil {
			own = wrapped.Result
		}
		if !sameJSON(text, own) {
			x.t.Errorf("%s %v: the text is %s, and the structure %s", tool, args, text, side)
		}
		return
	}
	v, err := schema.Decode(side)
	if err != nil {
		x.t.Fatal(err)
	}
	said := map[string]bool{}
	collect(v, said)
	for line := range strings.SplitSeq(conformance.WithoutState(text), "\n") {
		if !said[plainLine(line)] {
			x.t.Errorf("%s %v: the line %q is not in the structured content\n%s", tool, args, line, side)
		}
	}
}

// plainLine is a printed line without what only the printed form has: indentation, prefixes, brackets.
func plainLine(line string) string {
	line = strings.TrimPrefix(strings.TrimLeft(line, " "), "try: ")
	if len(line) > 1 && line[1] == ' ' && strings.Contains("+~*-@?!", line[:1]) {
		line = line[2:]
	}
	if rest, ok := strings.CutPrefix(line, "["); ok {
		if digest, ok := strings.CutSuffix(rest, "]"); ok {
			line = digest
		}
	}
	return strings.TrimLeft(line, " ")
}

// collect adds the lines of all texts in v, as plainLine has them.
func collect(v any, said map[string]bool) {
	switch v := v.(type) {
	case string:
		for line := range strings.SplitSeq(v, "\n") {
			said[plainLine(line)] = true
			said[strings.TrimLeft(line, " ")] = true
		}
	case []any:
		for _, e := range v {
			collect(e, said)
		}
	case map[string]any:
		if v["unpushed"] == true {
			v["digest"] = fmt.Sprint(v["digest"], " *unpushed")
		}
		for _, e := range v {
			collect(e, said)
		}
	}
}

func ops(ops ...string) map[string]any { return map[string]any{"ops": ops} }

func TestTheStructuredSideOfAReplySaysWhatItsTextSays(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "other.list", "#list Other\nx")
	x := newComparison(t, serveProcess(t, dir, "--structured", "--plugin", testwasm.List(t), "--plugin", testwasm.Build(t, "plugins/drawio")), true)
	act := func(action string, wants ...string) {
		t.Helper()
		x.use("list_session", map[string]any{"action": action}, wants...)
	}
	ask := func(q string, wants ...string) { t.Helper(); x.use("list_query", map[string]any{"q": q}, wants...) }
	act("status", `no document open`)
	x.use("list", ops("add x"), `"try":["list_session new \"Title\""`)
	act(`new "A"`, `"document":"A"`)
	x.use("list", ops("add x", "add warn"), `"warnings":["`)
	x.use("list", ops("add y", "ad z"), `rolled back`, `"try":["add z"`)
	x.use("list", map[string]any{"ops": []string{"add y"}, "then": []string{"map", "checkpoint c", "history"}}, `"then":[`)
	x.use("list", map[string]any{"ops": []string{"add z"}, "then": []string{"nonsense", "save"}}, `kept: what was done before`)
	x.use("list", map[string]any{"ops": []string{"add v"}, "colour": "red"}, `ignored the argument`)
	x.use("list", map[string]any{"ops": []string{"add v"}, "documnt": "A"}, `"try":["list {`)
	x.use("list", map[string]any{}, `the argument ops is missing`)
	x.use("list", map[string]any{"ops": 7})
	ask("map")
	ask("status")
	ask("history")
	ask("checkpoints")
	ask("diff checkpoint:c")
	ask("find x")
	ask("nonsense", `unknown query`)
	ask("map\nfind x\nnonsense")
	ask("documents")
	x.use("list_query", map[string]any{"query": "map"}, `"warnings":["read the argument`)
	x.use("list_query", map[string]any{"q": "map", "query": "find x"}, `two keys`)
	act("save", `the document has no file yet`)
	act("save as:./a.list", "saved a.list")
	act("save as:./other.list", "already exists")
	act("save as:./other.list force", "was replaced")
	act("save as:./odd.doc", "programs may take it for something else")
	act("export upper as:./u.txt")
	act("export none as:./u.txt", "unknown export format")
	act("open ./a.list")
	act("open ./none.list", "its folder holds")
	act("documents")
	act("plugins")
	act("batch each")
	x.use("list", ops("add p", "nonsense", "add q"))
	act("batch atomic")
	act("undo to:none")
	act("undo 2")
	act("redo")
	act("redo 5")
	act("close", `has unsaved changes`)
	act("nonsense", "unknown")
	act(`"open`)
	x.use("list_session", map[string]any{"action": []string{"checkpoint d", "undo", "map"}}, `"then":[`)
	act("close force", "dropped its unsaved changes")
	x.use("list_help", map[string]any{})
	x.use("list_help", map[string]any{"topic": "add"})
	x.use("list_help", map[string]any{"topic": "nonsense"})
	x.use("drawio_session", map[string]any{"action": `new "Shop"`})
	x.use("drawio", ops("add svc Orders", "add db Log near:Orders", "connect Orders -> Log label:writes"))
	x.use("drawio", ops("connect Oders -> Log"), `nearest`)
	x.use("drawio_query", map[string]any{"q": "map"})
	x.use("drawio_query", map[string]any{"q": "lint"})
	x.use("drawio_query", map[string]any{"q": "preview width:100"}) // a picture, which structured content would hide
	x.use("drawio_session", map[string]any{"action": []string{"checkpoint c", "preview width:100"}}, "held back: a picture")
	x.use("drawio_session", map[string]any{"action": "save as:./shop.drawio"})
	x.use("drawio_session", map[string]any{"action": `save as:C:\x.drawio`}, "is a path of Windows")
	x.use("drawio_help", map[string]any{"topic": "connect"})
	if x.replies < 57 || x.warned < 6 || x.failed < 20 {
		t.Errorf("compared %d replies, %d with warnings and %d errors", x.replies, x.warned, x.failed)
	}
}

func TestTheStructuredSideOfATypedToolsReplySaysWhatItsTextSays(t *testing.T) {
	o := startCuedeckHost(t, map[string]string{
		".cuedeck/cards/abc123.md": card("Set up", "todo"), ".cuedeck/cards/def456.md": card("Run", "active", "depends_on: [abc123]"),
		".cuedeck/cards/broken.md": "---\nassignee: @dev\n---\n", "docs/a.md": "# Guide\n\nAuth tokens.\n",
	})
	x := newComparison(t, o.client, false)
	const unread, outside = "not listed: 1 card that cannot be read", "changed outside, and now in the document"
	outsider := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(o.dir, ".cuedeck", "cards", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	x.use("list_tasks", map[string]any{}, `"warnings":[`, unread)
	outsider("abc123.md", card("Set up again", "todo"))
	x.use("list_tasks", map[string]any{"status": "todo"}, unread, outside)
	x.use("list_tasks", map[string]any{"status": "nonsense"})
	x.use("create_task", map[string]any{"title": "New one"})
	outsider("ghi789.md", card("By hand", "todo"))
	x.use("create_task", map[string]any{"title": "Another"}, outside)
	outsider("ghi789.md", card("By hand, twice", "todo"))
	x.use("update_task", map[string]any{"id": "abc123", "updates": map[string]any{"status": "done"}}, outside)
	outsider("ghi789.md", card("By hand, three times", "todo"))
	x.use("get_task_dependencies", map[string]any{"id": "def456"}, outside)
	outsider("ghi789.md", card("By hand, four times", "todo"))
	x.use("validate_task_graph", map[string]any{}, "dependencies not checked: 1 card that cannot be read", outside)
	outsider("ghi789.md", card("By hand, five times", "todo"))
	x.use("read_context", map[string]any{"query": "auth"}, outside)
	outsider("ghi789.md", card("By hand, six times", "todo"))
	x.use("read_doc", map[string]any{"path": "docs/a.md"}, outside)
	outsider("ghi789.md", card("By hand, seven times", "todo"))
	x.use("update_task", map[string]any{"id": "nobody", "updates": map[string]any{"status": "done"}}, outside)
	outsider("ghi789.md", card("By hand, eight times", "todo"))
	x.use("get_task_dependencies", map[string]any{"id": "broken"}, outside)
	x.use("update_task", map[string]any{"id": "abc123", "updates": map[string]any{}}, "updates: must have at least 1 properties")
	x.use("read_doc", map[string]any{"path": "../x.md"})
	x.use("list_tasks", map[string]any{"wait_for_previous": true}, unread)
	if x.replies < 10 || x.warned < 8 {
		t.Errorf("compared %d replies, %d with warnings", x.replies, x.warned)
	}

	s := &flowise.Server{Credential: "22222222-2222-4222-8222-222222222222"}
	a := startFakeFlowise(t, s)
	x = newComparison(t, a.client, false)
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"list_chatflows", map[string]any{}},
		{"create_chatflow", map[string]any{"name": "A", "flow_data": `{"nodes":[],"edges":[]}`}},
		{"create_chatflow", map[string]any{"name": "A", "flow_data": "{not"}},
		{"get_chatflow", map[string]any{"chatflow_id": flowise.Nobody}},
		{"get_chatflow", map[string]any{"chatflow_id": 7}},
		{"update_chatflow", map[string]any{"chatflow_id": flowise.Nobody, "name": "x"}},
		{"deploy_chatflow", map[string]any{"chatflow_id": flowise.Nobody, "deployed": true}},
		{"run_prediction", map[string]any{"chatflow_id": flowise.Nobody, "question": "Hello?"}},
		{"generate_agentflow_v2", map[string]any{"description": "short"}},
		{"list_chatflows", map[string]any{"wait_for_previous": true, "limit": 1}},
	} {
		x.use(c.tool, c.args)
	}
	if x.replies < 3 || x.failed > 0 { // an error does not fit the schema, so that it is only a text
		t.Errorf("compared %d replies, %d errors", x.replies, x.failed)
	}
	if len(x.schemas) < 8 {
		t.Errorf("%d tools publish a schema", len(x.schemas))
	}
}
