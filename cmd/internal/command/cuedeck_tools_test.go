package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/filelock"
	"golang.org/x/text/unicode/norm"
)

// The tools answer the contract's own examples as it shows.
func TestTheToolsOfCuedeckAnswerAsTheirContractShows(t *testing.T) {
	t.Parallel()
	doc := "# API Documentation\n\nThis document...\n\n```sh\n# Error Codes\n```\n\n## Error Codes\n\nThe following error codes...\n\n### More\n\nx\n\n## Next\n\ny\n"
	o := startCuedeckHost(t, map[string]string{
		"docs/auth.md":                 "## Login Flow\n\nAuthentication: the login flow.\n\n## OAuth Configuration\n\nAuthentication by others; more authentication.\n",
		"crates/cue_core/src/auth.rs":  "/// Authentication of a token.\npub struct VerifyToken;\n",
		"docs/api.md":                  doc,
		"docs/threads.md":              "# Concurrency\n\nProgramming with concurrent threads.\n",
		"docs/forms.md":                "# Forms\n\n## Stra\u00dfe f\u00fcr Z\u00fcge\n\nx\n\n## De\u0301compose\u0301\n\ny\n",
		".cuedeck/cards/abc123.md":     card("Setup auth framework", "done"),
		".cuedeck/cards/def456.md":     card("Create user database", "active"),
		".cuedeck/cards/xyz789.md":     card("Implement login", "todo", "depends_on: [abc123, def456]"),
		".cuedeck/cards/ghi012.md":     card("Add login UI", "todo", "depends_on:", "  - xyz789"),
		".cuedeck/cards/2a9f1x.md":     card("Implement Login", "todo", "assignee: user", "priority: low", "other: kept # so"),
		".cuedeck/cards/sec001.md":     card("Harden it", "todo", "tags: [security]", "priority: high", "assignee: \"@ana\"", "created: 2024-01-15T10:00:00Z"),
		"docs/sub/UPPER and blanks.md": "# Blanks\n",
	})
	for _, tt := range []struct{ args, first string }{
		{`{"query": "authentication", "limit": 10}`, "docs/auth.md"},
		{`{"query": "login flow", "mode": "keyword"}`, "docs/auth.md"},
		{`{"query": "concurrent programming", "mode": "semantic"}`, "docs/threads.md"},
		{`{"query": "harden authentication", "filters": {"tags": ["auth", "Security"], "priority": "HIGH"}}`, ".cuedeck/cards/sec001.md"},
		{`{"query": "login", "semantic": true, "limit": 1}`, "*"},
	} {
		var hits []struct {
			Path, Hash, Ranker string
			Tokens             int
			Anchors            []string
		}
		if err := json.Unmarshal([]byte(o.use("read_context", tt.args)), &hits); err != nil || len(hits) == 0 {
			t.Errorf("%s: %v, %d hits", tt.args, err, len(hits))
			continue
		}
		if !matches(hits[0].Path, tt.first) || len(hits[0].Anchors) > 3 {
			t.Errorf("%s: %+v", tt.args, hits)
		}
		for _, h := range hits {
			data, err := os.ReadFile(filepath.Join(o.dir, h.Path))
			want := map[bool]string{true: "keyword", false: "bm25+trigrams"}[strings.Contains(tt.args, "keyword")]
			if err != nil || h.Hash != fmt.Sprintf("%x", sha256.Sum256(data)) || h.Tokens != (len(data)+3)/4 || !strings.Contains(h.Ranker, want) {
				t.Errorf("%s: %v %+v", tt.args, err, h)
			}
		}
	}
	o.alike(o.use("read_context", `{"query": "authentication", "limit": 2}`), `[
		{"path": "docs/auth.md", "hash": "*", "tokens": 30, "anchors": ["Login Flow", "OAuth Configuration"], "ranker": "*"},
		{"path": "crates/cue_core/src/auth.rs", "hash": "*", "tokens": 14, "anchors": ["VerifyToken"], "ranker": "0.7 bm25+trigrams + 0.3 keyword"}]`)
	o.alike(o.use("read_context", `{"query": "zebra"}`), `[]`)

	whole, _ := json.Marshal(strings.TrimSpace(doc))
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(doc)))
	for _, cached := range []string{"false", "true"} {
		o.alike(o.use("read_doc", `{"path": "docs/api.md"}`), fmt.Sprintf(`{"path": "docs/api.md", "content": %s, "anchor": null, "tokens": %d, "hash": %q, "cached": %s, "line_range": null}`, whole, (len(doc)+3)/4, hash, cached))
	}
	// A # inside a code block does not start a heading.
	for _, anchor := range []string{"Error Codes", "error codes", "error-codes", "## Error Codes"} {
		o.alike(o.use("read_doc", fmt.Sprintf(`{"path": "docs/../docs//api.md", "anchor": %q}`, anchor)),
			fmt.Sprintf(`{"path": "docs/api.md", "content": "## Error Codes\n\nThe following error codes...\n\n### More\n\nx", "anchor": %q, "tokens": 15, "hash": "*", "cached": true, "line_range": {"start": 9, "end": 16}}`, anchor))
	}
	o.alike(o.use("read_doc", `{"path": "cards/abc123.md"}`), `{"path": ".cuedeck/cards/abc123.md", "content": "*# Setup auth framework", "anchor": null, "tokens": 19, "hash": "*", "cached": false, "line_range": null}`)

	for anchor, content := range map[string]string{"Straße für Züge": "## Straße für Züge\n\nx", "D\u00e9compos\u00e9": "## De\u0301compose\u0301\n\ny"} {
		for _, form := range []string{norm.NFC.String(anchor), norm.NFD.String(anchor)} {
			o.alike(o.use("read_doc", fmt.Sprintf(`{"path": "docs/forms.md", "anchor": %q}`, form)), fmt.Sprintf(`{"path": "*", "content": %q, "anchor": %q, "tokens": "*", "hash": "*", "cached": "*", "line_range": "*"}`, content, form))
		}
	}
	o.alike(o.use("create_task", `{"title": "Implement login API", "tags": ["auth", "backend"], "priority": "high", "assignee": "@developer", "depends_on": ["abc123", "def456"]}`), `{
		"id": "*", "path": ".cuedeck/cards/*.md", "metadata": {"title": "Implement login API", "status": "todo", "priority": "high", "assignee": "@developer",
		"tags": ["auth", "backend"], "depends_on": ["abc123", "def456"], "created": "20*Z"}}`)
	o.alike(o.use("create_task", `{"title": "Plain"}`), `{"id": "*", "path": "*", "metadata": {"title": "Plain", "status": "todo", "priority": "medium", "assignee": null, "tags": [], "depends_on": [], "created": "*"}}`)

	o.alike(o.use("get_task_dependencies", `{"id": "xyz789", "reverse": false}`), `{"task_id": "xyz789", "type": "dependencies", "count": 2, "tasks": [
		{"id": "abc123", "title": "Setup auth framework", "status": "done"}, {"id": "def456", "title": "Create user database", "status": "active"}]}`)
	o.alike(o.use("get_task_dependencies", `{"id": "xyz789", "reverse": true}`), `{"task_id": "xyz789", "type": "dependents", "count": 1, "tasks": [{"id": "ghi012", "title": "Add login UI", "status": "todo"}]}`)

	o.alike(o.use("validate_task_graph", `{}`), `{"valid": true, "message": "All task dependencies are valid (no circular dependencies)"}`)
	o.alike(o.use("validate_task_graph", `{"id": "xyz789"}`), `{"valid": true, "task_id": "xyz789", "message": "Task dependencies are valid"}`)

	o.alike(o.use("update_task", `{"id": "2a9f1x", "updates": {"status": "active", "priority": "high"}}`), `{"id": "2a9f1x", "title": "Implement Login", "status": "active", "assignee": "user", "priority": "high",
		"updated_at": "20*Z", "updated_fields": ["status", "priority"]}`)
	file, _ := os.ReadFile(filepath.Join(o.dir, ".cuedeck", "cards", "2a9f1x.md"))
	if !regexp.MustCompile(`^---\ntitle: Implement Login\nstatus: active\nassignee: user\npriority: high\nother: kept # so\nupdated: 20\S+Z\n---\n\n# Implement Login\n$`).Match(file) {
		t.Errorf("the card is\n%s", file)
	}
	o.alike(o.use("update_task", `{"id": "2a9f1x", "updates": {"status": "active"}}`), `{"id": "2a9f1x", "title": "*", "status": "active", "assignee": "user", "priority": "high", "updated_at": "20*Z", "updated_fields": []}`)
	o.alike(o.use("update_task", `{"id": "2a9f1x", "updates": {"notes": "Talked to Ana", "assignee": ""}}`), `{"id": "2a9f1x", "title": "*", "status": "active", "assignee": null, "priority": "high", "updated_at": "20*Z", "updated_fields": ["assignee", "notes"]}`)
	if file, _ = os.ReadFile(filepath.Join(o.dir, ".cuedeck", "cards", "2a9f1x.md")); !strings.Contains(string(file), "Talked to Ana") {
		t.Errorf("the card is\n%s", file)
	}

	o.alike(o.use("list_tasks", `{"status": "active"}`), `[{"id": "2a9f1x", "title": "Implement Login", "priority": "high", "assignee": null}, {"id": "def456", "title": "Create user database", "assignee": null}]`)
	for args, want := range map[string]int{
		`{}`: 8, `{"tags": ["security", "x"]}`: 1, `{"assignee": "@ANA"}`: 1, `{"priority": "high"}`: 3, `{"created": "2024-01-15"}`: 1, `{"created": "2024-01"}`: 1, `{"created": "<2w"}`: 1, `{"created": ">2w"}`: 2, `{"updated": ">1d"}`: 3, `{"created": "2023-01"}`: 0,
	} {
		var list []any
		if json.Unmarshal([]byte(o.use("list_tasks", args)), &list); len(list) != want {
			t.Errorf("list_tasks %s gives %d, want %d: %v", args, len(list), want, list)
		}
	}
	// A tool's change is an op in the history and can be undone.
	if text := o.session("cuedeck", "undo"); !strings.Contains(text, "card 2a9f1x") {
		t.Errorf("undo says %s", text)
	}
}

