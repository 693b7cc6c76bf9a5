package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestTypedToolsArePublishedOnlyWhereTheyAreOffered(t *testing.T) {
	set := typedSet(t, newWorld())
	without := published(t, talk(t, typedServer(t, set, Config{}, false), initialize, listTools), 1)
	if len(without) != 4 {
		t.Fatalf("%d tools without an offer", len(without))
	}
	one := published(t, talk(t, typedServer(t, set, Config{}, false, "world/thing_lines", "world/thing_push"), initialize, listTools), 1)
	if len(one) != 6 {
		t.Errorf("%d tools, want four and two", len(one))
	}
	for name, tool := range without {
		if string(one[name]) != string(tool) {
			t.Errorf("%s is not described as before", name)
		}
	}
	var got struct {
		Title, Description        string
		InputSchema, OutputSchema json.RawMessage
		Annotations               map[string]any
	}
	if err := json.Unmarshal(one["thing_lines"], &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != "World: thing_lines" || !strings.HasPrefix(got.Description, "The lines that hold a text") {
		t.Errorf("published %s", one["thing_lines"])
	}
	if want := `{"properties":{"result":{"items":{"type":"string"},"type":"array"}},"required":["result"],"type":"object"}`; sorted(t, got.OutputSchema) != want {
		t.Errorf("the output schema is %s", got.OutputSchema)
	}
	if want := "map[destructiveHint:false idempotentHint:false openWorldHint:true readOnlyHint:true title:World: thing_lines]"; fmt.Sprint(got.Annotations) != want {
		t.Errorf("annotations %v, want %s", got.Annotations, want)
	}
	if err := json.Unmarshal(one["thing_push"], &got); err != nil {
		t.Fatal(err)
	}
	if got.Annotations["destructiveHint"] != true || got.Annotations["readOnlyHint"] != false {
		t.Errorf("annotations %v", got.Annotations)
	}
	literal := published(t, talk(t, typedServer(t, set, Config{}, true, "world"), initialize, listTools), 1)
	if !strings.Contains(string(literal["thing_lines"]), `"type":"array"`) || strings.Contains(string(literal["thing_lines"]), `"result"`) {
		t.Errorf("the literal schema is %s", literal["thing_lines"])
	}
	if all := published(t, talk(t, typedServer(t, set, Config{Unified: true}, false, "world"), initialize, listTools), 1); all["fcp_edit"] == nil || all["thing_echo"] == nil {
		t.Error("unified, typed tools are not offered")
	}
}

// typedCalls are calls of typed tools and their expected outcomes, over any transport.
var typedCalls = []struct{ tool, args, want string }{
	{"thing_echo", `{"n":123456789012345678901234567890,"text":"a"}`, `{"n":123456789012345678901234567890,"text":"a"} error:false | {"n":123456789012345678901234567890,"text":"a"}`},
	{"thing_echo", `{"wait_for_previous":true,"n":1.0,"text":"a","_meta":{},"task_progress":"- [ ] a"}`, `{"n":1.0,"text":"a"} error:false | {"n":1.0,"text":"a"}`},
	{"thing_echo", `{"text":"a","colour":"red"}`, ` error:true | the arguments of thing_echo do not fit: there is no "colour"; there are "n", "text"`},
	{"thing_echo", `{"text":"A"}`, ` error:true | the arguments of thing_echo do not fit: text: must match ^[a-z ]*$, and "A" does not`},
	{"thing_echo", `{}`, ` error:true | the arguments of thing_echo do not fit: "text" is missing`},
	{"thing_echo", `null`, ` error:true | the arguments of thing_echo do not fit: "text" is missing`},
	{"thing_echo", `[]`, ` error:true | the arguments of thing_echo do not fit: must be object, not array`},
	{"thing_echo", `{"text":"a","text":"b"}`, ` error:true | the arguments of thing_echo do not fit: the key "text" occurs twice`},
	{"thing_echo", `{"text":"a","n":1e999999999}`, `error -32602 params hold a number that is too large `},
	{"thing_echo", `{"text":"a","n":1e-2000}`, ` error:true | the arguments of thing_echo do not fit: n: the number 1e-2000 has more than 512 digits or an exponent beyond 1000`},
	{"thing_get", `{"path":["a","b"]}`, `{"text":"200 GET a/b"} error:false | {"text":"200 GET a/b"}`},
	{"thing_wait", `{"ms":1}`, ` error:false | waited`},
	{"thing_fail", `{"code":7,"text":"x","data":{"error":{"type":"NotFoundError","message":"failed: x"}}}`, ` error:true | {"error":{"type":"NotFoundError","message":"failed: x"}}`},
	{"thing_fail", `{"code":-32603,"text":"x"}`, ` error:true | failed: x`},
	{"thing_fail", `{"code":-32602,"text":"x","data":[1]}`, " error:true | failed: x\n[1]"},
	{"thing_fail", `{"code":1404,"text":"x","data":{"b":1,"a":2.50}}`, `error 1404 failed: x {"b":1,"a":2.50}`},
	{"thing_fail", `{"code":1404,"text":"x"}`, `error 1404 failed: x `},
	{"thing_panic", `{}`, ` error:true | ! the world plugin failed: trap`},
	{"thing_echo", `{"text":"on"}`, `{"text":"on"} error:false | {"text":"on"}`},
	{"thing_rare", `{}`, ` error:false | rare`},
	{"thing_rare", `{}`, ` error:false | rare`},
	{"thing_rare", `{}`, ` error:true | Rate Limit Exceeded: thing_rare may be called 6 times a minute; try again in `},
}

func TestACallOfATypedToolIsCheckedAgainstItsSchemas(t *testing.T) {
	s := typedServer(t, typedSet(t, newWorld()), Config{}, false, "world")
	for i, c := range typedCalls {
		all := talk(t, s, initialize, rawCall(i, c.tool, c.args))
		if got := toolAnswer(t, all, i); got != c.want && (!strings.HasPrefix(got, c.want) || !strings.HasPrefix(c.want, " error:true")) {
			t.Errorf("%s %s\n got %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
}

// A domain without wants has no world.
func TestATypedToolOfADomainWithoutAWorldGetsItsArguments(t *testing.T) {
	set := typedSet(t, newWorld())
	for _, d := range set.Catalog().Domains {
		d.World = nil
	}
	all := talk(t, typedServer(t, set, Config{}, false, "world"), initialize,
		call(1, "world_session", map[string]any{"action": `new "T"`}),
		rawCall(2, "thing_add", `{"text":"one"}`))
	if got, want := toolAnswer(t, all, 2), `{"text":"one"} error:false | {"text":"one"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTypedToolsAnswerTheSameOverHTTP(t *testing.T) {
	set := typedSet(t, newWorld())
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	offering := func(s *session.Session, _ string) *session.Session {
		s.SetTools([]string{"world"}, false, true)
		return s
	}
	w := startConfigured(t, HTTPConfig{Typed: true,
		NewShared:  func(who string) *session.Session { return offering(session.NewShared(set, roots), who) },
		NewSession: func(who string) *session.Session { return offering(session.New(set, roots), who) }}, gate.Config{Open: true})
	head := map[string]string{"Mcp-Session-Id": w.join()}
	for i, c := range typedCalls {
		_, m := w.send("POST", rawCall(i, c.tool, c.args), head)
		if got := toolAnswer(t, []message{m}, i); got != c.want && (!strings.HasPrefix(got, c.want) || !strings.HasPrefix(c.want, " error:true")) {
			t.Errorf("%s %s\n got %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
	// Without a session there is no current document.
	modernHead := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "thing_add"}
	_, m := w.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"thing_add","arguments":{"text":"a"},`+modern+`}}`, modernHead)
	if got := toolAnswer(t, []message{m}, 1); !strings.Contains(got, "this connection keeps none") {
		t.Errorf("got %s", got)
	}
	modernHead["Mcp-Name"] = "thing_fail"
	_, m = w.send("POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"thing_fail","arguments":{"code":1404,"text":"a"},`+modern+`}}`, modernHead)
	if got := toolAnswer(t, []message{m}, 2); got != "error 1404 failed: a " {
		t.Errorf("got %s", got)
	}
}

func TestATypedToolOnADocumentIsOneOpOfItsHistory(t *testing.T) {
	s := typedServer(t, typedSet(t, newWorld()), Config{}, false, "world")
	shown := s.appView()
	ask := func(id int, q string) string { return call(id, "world_query", map[string]any{"q": q}) }
	act := func(id int, a string) string { return call(id, "world_session", map[string]any{"action": a}) }
	all := talk(t, s, initialize,
		rawCall(1, "thing_add", `{"text":"too early"}`),
		act(2, `new "T"`),
		rawCall(3, "thing_add", `{"text":"one"}`),
		rawCall(4, "thing_push", `{"path":["x"]}`),
		rawCall(5, "thing_lines", `{"text":"o"}`),
		ask(15, "map"))
	if got := string(shown.Answer(t.Context(), []byte(`{"do":"show","domain":"world","name":"T"}`))); !strings.Contains(got, `"said":{"lines":[{"kind":"*","text":"world| 200 POST x"}]`) {
		t.Errorf("a person is shown %s", got)
	}
	// The query would otherwise be answered while thing_push waits.
	all = append(all, talk(t, s, ask(6, "history"),
		rawCall(7, "thing_undone", `{}`),
		rawCall(8, "thing_cheat", `{}`),
		rawCall(9, "thing_wrong", `{}`),
		ask(10, "map"),
		act(11, "undo 2"),
		ask(12, "map"),
		act(13, "redo"),
		ask(14, "map"))...)
	for id, want := range map[int]string{
		1:  ` error:true | ! no document open`,
		3:  `{"text":"one"} error:false | {"text":"one"}`,
		4:  `{"text":"200 POST x"} error:false | {"text":"200 POST x"}`,
		5:  `{"result":["#world T","one"]} error:false | ["#world T","one"]`,
		6:  ` error:false | `,
		7:  ` error:true | failed in the end`,
		8:  ` error:true | `,
		9:  ` error:true | thing_wrong was carried out: do not repeat it. Its structured result does not fit the tool's output schema (must be object, not number); it said:` + "\n  7",
		10: " error:false | #world T\none\n200 POST x\nwrong",
		12: " error:false | #world T\none",
		14: " error:false | #world T\none\n200 POST x",
	} {
		if got := toolAnswer(t, all, id); !strings.HasPrefix(got, want) {
			t.Errorf("call %d\n got %s\nwant %s", id, got, want)
		}
	}
	for _, want := range []string{"one", "200 POST x"} {
		if got := toolAnswer(t, all, 6); !strings.Contains(got, want) || strings.Contains(got, "thing_") {
			t.Errorf("history lacks %s: %s", want, got)
		}
	}
	if got := toolAnswer(t, all, 11); !strings.Contains(got, "undid wrong") || !strings.Contains(got, "undid 200 POST x") {
		t.Errorf("undo: %s", got)
	}
}

func TestUnracedTheAnswersOfATypedToolAreChecked(t *testing.T) {
	testwasm.Unraced(t)
	says := func(structured string) *abi.ToolResponse { return &abi.ToolResponse{Structured: []byte(structured)} }
	fails := func(code int, message, data string) *abi.ToolResponse {
		return &abi.ToolResponse{Error: &abi.ToolError{Code: code, Message: message, Data: []byte(data)}, Structured: []byte(`{"a":1}`)}
	}
	huge := `{"a":"` + strings.Repeat("x", abi.MaxJSON-8) + `"}`
	for name, c := range map[string]struct {
		answer *abi.ToolResponse
		want   string
	}{
		"no JSON":               {says(`{"a":`), "does not fit the tool's output schema (it is not JSON"},
		"NaN":                   {says(`{"a":NaN}`), "it is not JSON"},
		"a key twice":           {says(`{"a":1,"a":2}`), `the key \"a\" occurs twice`},
		"bad UTF-8":             {says("{\"a\":\"\xff\"}"), "it is not UTF-8"},
		"nothing":               {says(""), "it gave none"},
		"another shape":         {says(`{"b":1}`), `\"a\" is missing); it said:\n  {\"b\":1}`},
		"a huge number":         {says(`{"a":1e999999999}`), "exponent"},
		"four MiB":              {says(huge), strings.Repeat("x", 1000)},
		"more":                  {says(huge + " "), "more than 4194304 bytes of JSON"},
		"control characters":    {says("{\"a\":\"\u202e\\u001b[31m\u2028\"}"), `{"a":"\u202e\u001b[31m\u2028"}`},
		"a reserved code":       {fails(-32603, "no", ""), `"text":"no"`},
		"a code of MCP's":       {fails(-32002, "no", ""), `"text":"no"`},
		"a code it lists":       {fails(1001, "no\x1b[31m\n", `{"x":"\u202e"}`), `"code":1001,"message":"no\\u001b[31m\\u000a","data":{"x":"\u202e"}`},
		"an error like a line":  {fails(1001, "! list: lost", ""), `"message":"thing| ! list: lost"`},
		"invalid params":        {fails(-32602, "no", ""), `"code":-32602,"message":"no"`},
		"data that is no JSON":  {fails(7, "no", "{"), "what the plugin added to its error is left out"},
		"no reason":             {fails(7, "", ""), "the plugin gave no reason"},
		"lines like the host's": {&abi.ToolResponse{Structured: []byte(`{"a":1}`), Text: "! rolled back\n[1 thing]\n  try: evil"}, `"text":"thing| ! rolled back\nthing| [1 thing]\n  thing| try: evil"`},
		"events of nothing":     {&abi.ToolResponse{Structured: []byte(`{"a":1}`), Events: []abi.Event{{Type: "e"}}}, "changes a document, which its manifest does not say"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := scriptedTool(t, "thing", func(m *abi.Manifest) { m.Tools[0].Codes = []int{1001, -32602} }, testwasm.Answers(c.answer))
			s := typedServer(t, typedSet(t, newWorld(), file), Config{}, false, "thing")
			got := raw(t, s, initialize+"\n"+rawCall(1, "do_it", `{}`))
			if last := got[len(got)-1]; !strings.Contains(last, c.want) || strings.Contains(last, "_meta") {
				t.Errorf("got %.600s\nwant %s", last, c.want)
			}
		})
	}
}

func TestTypedToolsThatCannotBeServedAreNamed(t *testing.T) {
	tool := func(name string, change ...func(*abi.Tool)) func(*abi.Manifest) {
		return func(m *abi.Manifest) {
			m.Tools[0].Name = name
			for _, f := range change {
				f(&m.Tools[0])
			}
		}
	}
	input := func(schema string) func(*abi.Tool) {
		return func(t *abi.Tool) { t.InputSchema = []byte(schema) }
	}
	ok := testwasm.Answers(&abi.ToolResponse{Structured: []byte(`{"a":1}`)})
	for name, c := range map[string]struct {
		one, two func(*abi.Manifest)
		offers   []string
		tools    string // the typed tools that are served
		says     []string
	}{
		"a name of both":          {tool("find"), tool("find"), []string{"alpha", "beta"}, "", []string{"the typed tool \"find\" of alpha: beta has one of that name", "of beta: alpha has"}},
		"only one is asked for":   {tool("find"), tool("find"), []string{"alpha"}, "find", nil},
		"a name much alike":       {tool("fi1e"), tool("file"), []string{"alpha", "beta"}, "", []string{"of alpha: beta has one", "of beta: alpha has one"}},
		"the tool of a domain":    {tool("beta"), tool("find"), []string{"alpha", "beta"}, "find", []string{"its name is taken by the tools of beta"}},
		"one that is not there":   {tool("find"), tool("seek"), []string{"alpha/none", "beta"}, "seek", []string{"the domain alpha has no typed tool \"none\""}},
		"a domain that is not":    {tool("find"), tool("seek"), []string{"gamma", "beta"}, "seek", []string{"typed tools of \"gamma\": no such domain is loaded"}},
		"a schema from elsewhere": {tool("find", input(`{"type":"object","properties":{"a":{"$ref":"https://example.com/"}}}`)), tool("seek"), []string{"alpha", "beta"}, "seek", []string{"of alpha: its input schema cannot be used: a schema may refer only to itself"}},
		"a schema of an array":    {tool("find", input(`{"type":"array"}`)), tool("seek"), []string{"alpha", "beta"}, "seek", []string{"needs \"type\": \"object\" at its root"}},
		"a schema that is none":   {tool("find", input(`{"type":`)), tool("seek"), []string{"alpha", "beta"}, "seek", []string{"it is not JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := typedSet(t, newWorld(), scriptedTool(t, "alpha", c.one, ok), scriptedTool(t, "beta", c.two, ok))
			all := talk(t, typedServer(t, set, Config{}, false, c.offers...), initialize, listTools, call(2, "alpha_query", map[string]any{"q": "status"}))
			var typed []string
			for name := range published(t, all, 1) {
				if !slices.ContainsFunc([]string{"world", "alpha", "beta"}, func(d string) bool { return name == d || strings.HasPrefix(name, d+"_") }) {
					typed = append(typed, name)
				}
			}
			if got := strings.Join(typed, " "); got != c.tools {
				t.Errorf("typed tools %q, want %q", got, c.tools)
			}
			if n := len(published(t, all, 1)); n != 12+len(typed) {
				t.Errorf("%d tools: the domains' own are not all served", n)
			}
			status := toolAnswer(t, all, 2)
			for _, want := range c.says {
				if !strings.Contains(status, want) {
					t.Errorf("status lacks %q: %s", want, status)
				}
			}
		})
	}
}

// The tools of two real servers, with the schemas by which clients call them.
func TestAContractOfToolsIsServedAsItIsWritten(t *testing.T) {
	read := func(name string) (tools []struct {
		Name          string
		Input, Output json.RawMessage
	}) {
		t.Helper()
		root, err := testwasm.Root()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(root, "host", "schema", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &tools); err != nil {
			t.Fatal(err)
		}
		return tools
	}
	for _, c := range []struct{ contract, tool, good, answer, structured, bad, says string }{
		{"flows", "list_chatflows", `{}`, `[{"id":"abc","name":"RAG","type":"CHATFLOW","deployed":true,"createdDate":"2025-10-16T12:00:00Z"}]`,
			`{"result":[{"id":"abc","name":"RAG","type":"CHATFLOW","deployed":true,"createdDate":"2025-10-16T12:00:00Z"}]}`, `[]`, "must be object, not array"},
		{"flows", "update_chatflow", `{"chatflow_id":"a","deployed":true}`, `{"id":"a","name":"N","type":"CHATFLOW","deployed":true}`,
			`{"id":"a","name":"N","type":"CHATFLOW","deployed":true}`, `{"chatflow_id":"a"}`, `one of these must be corrected: "name" is missing; or "flow_data" is missing; or "deployed" is missing`},
		{"flows", "create_chatflow", `{"name":"N","flow_data":"{}"}`, `{"id":"a","name":"N","type":"CHATFLOW","deployed":false}`,
			`{"id":"a","name":"N","type":"CHATFLOW","deployed":false}`, `{"name":"","flow_data":"{}","type":"X"}`, `name: must have at least 1 characters, and has 0; type: must be one of "CHATFLOW", "AGENTFLOW", "MULTIAGENT", "ASSISTANT", not "X"`},
		{"cards", "read_context", `{"query":"auth","semantic":true,"filters":{"tags":["a"]}}`, `[{"path":"docs/a.md","hash":"ab","tokens":450,"anchors":[]}]`,
			`{"result":[{"path":"docs/a.md","hash":"ab","tokens":450,"anchors":[]}]}`, `{"query":"auth","limit":51}`, "limit: must be at most 50"},
		{"cards", "read_doc", `{"path":"docs/api.md"}`, `{"path":"docs/api.md","content":"#","anchor":null,"tokens":1523,"hash":"e3","cached":true,"line_range":null}`,
			`{"path":"docs/api.md","content":"#","anchor":null,"tokens":1523,"hash":"e3","cached":true,"line_range":null}`, `{"path":"../secret.md"}`, "path: must match"},
		{"cards", "update_task", `{"id":"2a9f1x","updates":{"status":"done"}}`, `{"id":"2a9f1x","title":"T","status":"done","updated_at":"2025-12-31T10:30:00Z","updated_fields":["status"]}`,
			`{"id":"2a9f1x","title":"T","status":"done","updated_at":"2025-12-31T10:30:00Z","updated_fields":["status"]}`, `{"id":"2a9f1x","updates":{}}`, "updates: must have at least 1 properties, and has 0"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			tools := read(c.contract + ".json")
			file := scriptedTool(t, "thing", func(m *abi.Manifest) {
				m.Tools = nil
				for _, tool := range tools {
					m.Tools = append(m.Tools, abi.Tool{Name: tool.Name, Description: tool.Name, InputSchema: tool.Input, OutputSchema: tool.Output})
				}
			}, testwasm.Answers(&abi.ToolResponse{Structured: []byte(c.answer)}))
			s := typedServer(t, typedSet(t, newWorld(), file), Config{}, false, "thing")
			all := talk(t, s, initialize, listTools, rawCall(2, c.tool, c.good), rawCall(3, c.tool, c.bad))
			list := published(t, all, 1)
			for _, tool := range tools {
				var got struct{ InputSchema, OutputSchema map[string]json.RawMessage }
				if err := json.Unmarshal(list[tool.Name], &got); err != nil || string(got.InputSchema["type"]) != `"object"` || string(got.OutputSchema["type"]) != `"object"` || got.InputSchema["anyOf"] != nil {
					t.Errorf("%s is published as %s, %v", tool.Name, list[tool.Name], err)
				}
			}
			if got, want := toolAnswer(t, all, 2), c.structured+" error:false | "+c.answer; got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			if got := toolAnswer(t, all, 3); !strings.Contains(got, "error:true") || !strings.Contains(got, c.says) {
				t.Errorf("got %s\nwant %s", got, c.says)
			}
		})
	}
}
