package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

const joins = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{%s}}}` + "\n"

func TestUnracedTheViewIsAnAppOnlyForClientsThatShowApps(t *testing.T) {
	testwasm.Unraced(t)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	const work = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"new \"T\""}}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list","arguments":{"ops":["add one"]}}}` + "\n"
	const view = `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fcp_view","arguments":{"do":"state"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"ui://fcp/view"}}` + "\n" +
		`{"jsonrpc":"2.0","id":6,"method":"resources/list"}` + "\n"
	// answers returns a client's messages by id, for a client with these capabilities.
	answers := func(can, more string) map[string]string {
		s := start(t, t.TempDir(), false)
		s.config.Local = true
		out := map[string]string{}
		lines := raw(t, s, fmt.Sprintf(joins, can)+list+work)
		if more != "" {
			lines = append(lines, raw(t, s, fmt.Sprintf(joins, can)+more)...)
		}
		for _, line := range lines {
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			out[string(m.ID)] = line
		}
		return out
	}
	plain := answers("", view)
	for _, can := range []string{`"extensions":{"other":{}}`, `"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/uri-list"]}}`, `"experimental":{"io.modelcontextprotocol/ui":{}}`} {
		if other := answers(can, ""); other["1"] != plain["1"] || other["2"] != plain["2"] {
			t.Errorf("a client with %s is shown other tools:\n%s\n%s", can, other["1"], plain["1"])
		}
	}
	if strings.Contains(plain["1"], "ui://") || !strings.Contains(plain["4"], "error") || !strings.Contains(plain["5"], "error") {
		t.Errorf("a client without apps is shown some: %s %s", plain["4"], plain["5"])
	}

	shown := answers(`"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}`, view)
	hasApp(t, shown["1"], shown["4"], shown["5"])
	if !strings.Contains(shown["3"], `"_meta":{"fcp-host/document":{"domain":"list","name":"T"}}`) || strings.Contains(plain["3"], "_meta") {
		t.Errorf("the page learns of a call %s, and others %s", shown["3"], plain["3"])
	}
	if strings.Contains(shown["6"], "ui://") || shown["6"] != plain["6"] {
		t.Errorf("resources are listed as %s, to others as %s", shown["6"], plain["6"])
	}
}

// hasApp checks that the client is offered the view: in its list of tools, in the answer to the page's state request, and by
// the page.
func hasApp(t *testing.T, list, state, page string) {
	t.Helper()
	var got struct {
		Result struct {
			Tools []struct {
				Name string
				Meta struct {
					UI struct {
						ResourceURI string
						Visibility  []string
					} `json:"ui"`
				} `json:"_meta"`
			}
		}
	}
	if err := json.Unmarshal([]byte(list), &got); err != nil {
		t.Fatal(err)
	}
	linked := map[string]string{}
	for _, tool := range got.Result.Tools {
		linked[tool.Name] = tool.Meta.UI.ResourceURI + strings.Join(tool.Meta.UI.Visibility, ",")
	}
	for name, want := range map[string]string{"list": appURI, "list_session": appURI, "list_query": "", "list_help": "", "fcp_view": appURI + "app"} {
		if is, ok := linked[name]; !ok || is != want {
			t.Errorf("%s is linked to %q, want %q", name, is, want)
		}
	}
	if !strings.Contains(state, `\"documents\":[{\"domain\":\"list\",\"name\":\"T\"`) {
		t.Errorf("the page is answered %s", state)
	}
	if !strings.Contains(page, `"mimeType":"text/html;profile=mcp-app"`) || !strings.Contains(page, `content=\"app\"`) {
		t.Errorf("the page is %.300s", page)
	}
}

