package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// result decodes the result of request id into v.
func result(t *testing.T, all []message, id int, v any) {
	t.Helper()
	for _, m := range all {
		if string(m.ID) == fmt.Sprint(id) {
			if m.Error != nil {
				t.Fatalf("request %d: %+v", id, m.Error)
			}
			if err := json.Unmarshal(m.Result, v); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("request %d was not answered", id)
}

func edits(id int, ops, then any) string {
	return call(id, "list", map[string]any{"ops": ops, "then": then})
}

func TestOneCallEditsQueriesAndSaves(t *testing.T) {
	dir := t.TempDir()
	all := talk(t, start(t, dir, false), initialize, action(1, `new "A"`),
		edits(2, []string{"add x", "add y"}, []string{"map", "save as:./a.list"}),
		edits(3, []string{"add z"}, []string{"map", "mapp", "save"}),
		edits(4, []string{"remove none"}, []string{"save"}),
		edits(5, []string{}, []string{"map"}),
		call(6, "list", map[string]any{"then": []string{"map"}}))
	for id, want := range map[int]string{
		2: "+ x\n+ y\n#list A\nx\ny\n* saved a.list (11 bytes)\n[3 lines]",
		3: "+ z\n#list A\nx\ny\nz\n! then \"mapp\": unknown query or action\n  try: list_query map\n! kept: what was done before; not run: \"save\"\n[4 lines *unsaved]",
		5: "#list A\nx\ny\nz\n[4 lines *unsaved]",
	} {
		if c := answer(t, all, id); c.text() != want || c.IsError != (id == 3) {
			t.Errorf("call %d: isError %v\n%s\nwant\n%s", id, c.IsError, c.text(), want)
		}
	}
	for id, want := range map[int]string{4: "! op 1 (remove none): ", 6: "! the argument ops is missing"} {
		if c := answer(t, all, id); !c.IsError || !strings.HasPrefix(c.text(), want) || strings.Contains(c.text(), "* saved") {
			t.Errorf("call %d: %s", id, c.text())
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "a.list")); string(got) != "#list A\nx\ny" {
		t.Errorf("saved %q", got)
	}
}

func TestAPictureComesBackThroughAnEdit(t *testing.T) {
	for _, structured := range []bool{false, true} {
		for _, unified := range []bool{false, true} {
			edit, session, first := "thing", "thing_session", "new"
			if unified {
				edit, session, first = "fcp_edit", "fcp_session", "new thing"
			}
			s := serve(t, t.TempDir(), Config{Structured: structured, Unified: unified}, pluginWithPicture(t))
			all := talk(t, s, initialize, call(1, session, map[string]any{"action": first}),
				call(2, edit, map[string]any{"ops": []string{"add"}, "then": []string{"preview", "checkpoint c", "preview"}}))
			c := answer(t, all, 2)
			if want := "+ done\na picture\n+ checkpoint \"c\"\na picture\n[1 thing *unsaved]"; c.text() != want {
				t.Errorf("the text is\n%s\nwant\n%s", c.text(), want)
			}
			if len(c.Content) != 3 || c.Content[1].Type != "image" || c.Content[2].Data != base64.StdEncoding.EncodeToString(pixel) {
				t.Errorf("the content is %+v", c.Content)
			}
			if c.Structured != nil {
				t.Error("there is structured content beside a picture")
			}
		}
	}
}

func TestStructuredContentIsThereOnlyWhereItIsAskedFor(t *testing.T) {
	lines := []string{initialize, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, action(1, `new "A"`),
		edits(2, []string{"add x"}, []string{"map", "save as:./a.list"}), ask(3, "map"), action(4, "undo 9"), call(5, "list_help", nil), ask(6, "zzz")}
	for _, asked := range []bool{false, true} {
		all := talk(t, serve(t, t.TempDir(), Config{Structured: asked}, testwasm.List(t)), lines...)
		for id := 1; id <= 6; id++ {
			if c := answer(t, all, id); (c.Structured != nil) != asked {
				t.Errorf("asked for %v, call %d: %+v", asked, id, c.Structured)
			}
		}
		var list struct{ Tools []map[string]any }
		result(t, all, 9, &list)
		for _, tool := range list.Tools {
			name := tool["name"].(string)
			// A tool with an output schema would have to send structured content with a picture, too.
			never := name == "list_session" || name == "list_help"
			if _, ok := tool["outputSchema"]; ok != (asked && never) {
				t.Errorf("asked for %v, %s has an output schema: %v", asked, name, ok)
			}
		}
		if !asked {
			continue
		}
		f := answer(t, all, 2).Structured
		if f.Document != "A" || f.Dirty || f.Digest != "2 lines" || len(f.Results) != 1 || len(f.Then) != 2 || f.Then[0].Text != "#list A\nx" || f.Then[1].Results[0].Prefix != "*" {
			t.Errorf("the facts of an edit are %+v", f)
		}
	}
}

// mcp-go checks results against the schemas, failures included, as clients may.
func TestStructuredContentFitsItsSchema(t *testing.T) {
	s := serve(t, t.TempDir(), Config{Structured: true}, testwasm.List(t))
	judge := server.NewMCPServer("judge", "1", server.WithOutputSchemaValidation(),
		server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				res, err := next(ctx, req)
				if res != nil {
					res.IsError = false // mcp-go does not check errors
				}
				return res, err
			}
		}))
	for _, tool := range s.mcp.ListTools() {
		judge.AddTool(tool.Tool, tool.Handler)
	}
	for i, line := range []string{action(1, `new "A"`), edit(2, "add x", "add warn"), action(3, "save as:./a.list"), action(4, "nonsense"), action(5, "undo"), action(6, "documents"),
		action(7, "undo to:none"), call(8, "list_help", nil), call(9, "list_help", map[string]any{"x": 1}), action(10, "close"), action(11, "close force"), action(12, "status")} {
		res, ok := judge.HandleMessage(t.Context(), json.RawMessage(line)).(mcp.JSONRPCResponse)
		if !ok {
			t.Fatalf("call %d is not answered", i+1)
		}
		if r := res.Result.(*mcp.CallToolResult); r.IsError || r.StructuredContent == nil {
			t.Errorf("call %d: %+v", i+1, r.Content[0])
		}
	}
}