// encoding/json compares keys without case, so a guest would take the second key for the first, which the schema checked.
func TestAKeyThatAToolDoesNotTakeNeverReachesIt(t *testing.T) {
	t.Parallel()
	o := startCuedeckHost(t, map[string]string{".cuedeck/cards/abc123.md": card("One", "todo"), ".cuedeck/cards/def456.md": card("Two", "todo")})
	for args, key := range map[string]string{
		`{"id":"abc123","ID":"def456","updates":{"status":"active"}}`:                   "ID",
		`{"id":"abc123","updates":{"status":"active"},"UPDATES":{"status":"bogus"}}`:    "UPDATES",
		`{"id":"abc123","stat":"done","updates":{"status":"active","priority":"high"}}`: "stat",
	} {
		var res struct {
			StructuredContent struct {
				ID, Status string
				Warnings   []string
			}
		}
		o.request("tools/call", map[string]any{"name": "update_task", "arguments": json.RawMessage(args)}, &res)
		if got := res.StructuredContent; got.ID != "abc123" || got.Status != "active" || !slices.Contains(got.Warnings, fmt.Sprintf("ignored the argument %q, which update_task does not take", key)) {
			t.Errorf("%s: %+v", args, got)
		}
	}
	o.alike(o.use("list_tasks", `{"status":"todo","Status":"active"}`), `[{"id": "def456", "title": "Two", "assignee": null}]`)
}