// A request of protocol version 2026-07-28 states the client's capabilities itself.
const metaApps = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}}`

func TestARequestStatesThatItsClientShowsApps(t *testing.T) {
	other := strings.Replace(metaApps, `"extensions":{"io.modelcontextprotocol/ui":{}}`, "", 1)
	answersOf := func(s *Server, meta string) map[string]string {
		out := map[string]string{}
		for _, line := range raw(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fcp_view","arguments":{"do":"state"},`+meta+`}}
{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"ui://fcp/view",`+meta+`}}
`) {
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			out[string(m.ID)] = line
		}
		return out
	}
	s := start(t, t.TempDir(), false)
	raw(t, s, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"new \"T\""},`+metaApps+`}}`+"\n")
	before := answersOf(s, other)
	got := answersOf(s, metaApps)
	hasApp(t, got["1"], got["4"], got["5"])
	after := answersOf(s, other)
	for _, id := range []string{"1", "4", "5"} {
		if before[id] != after[id] || strings.Contains(after[id], `"ui"`) || id != "1" && !strings.Contains(after[id], `"error"`) {
			t.Errorf("a request of a client without apps is answered %s, and before %s", after[id], before[id])
		}
	}
}

func TestTypedToolsThatChangeADocumentShowIt(t *testing.T) {
	s := typedServer(t, typedSet(t, newWorld()), Config{}, false, "world")
	lines := raw(t, s, fmt.Sprintf(joins, `"extensions":{"io.modelcontextprotocol/ui":{}}`)+`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"+
		call(2, "world_session", map[string]any{"action": `new "T"`})+"\n"+rawCall(3, "thing_add", `{"text":"one"}`)+"\n"+rawCall(4, "thing_lines", `{}`)+"\n")
	const about = `"_meta":{"fcp-host/document":{"domain":"world","name":"T"}}`
	for _, line := range lines {
		var m struct {
			ID     int
			Result struct {
				Tools []struct {
					Name string
					Meta any `json:"_meta"`
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, about) != (m.ID == 2 || m.ID == 3) {
			t.Errorf("call %d is answered %s", m.ID, line)
		}
		for _, tool := range m.Result.Tools {
			if want, ok := map[string]bool{"thing_add": true, "thing_lines": false, "thing_fail": false}[tool.Name]; ok && want != (tool.Meta != nil) {
				t.Errorf("%s has %v", tool.Name, tool.Meta)
			}
		}
	}
}

func TestTheViewIsAnAppOverHTTP(t *testing.T) {
	w := startHTTP(t, 0)
	ask := func(head map[string]string, id int, method, params string) string {
		res, m := w.send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params), head)
		if res.StatusCode != 200 && m.Error == nil {
			t.Fatalf("%s: %s", method, res.Status)
		}
		text, _ := json.Marshal(m)
		return string(text)
	}
	join := func(can string) (head map[string]string) {
		res, m := w.send("POST", fmt.Sprintf(strings.TrimSpace(joins), can), nil)
		if res.StatusCode != 200 || m.Error != nil {
			t.Fatalf("initialize: %s %+v", res.Status, m)
		}
		return map[string]string{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id"), "MCP-Protocol-Version": "2025-11-25"}
	}
	const state, read = `"name":"fcp_view","arguments":{"do":"state"}`, `"uri":"ui://fcp/view"`
	plain, shows := join(""), join(`"extensions":{"io.modelcontextprotocol/ui":{}}`)
	for _, head := range []map[string]string{plain, shows} {
		ask(head, 2, "tools/call", `"name":"list_session","arguments":{"action":"new \"T\""}`)
	}
	hasApp(t, ask(shows, 1, "tools/list", ""), ask(shows, 4, "tools/call", state), ask(shows, 5, "resources/read", read))
	if list := ask(plain, 1, "tools/list", ""); strings.Contains(list, "ui://") || !strings.Contains(ask(plain, 4, "tools/call", state), "not found") || !strings.Contains(ask(plain, 5, "resources/read", read), "not found") {
		t.Errorf("another session is shown apps: %s", list)
	}

	// Requests without a session see only the document whose handle they have.
	modern := func(method, name, params string) string {
		head := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
		if name != "" {
			head["Mcp-Name"] = name
		}
		if params != "" {
			params += ","
		}
		return ask(head, 7, method, params+metaApps)
	}
	made := handle(t, w.modern("list_session", map[string]any{"action": `new "Secret"`}))
	if got := modern("tools/call", "fcp_view", state); !strings.Contains(got, `\"documents\":[]`) {
		t.Errorf("who knows no handle is told %s", got)
	}
	known := modern("tools/call", "fcp_view", `"name":"fcp_view","arguments":{"do":"state","domain":"list","name":"`+made+`"}`)
	if hasApp(t, modern("tools/list", "", ""), strings.Replace(known, made, "T", 1), modern("resources/read", "ui://fcp/view", read)); !strings.Contains(known, `\"follow\":0`) {
		t.Errorf("who knows a handle is told %s", known)
	}
}