// Clients turn a link into text for the model, whatever its audience is.
func TestRepliesLinkToNoResources(t *testing.T) {
	for _, local := range []bool{true, false} {
		s := serve(t, t.TempDir(), Config{Local: local}, testwasm.List(t), pluginWithPicture(t))
		all := talk(t, s, initialize, action(1, `new "A B"`), edit(2, "add x"), action(3, "save as:./å.list"), action(4, "export upper as:./u.txt"), action(5, "open ./å.list"),
			edits(6, []string{"add y"}, []string{"save"}), call(7, "thing_session", map[string]any{"action": "new"}))
		for id := 1; id <= 7; id++ {
			if got := answer(t, all, id); got.IsError || len(got.Content) != 1 || got.Content[0].Type != "text" {
				t.Errorf("local %v, call %d answers %+v", local, id, got.Content)
			}
		}
		for _, m := range talk(t, s, initialize, `{"jsonrpc":"2.0","id":8,"method":"resources/list"}`) {
			if string(m.ID) == "8" && !strings.Contains(string(m.Result), `"fcp://list/`) {
				t.Errorf("the resources are %s", m.Result)
			}
		}
	}
}

func TestADocumentWithoutASessionIsReadAsAResourceByItsHandle(t *testing.T) {
	w := startHTTP(t, 0)
	free := w.modern("list_session", map[string]any{"action": `new "A"`})
	uri := "fcp://list/" + handle(t, free) + "/model"
	read := `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{` + modern + `,"uri":"` + uri + `"}}`
	if _, m := w.send("POST", read, map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": uri}); !strings.Contains(string(m.Result), "#list A") {
		t.Errorf("%s holds %s %v", uri, m.Result, m.Error)
	}
}

func TestTheVariablesOfResourceURIsAreCompleted(t *testing.T) {
	complete := func(id int, uri, name, value, domain string) string {
		params := map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": uri}, "argument": map[string]any{"name": name, "value": value}}
		if domain != "" {
			params["context"] = map[string]any{"arguments": map[string]any{"domain": domain}}
		}
		data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "completion/complete", "params": params})
		return string(data)
	}
	const model = "fcp://{domain}/{document}/model"
	s := serve(t, t.TempDir(), Config{}, testwasm.List(t), pluginWithPicture(t))
	talk(t, s, initialize, action(1, `new "Alpha"`), action(2, `new "Beta" as:beta`), action(3, `new "al so" as:"al so"`))
	talk(t, s, initialize, call(4, "thing_session", map[string]any{"action": "new Alone"}))
	cases := []struct{ uri, name, value, domain, want string }{
		{model, "domain", "", "", "list thing"},
		{model, "domain", "L", "", "list"},
		{"fcp://{domain}/{document}/preview", "document", "", "", "beta,al so,Alone"},
		{model, "document", "AL", "", "al so,Alone"},
		{model, "document", "al", "list", "al so"},
		{model, "document", "", "none", ""},
		{model, "other", "", "", ""},
		{"file:///{path}", "path", "", "", ""},
	}
	lines := []string{initialize}
	for i, c := range cases {
		lines = append(lines, complete(10+i, c.uri, c.name, c.value, c.domain))
	}
	all := talk(t, s, lines...)
	for i, c := range cases {
		var res struct{ Completion struct{ Values []string } }
		result(t, all, 10+i, &res)
		sep := ","
		if c.name == "domain" {
			sep = " "
		}
		if got := strings.Join(res.Completion.Values, sep); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}

	w := startHTTP(t, 0)
	h := handle(t, w.modern("list_session", map[string]any{"action": `new "A"`}))
	body := strings.Replace(complete(1, model, "document", "", ""), `"params":{`, `"params":{`+modern+`,`, 1)
	if _, m := w.send("POST", body, map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "completion/complete"}); m.Result == nil || strings.Contains(string(m.Result), h) {
		t.Errorf("a client without a session is told %s %v", m.Result, m.Error)
	}
}