func TestACircleIsNamedAsInTheContract(t *testing.T) {
	t.Parallel()
	o := startCuedeckHost(t, map[string]string{
		".cuedeck/cards/abc123.md": card("A", "todo", "depends_on: [def456]", "created: 2024-01-01T00:00:00Z"),
		".cuedeck/cards/def456.md": card("B", "todo", "depends_on: [ghi789]", "created: 2024-01-02T00:00:00Z"),
		".cuedeck/cards/ghi789.md": card("C", "todo", "depends_on: [abc123]", "created: 2024-01-03T00:00:00Z"),
		".cuedeck/cards/alone1.md": card("D", "todo"),
		".cuedeck/cards/lost01.md": card("E", "todo", "depends_on: [gone00]"),
	})
	o.alike(o.use("validate_task_graph", `{}`), `{"valid": false, "error": "Circular dependency detected: abc123 → def456 → ghi789 → abc123"}`)
	o.alike(o.use("validate_task_graph", `{"id": "def456"}`), `{"valid": false, "task_id": "def456", "error": "Circular dependency detected: abc123 → def456 → ghi789 → abc123"}`)
	o.alike(o.use("validate_task_graph", `{"id": "alone1"}`), `{"valid": true, "task_id": "alone1", "message": "Task dependencies are valid"}`)
	o.alike(o.use("validate_task_graph", `{"id": "lost01"}`), `{"valid": false, "task_id": "lost01", "error": "Dependency not found: lost01 → gone00"}`)
	o.alike(o.use("get_task_dependencies", `{"id": "lost01"}`), `{"task_id": "lost01", "type": "dependencies", "count": 1, "tasks": [{"id": "gone00", "title": "", "status": "missing"}]}`)
	e := o.mustRefuse("create_task", map[string]any{"title": "F", "depends_on": []string{"alone1", "ghi789"}})
	o.fails(e, 1002, "Cycle Detected", `{"error": "CircularDependency", "cycle_path": ["cards/abc123.md", "cards/def456.md", "cards/ghi789.md", "cards/abc123.md"], "suggestion": "Remove reference from cards/ghi789.md"}`)
}

// Provokes each error in the contract's tables and checks its code and data, and that nothing was changed.
func TestTheToolsOfCuedeckRefuseAsTheirContractSays(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	secret := filepath.Join(top, "secret.md")
	if err := os.WriteFile(secret, []byte("# Secret\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := startCuedeckHost(t, map[string]string{
		"docs/existing.md":         "# There\n\n## Error Codes\n\nx\n\n## Twice\n\n## Twice\n",
		"docs/large.md":            "# Large\n\n## First\n\n" + strings.Repeat("long ", 1000) + "\n\n## Second\n\nshort\n",
		".cuedeck/config.toml":     "[scene]\ntoken_limit = 500\n",
		".cuedeck/cards/abc123.md": card("A", "todo"),
		".cuedeck/cards/broken.md": "---\ntitle: [\n---\n",
	})
	for link, to := range map[string]string{"docs/link.md": secret, "docs/linked": top} {
		if err := os.Symlink(to, filepath.Join(o.dir, link)); err != nil {
			t.Skip(err)
		}
	}
	before := o.onDisk()
	// Each tool has its own rate limit; the tools without one come first.
	for _, tt := range []struct {
		tool, args    string
		code          int
		message, data string
	}{
		{"read_doc", `{"path": "docs/missing.md"}`, 1001, "File Not Found", `{"path": "docs/missing.md", "suggestion": "Did you mean '*'?"}`},
		{"read_doc", `{"path": "docs/exsting.md"}`, 1001, "File Not Found", `{"path": "docs/exsting.md", "suggestion": "Did you mean 'docs/existing.md'?"}`},
		{"read_doc", `{"path": "DOCS/Existing.MD.md"}`, 1001, "File Not Found", `{"path": "*", "suggestion": "*"}`},
		{"read_doc", `{"path": "Docs/Existing.md"}`, 1001, "File Not Found", `{"path": "Docs/Existing.md", "suggestion": "Did you mean 'docs/existing.md'?"}`},
		{"read_doc", `{"path": "other/existing.md"}`, 1001, "File Not Found", `{"path": "*", "suggestion": "Did you mean 'docs/existing.md'?"}`},
		{"read_doc", `{"path": "docs/../../` + filepath.Base(top) + `/secret.md"}`, 1001, "File Not Found", `{"path": "*", "suggestion": "*"}`},
		{"read_doc", fmt.Sprintf(`{"path": %q}`, secret), 1001, "File Not Found", `{"path": "*", "suggestion": "*"}`},
		{"read_doc", `{"path": "docs/link.md"}`, 1001, "File Not Found", `{"path": "*", "suggestion": "*"}`},
		{"read_doc", `{"path": "docs/linked/secret.md"}`, 1001, "File Not Found", `{"path": "*", "suggestion": "*"}`},
		{"read_doc", `{"path": "config.toml.md"}`, 1001, "File Not Found", `{"path": "*", "suggestion": "*"}`},
		{"read_doc", `{"path": "docs/existing.md", "anchor": "Eror Codes"}`, 1001, "File Not Found", `{"path": "docs/existing.md#Eror Codes", "error": "AnchorNotFound", "suggestion": "Did you mean 'Error Codes'?"}`},
		{"read_doc", `{"path": "docs/existing.md", "anchor": "Twice"}`, 1001, "File Not Found", `{"path": "*", "error": "AnchorNotFound", "suggestion": "*"}`},
		{"read_doc", `{"path": "docs/large.md"}`, 1003, "Token Limit Exceeded", `{"current_size": 1260, "limit": 500, "action": "Nothing was read: give an anchor, *. Anchors: Large, First, Second"}`},
		{"read_doc", `{"path": "docs/large.md", "anchor": "First"}`, 1003, "Token Limit Exceeded", `{"current_size": 1253, "limit": 500, "action": "*"}`},
		{"read_doc", `{"path": ".cuedeck/config.toml"}`, -32602, "*", `{"tool": "read_doc", "reason": "*"}`},
		{"read_doc", `{"path": "docs/a\nb.md"}`, -32602, "*", `{"tool": "read_doc", "reason": "*"}`},
		{"read_doc", `{"path": "docs/\u0000.md"}`, -32602, "*", `{"tool": "read_doc", "reason": "*"}`},
		{"read_doc", `{"path": "docs/existing.md", "anchor": "` + strings.Repeat("x", 101) + `"}`, -32602, "*", `{"tool": "read_doc", "reason": "*"}`},
		{"read_doc", `{}`, -32602, "*", `{"tool": "read_doc", "reason": "*"}`},

		{"create_task", `{"title": "x", "depends_on": ["abc124"]}`, 1001, "File Not Found", `{"path": ".cuedeck/cards/abc124.md", "error": "DependencyNotFound", "suggestion": "Did you mean 'abc123'?"}`},
		{"create_task", `{"title": "x", "depends_on": ["abc123\n"]}`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},
		{"create_task", `{"title": ""}`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},
		{"create_task", `{"title": "` + strings.Repeat("x", 201) + `"}`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},
		{"create_task", `{"title": 7}`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},
		{"create_task", `{"title": "x", "tags": "auth"}`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},
		{"create_task", `{"title": "x", "priority": "urgent"}`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},
		{"create_task", `{"title": " \u00a0 "}`, -32602, "Invalid params: title: *", `{"field": "title", "reason": "it holds nothing but blanks"}`},
		{"create_task", `{"title": "a\nb"}`, -32602, "*", `{"field": "title", "reason": "it holds the control character U+000A; it has to be one line"}`},
		{"create_task", `{"title": "a\u001b[31m"}`, -32602, "*", `{"field": "title", "reason": "*U+001B*"}`},
		{"create_task", `{"title": "a\u2028b"}`, -32602, "*", `{"field": "title", "reason": "*U+2028*"}`},
		{"create_task", `{"title": "x", "assignee": "a\rb"}`, -32602, "*", `{"field": "assignee", "reason": "*"}`},
		{"create_task", `{"title": "x", "tags": ["a\u0000"]}`, -32602, "*", `{"field": "tags", "reason": "*U+0000*"}`},
		{"create_task", `{"title": "x", "tags": ["` + strings.Repeat("t", 101) + `"]}`, -32602, "*", `{"field": "tags", "reason": "a tag has 101 characters; the limit is 100"}`},
		{"create_task", `{"title": "x", "tags": [` + strings.Repeat(`"",`, 9) + `""]}`, -32602, "*", `{"field": "tags", "reason": "a tag holds nothing but blanks"}`},
		{"create_task", `[]`, -32602, "*", `{"tool": "create_task", "reason": "*"}`},

		{"get_task_dependencies", `{"id": "abc12"}`, -32602, "*", `{"tool": "get_task_dependencies", "reason": "*"}`},
		{"get_task_dependencies", `{"id": "ABC123"}`, -32602, "*", `{"tool": "get_task_dependencies", "reason": "*"}`},
		{"get_task_dependencies", `{"id": "abc124"}`, 1001, "File Not Found", `{"path": ".cuedeck/cards/abc124.md", "suggestion": "Did you mean 'abc123'?"}`},
		{"get_task_dependencies", `{"id": "broken"}`, -32602, "*", `{"field": "id", "reason": ".cuedeck/cards/broken.md cannot be read*"}`},
		{"validate_task_graph", `{"id": "zzzzzz"}`, 1001, "File Not Found", `{"path": ".cuedeck/cards/zzzzzz.md", "suggestion": "*"}`},

		{"update_task", `{"id": "zzzzzz", "updates": {"status": "done"}}`, 1001, "File Not Found", `{"path": ".cuedeck/cards/zzzzzz.md", "suggestion": "list_tasks lists the ids"}`},
		{"update_task", `{"id": "abc123", "updates": {}}`, -32602, "*", `{"tool": "update_task", "reason": "*"}`},
		{"update_task", `{"id": "abc123", "updates": {"status": "doing"}}`, -32602, "*", `{"tool": "update_task", "reason": "*"}`},
		{"update_task", `{"id": "abc123", "updates": {"assignee": "a\nb"}}`, -32602, "*", `{"field": "assignee", "reason": "*"}`},
		{"update_task", `{"id": "abc123", "updates": {"notes": "a\u0007b"}}`, -32602, "*", `{"field": "notes", "reason": "*U+0007*"}`},
		{"update_task", `{"id": "abc123", "updates": {"notes": "  \n"}}`, -32602, "*", `{"field": "notes", "reason": "*"}`},
		{"update_task", `{"id": "broken", "updates": {"status": "done"}}`, -32602, "*", `{"field": "id", "reason": ".cuedeck/cards/broken.md cannot be read*"}`},

		{"list_tasks", `{"created": "yesterday"}`, -32602, "*", `{"field": "created", "reason": "*2024-01-01*"}`},
		{"list_tasks", `{"status": null}`, -32602, "*", `{"tool": "list_tasks", "reason": "*"}`},
		{"read_context", `{"query": " "}`, -32602, "*", `{"field": "query", "reason": "it holds nothing but blanks"}`},
		{"read_context", `{"query": "x", "limit": 51}`, -32602, "*", `{"tool": "read_context", "reason": "*"}`},
		{"read_context", `{"query": "x", "mode": "psychic"}`, -32602, "*", `{"tool": "read_context", "reason": "*"}`},
		{"read_context", `{"query": "` + strings.Repeat("x", 201) + `"}`, -32602, "*", `{"tool": "read_context", "reason": "*"}`},
	} {
		t.Log(tt.tool, tt.args[:min(len(tt.args), 100)])
		o.fails(o.mustRefuse(tt.tool, json.RawMessage(tt.args)), tt.code, tt.message, tt.data)
	}
	if after := o.onDisk(); !reflect.DeepEqual(after, before) {
		t.Errorf("something changed: %v", after)
	}
	// Another program holds the lock, and an editor saves between two looks at the folder.
	lock, err := os.Open(filepath.Join(o.dir, ".cuedeck"))
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := filelock.Lock(lock, true); !ok || err != nil {
		t.Fatal(ok, err)
	}
	e := o.mustRefuse("update_task", json.RawMessage(`{"id": "abc123", "updates": {"status": "done"}}`))
	delete(e.Data, "holder_pid") // not known on all systems
	o.fails(e, 1007, "Lock Error", `{"lock_file": ".cuedeck", "suggestion": "*"}`)
	lock.Close()
	path := filepath.Join(o.dir, ".cuedeck", "cards", "abc123.md")
	theirs := append([]byte(card("A", "active")), bytes.Repeat([]byte("x"), 9<<20)...)
	if err := os.WriteFile(path, theirs, 0o666); err != nil {
		t.Fatal(err)
	}
	e = o.mustRefuse("update_task", json.RawMessage(`{"id": "abc123", "updates": {"status": "done"}}`))
	o.fails(e, 1006, "Stale Cache", fmt.Sprintf(`{"path": ".cuedeck/cards/abc123.md", "expected_hash": "%x", "actual_hash": "%x", "recovery": "*"}`, sha256.Sum256([]byte(card("A", "todo"))), sha256.Sum256(theirs)))
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, theirs) {
		t.Errorf("theirs is gone: %v", err)
	}
}

// The contract's rate limits apply by default, each with its burst.
func TestTheToolsOfCuedeckAreRated(t *testing.T) {
	t.Parallel()
	files := map[string]string{"docs/a.md": "# A\n", ".cuedeck/cards/abc123.md": card("A", "todo")}
	rates := []struct {
		tool, args       string
		burst, perMinute int
	}{
		{"read_context", `{"query": "a"}`, 15, 10}, {"read_doc", `{"path": "docs/a.md"}`, 50, 30}, {"list_tasks", `{}`, 30, 20}, {"update_task", `{"id": "abc123", "updates": {"status": "todo"}}`, 15, 10},
	}
	o := startCuedeckHost(t, files)
	for _, r := range rates {
		for range r.burst {
			o.use(r.tool, r.args)
		}
		// Tokens were refilled while these calls ran.
		e, _ := o.attempt(r.tool, json.RawMessage(r.args))
		for e == nil {
			e, _ = o.attempt(r.tool, json.RawMessage(r.args))
		}
		o.fails(*e, 429, "Rate Limit Exceeded", fmt.Sprintf(`{"retry_after_seconds": %v, "limit": %d, "window_seconds": 60, "current_count": %d}`, e.Data["retry_after_seconds"], r.perMinute, r.burst))
		if wait, _ := e.Data["retry_after_seconds"].(float64); wait < 1 || wait > float64(60/r.perMinute) {
			t.Errorf("%s: try again in %v s", r.tool, wait)
		}
	}
	o = startCuedeckHost(t, files, "--no-rate-limits")
	for range rates[0].burst + 5 {
		o.use(rates[0].tool, rates[0].args)
	}
}
