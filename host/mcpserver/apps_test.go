package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const joins = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{%s}}}` + "\n"

func TestTheViewIsAnAppForClientsThatShowAppsAlone(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	const work = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"new \"T\""}}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list","arguments":{"ops":["add one"]}}}` + "\n"
	const view = `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fcp_view","arguments":{"do":"state"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"ui://fcp/view"}}` + "\n"
	// answers are those of a client with these capabilities, by id.
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
	type tools struct {
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
	var got tools
	if err := json.Unmarshal([]byte(shown["1"]), &got); err != nil {
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
	if !strings.Contains(shown["4"], `\"documents\":[{\"domain\":\"list\",\"name\":\"T\"`) {
		t.Errorf("the page is answered %s", shown["4"])
	}
	if !strings.Contains(shown["5"], `"mimeType":"text/html;profile=mcp-app"`) || !strings.Contains(shown["5"], `content=\"app\"`) {
		t.Errorf("the page is %.300s", shown["5"])
	}
}