func TestToolsHaveATitleAndTheServerASmallIcon(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var server struct {
		ServerInfo struct{ Icons []mcp.Icon }
	}
	if err := json.Unmarshal(all[0].Result, &server); err != nil || len(server.ServerInfo.Icons) != 1 {
		t.Fatalf("%v: %s", err, all[0].Result)
	}
	icon := server.ServerInfo.Icons[0].Src
	if data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(icon, "data:image/png;base64,")); err != nil || !strings.HasPrefix(string(data), "\x89PNG") || len(icon) > 1024 {
		t.Errorf("%v %.20q", err, data)
	}
	if strings.Contains(string(all[1].Result), "icons") {
		t.Errorf("each list carries icons: %s", all[1].Result)
	}
	var res struct {
		Tools []struct{ Name, Title string }
	}
	result(t, all, 1, &res)
	for _, tool := range res.Tools {
		if !strings.HasPrefix(tool.Title, "List: ") {
			t.Errorf("%s has the title %q", tool.Name, tool.Title)
		}
	}
}

func TestListsMayBeCached(t *testing.T) {
	request := func(id int, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, modern)
	}
	all := talk(t, start(t, t.TempDir(), false), request(1, "tools/list"), request(2, "resources/templates/list"), request(3, "resources/list"))
	for id, kept := range map[int]bool{1: true, 2: true, 3: false} {
		var res struct {
			TTL   *int   `json:"ttlMs"`
			Scope string `json:"cacheScope"`
		}
		result(t, all, id, &res)
		if res.TTL == nil || (*res.TTL > 0) != kept || res.Scope != "private" {
			t.Errorf("request %d: %+v", id, res)
		}
	}
}

func TestACallThatTakesLongReportsProgressBeforeItsAnswer(t *testing.T) {
	s := start(t, t.TempDir(), false)
	out := make(chan string, 1000)
	c := newConn(t.Context(), s, writer(func(line []byte) { out <- string(line) }))
	ctx := s.mcp.WithContext(t.Context(), c)
	for _, token := range []any{"a", 7} {
		var seen []string
		s.withProgress(ctx, "list", &mcp.Meta{ProgressToken: token}, time.Millisecond, func(context.Context) *reply.Reply {
			for len(seen) < 3 { // the call ends once the test has seen its progress
				seen = append(seen, <-out)
			}
			return nil
		})
		after := len(out)
		last := -1.0
		for range after {
			seen = append(seen, <-out)
		}
		for _, line := range seen {
			var n struct {
				Method string
				Params struct {
					ProgressToken any
					Progress      float64
				}
			}
			if err := json.Unmarshal([]byte(line), &n); err != nil || n.Method != "notifications/progress" || fmt.Sprint(n.Params.ProgressToken) != fmt.Sprint(token) || n.Params.Progress <= last {
				t.Errorf("%v: %s", token, line)
			}
			last = n.Params.Progress
		}
		if len(out) != 0 {
			t.Error("progress is reported after the call")
		}
	}
	for _, meta := range []*mcp.Meta{nil, {}} {
		s.withProgress(ctx, "list", meta, time.Nanosecond, func(context.Context) *reply.Reply { return nil })
	}
	if len(out) != 0 {
		t.Errorf("a client that did not ask is told %s", <-out)
	}
}

func TestProgressSaysThatAModuleIsBeingCompiled(t *testing.T) {
	for want, compiling := range map[string][]string{
		"running for 4s": nil,
		"running for 4s; slower than usual, because fcp-host is still compiling midi, svg, once on this machine": {"midi", "svg"},
	} {
		if got := runningFor(4*time.Second, compiling); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

// writer is a function that receives what is written.
type writer func(line []byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }
