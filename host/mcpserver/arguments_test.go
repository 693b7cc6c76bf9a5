package mcpserver

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestUnracedArgumentsAreTakenInTheSpellingsThatModelsUse(t *testing.T) {
	testwasm.Unraced(t)
	dir := t.TempDir()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#list F\nf"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("a.list")
	domains := start(t, dir, false).session.Domains()
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		tool string
		args map[string]any
		want string // start of the reply
	}{
		{"list", map[string]any{"ops": "add x"}, "+ x\n[2 lines *unsaved]"},
		{"list", map[string]any{"ops": "add x\nadd y"}, "+ x\n+ y\n"},
		{"list", map[string]any{"ops": `["add x", "add \"y z\""]`}, "+ x\n+ y z\n"},
		{"list", map[string]any{"ops": `["add x", 1]`}, "! op 1 ([\"add x\", 1]): unknown verb"},
		{"list", map[string]any{"ops": "[]"}, "! ops is empty"},
		{"list", map[string]any{"op": "add x"}, "+ x\n"},
		{"list", map[string]any{"op": []string{"add x", "add y"}}, "+ x\n+ y\n"},
		{"list", map[string]any{"op": "add x", "ops": []string{"add y"}}, `! "ops" and "op" are two keys for the argument ops of list; give one of them; nothing was done`},
		{"list", map[string]any{"ops": []string{"add x"}, "then": "map"}, "+ x\n#list T\nx\n[2 lines *unsaved]"},
		{"list", map[string]any{"ops": []string{"add x"}, "then": `["map", "undo"]`}, "+ x\n#list T\nx\n* undid add x\n"},
		{"list", map[string]any{"ops": []string{"add x"}, "then": 7}, "! the argument then of list must be a list of strings"},
		{"list", map[string]any{"ops": []string{"add x", "list"}}, "+ x\n! op 2 (list): unknown verb"},
		{"list", map[string]any{"ops": []string{"LIST add x", "  list add y"}}, "+ x\n+ y\n"},
		{"list", map[string]any{"ops": []string{"add list"}}, "+ list\n"},
		{"list", map[string]any{"ops": []string{"add x"}, "then": []string{"list_query map", "list_session undo"}}, "+ x\n#list T\nx\n* undid add x\n"},
		{"list_query", map[string]any{"q": "list_query map"}, "#list T"},
		{"list_query", map[string]any{"q": "list_query"}, "! unknown query"},
		{"list_query", map[string]any{"q": "MAP"}, "#list T"},
		{"list_session", map[string]any{"action": "list_session checkpoint c"}, "+ checkpoint \"c\""},
		{"list_session", map[string]any{"action": "CHECKPOINT c"}, "+ checkpoint \"c\""},
		{"list_session", map[string]any{"op": "open", "file": "./a.list"}, `+ opened a.list as "a" (list)`},
		{"list_session", map[string]any{"op": "open", "path": "./a.list", "as": "other"}, `+ opened a.list as "other" (list)`},
		{"list_session", map[string]any{"action": "open", "file": "./a.list"}, `+ opened a.list as "a" (list)`},
		{"list_session", map[string]any{"op": "new"}, `+ new list document "Untitled"`},
		{"list_session", map[string]any{"op": "new", "title": "Two words"}, `+ new list document "Two words"`},
		{"list_session", map[string]any{"op": "save", "as": "./s p.list"}, "* saved s p.list"},
		{"list_session", map[string]any{"op": "save", "as": "./s.list", "format": "list"}, "* saved s.list"},
		{"list_session", map[string]any{"op": "Save", "as": "./u.txt", "format": "upper"}, "+ exported u.txt (upper"},
		{"list_session", map[string]any{"op": "export", "as": "./v.txt", "format": "upper"}, "+ exported v.txt (upper"},
		{"list_session", map[string]any{"op": "save", "as": "./u.txt", "format": "h264"}, "! unknown export format \"h264\""},
		{"list_session", map[string]any{"op": "checkpoint", "name": "c d"}, `+ checkpoint "c d"`},
		{"list_session", map[string]any{"op": "undo", "n": 2}, "! nothing to undo"},
		{"list_session", map[string]any{"op": "undo", "to": "c"}, "! "},
		{"list_session", map[string]any{"op": "close", "force": true}, "- closed"},
		{"list_session", map[string]any{"op": 7}, "! the argument action of list_session must be a string"},
		{"list_session", map[string]any{"file": "./a.list"}, `! the argument action is missing`},
		{"list_help", map[string]any{"topic": "list_help add"}, "## add\n"},
	} {
		s := session.New(domain.List(domains), roots)
		all := talk(t, New(Config{Session: s, Log: discard}), initialize, action(1, `new "T"`), call(2, c.tool, c.args))
		s.Close()
		if got := answer(t, all, 2); !strings.HasPrefix(got.text(), c.want) || got.IsError != strings.HasPrefix(c.want, "! ") && !strings.Contains(got.text(), "\n! ") {
			t.Errorf("%d. %s %v: %q, want %q", i, c.tool, c.args, got.text(), c.want)
		}
	}
}

func TestTheUnifiedToolsTakeTheSameSpellings(t *testing.T) {
	dir := t.TempDir()
	all := talk(t, serve(t, dir, Config{Unified: true}, testwasm.List(t), pluginWithPicture(t)), initialize,
		call(1, "fcp_session", map[string]any{"op": "new", "domain": "list", "title": "A"}),
		call(2, "fcp_edit", map[string]any{"op": "fcp_edit add x", "then": "fcp_query map"}),
		call(3, "fcp_session", map[string]any{"op": "save", "as": "./a.list", "format": "list"}),
		call(4, "fcp_session", map[string]any{"op": "save", "as": "./a.txt", "format": "upper"}),
		call(5, "fcp_session", map[string]any{"action": "fcp_session undo"}),
		call(6, "fcp_edit", map[string]any{"ops": []string{"add y"}, "then": []string{"nonsense"}}))
	for id, want := range map[int]string{1: "+ new list document \"A\"", 2: "+ x\n#list A\nx\n", 3: "* saved a.list", 4: "+ exported a.txt", 5: "* undid add x", 6: "+ y\n! then \"nonsense\": unknown query or action\n  try: fcp_help"} {
		if got := answer(t, all, id).text(); !strings.HasPrefix(got, want) {
			t.Errorf("call %d: %q, want %q", id, got, want)
		}
	}
}

// The schemas describe only the standard form. They allow other keys, since some clients add keys of their own.
func TestTheSchemasDescribeOneSpelling(t *testing.T) {
	for _, unified := range []bool{false, true} {
		s := start(t, t.TempDir(), unified)
		for _, tool := range s.mcp.ListTools() {
			var schema map[string]any
			if err := json.Unmarshal(tool.Tool.RawInputSchema, &schema); err != nil {
				t.Fatal(err)
			}
			if schema["additionalProperties"] != nil {
				t.Errorf("%s refuses keys of clients", tool.Tool.Name)
			}
			for _, key := range slices.Sorted(maps.Keys(schema["properties"].(map[string]any))) {
				if tool.Tool.Name != appTool && !slices.Contains([]string{"ops", "then", "q", "action", "document", "domain", "topic"}, key) {
					t.Errorf("%s describes %s", tool.Tool.Name, key)
				}
			}
		}
	}
}
