package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/schema"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// cuedeckHost is a server with cuedeck's typed tools and a workspace.
type cuedeckHost struct {
	*client
	dir   string
	gives map[string]*schema.Schema // output schemas by tool
}

// contract returns the tools that the contract defines.
func contract(t testing.TB) (list []struct {
	Name                      string
	InputSchema, OutputSchema json.RawMessage
}) {

	t.Helper()

	root, err := testwasm.Root()

	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "plugins", "cuedeck", "internal", "tools", "contract.json"))
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// inWorkspace writes files into dir and makes it a workspace by adding its marker.
func inWorkspace(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".cuedeck", "cards"), 0o777); err != nil {
		t.Fatal(err)
	}
}

func startCuedeckHost(t testing.TB, files map[string]string, args ...string) *cuedeckHost {
	t.Helper()
	dir := t.TempDir()
	inWorkspace(t, dir, files)
	o := &cuedeckHost{serveProcess(t, dir, append([]string{"--plugin", testwasm.Build(t, "plugins/cuedeck"), "--tools", "cuedeck", "--grant", "cuedeck=folder"}, args...)...), dir, map[string]*schema.Schema{}}
	for _, tool := range contract(t) {
		s, err := schema.Compile(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		o.gives[tool.Name] = s
	}
	o.request("tools/list", nil, nil) // waits until the plugin is ready
	return o
}

// use calls a typed tool with JSON arguments, checks the structured result against the contract's schema and returns it.
func (o *cuedeckHost) use(tool, args string) string {
	o.t.Helper()
	var res struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	o.request("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)}, &res)
	if res.IsError {
		o.t.Fatalf("%s %s fails: %+v", tool, args, res.Content)
	}
	data := schema.Without(res.StructuredContent, func(key string) bool { return key == schema.WarningsKey })
	var wrapped struct {
		Result   json.RawMessage
		Warnings []string
	}
	if json.Unmarshal(res.StructuredContent, &wrapped) == nil && wrapped.Result != nil {
		data = wrapped.Result
	}
	if len(res.Content) > 2 || len(res.Content) == 2 != (len(wrapped.Warnings) > 0) || len(res.Content) == 2 && res.Content[1].Text != "? "+strings.Join(wrapped.Warnings, "\n? ") {
		o.t.Errorf("%s says %+v beside %s", tool, res.Content, res.StructuredContent)
	}
	if res.Content[0].Text != string(data) {
		o.t.Errorf("%s says %s beside %s", tool, res.Content[0].Text, data)
	}
	v, err := schema.Decode(data)
	if err == nil {
		err = o.gives[tool].Check(v)
	}
	if err != nil {
		o.t.Errorf("%s %s gives what its contract does not: %v\n%s", tool, args, err, data)
	}
	return string(data)
}

// alike compares JSON with what is expected. In want, "*" stands for any value and * for any text.
func (o *cuedeckHost) alike(got, want string) {
	o.t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		o.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		o.t.Fatal(err)
	}
	if !matches(g, w) {
		o.t.Errorf("got  %s\nwant %s", got, want)
	}
}

func matches(got, want any) bool {
	switch w := want.(type) {
	case string:
		if w == "*" {
			return true
		}
		g, ok := got.(string)
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(w), `\*`, "(?s:.*)") + "$"
		return ok && regexp.MustCompile(pattern).MatchString(g)
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if _, there := g[k]; !there || !matches(g[k], w[k]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, w, matches)
	}
	return reflect.DeepEqual(got, want)
}

// card returns the text of a card file.
func card(title, status string, more ...string) string {
	return fmt.Sprintf("---\ntitle: %s\nstatus: %s\n%s---\n\n# %s\n", title, status, strings.Join(append(more, ""), "\n"), title)
}

// fails checks a JSON-RPC error.
func (o *cuedeckHost) fails(e refusal, code int, message, data string) {
	o.t.Helper()
	got, err := json.Marshal(e.Data)
	if err != nil {
		o.t.Fatal(err)
	}
	if e.Code != code || !matches(e.Message, message) {
		o.t.Errorf("got %d %s %s, want %d %s", e.Code, e.Message, got, code, message)
	}
	o.alike(string(schema.Without(got, func(key string) bool { return key == schema.WarningsKey })), data)
}

// onDisk returns the files of the workspace.
func (o *cuedeckHost) onDisk() map[string]string {
	o.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(o.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		if e.Type()&os.ModeSymlink != 0 {
			err = nil
		}
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return out
}

// Two hosts and an editor change cards of one workspace at the same time: no change is lost, and each sees the others'.
func TestHostsAndAnEditorShareAWorkspace(t *testing.T) {
	t.Parallel()
	files := map[string]string{".cuedeck/cards/shared.md": card("Shared", "todo", "other: kept # so")}
	one := startCuedeckHost(t, files, "--no-rate-limits")
	two := &cuedeckHost{serveProcess(t, one.dir, "--plugin", testwasm.Build(t, "plugins/cuedeck"), "--tools", "cuedeck", "--grant", "cuedeck=folder", "--no-rate-limits"), one.dir, one.gives}
	two.request("tools/list", nil, nil)
	const each = 10
	var all sync.WaitGroup
	for i, o := range []*cuedeckHost{one, two} {
		all.Go(func() {
			for n := 0; n < each; {
				e, _ := o.attempt("update_task", map[string]any{"id": "shared", "updates": map[string]any{"notes": fmt.Sprintf("host %d note %d.", i, n)}})
				switch {
				case e == nil:
					n++
				case e.Code != 1006 && e.Code != 1007:
					t.Errorf("host %d: %+v", i, e)
					return
				}
				if n%5 == 0 {
					o.use("create_task", fmt.Sprintf(`{"title": "Of host %d, %d"}`, i, n))
				}
			}
		})
	}
	all.Go(func() {
		for n := range each {
			name := filepath.Join(one.dir, ".cuedeck", "cards", fmt.Sprintf("edit0%d.md", n))
			if err := os.WriteFile(name, []byte(card(fmt.Sprintf("Edited %d", n), "todo")), 0o666); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	data, err := os.ReadFile(filepath.Join(one.dir, ".cuedeck", "cards", "shared.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for n := range each {
			if note := fmt.Sprintf("host %d note %d.", i, n); strings.Count(string(data), note) != 1 {
				t.Errorf("%q is there %d times in\n%s", note, strings.Count(string(data), note), data)
			}
		}
	}
	if !strings.HasPrefix(string(data), "---\ntitle: Shared\nstatus: todo\nother: kept # so\n") {
		t.Errorf("the card begins\n%.200s", data)
	}
	lists := []string{one.use("list_tasks", `{}`), two.use("list_tasks", `{}`)}
	var list []struct{ Title string }
	if err := json.Unmarshal([]byte(lists[0]), &list); err != nil || lists[0] != lists[1] || len(list) < 1+each+2*each/5 {
		t.Errorf("%v: one lists %s, two %s", err, lists[0], lists[1])
	}
	if text := two.must("cuedeck_query", map[string]any{"q": "history 50"}); !strings.Contains(text, "(changed outside)") {
		t.Errorf("history says %s", text)
	}
}

// The published schemas have the contract's descriptions, word for word where it asks for that.
func TestTheSchemasOfCuedeckAreTheContracts(t *testing.T) {
	t.Parallel()
	for _, literal := range []bool{false, true} {
		var args []string
		if literal {
			args = append(args, "--literal-schemas")
		}
		o := startCuedeckHost(t, nil, args...)
		var list struct {
			Tools []struct {
				Name                      string
				InputSchema, OutputSchema json.RawMessage
				Annotations               struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint bool }
			}
		}
		o.request("tools/list", nil, &list)
		for _, c := range contract(t) {
			i := slices.IndexFunc(list.Tools, func(t struct {
				Name                      string
				InputSchema, OutputSchema json.RawMessage
				Annotations               struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint bool }
			}) bool {
				return t.Name == c.Name
			})
			if i < 0 {
				t.Fatalf("%s is not offered", c.Name)
			}
			is := list.Tools[i]
			o.alike(string(is.InputSchema), string(c.InputSchema))
			want := string(c.OutputSchema)
			if strings.Contains(want[:30], "array") && !literal {
				want = `{"type": "object", "properties": {"result": ` + want + `}, "required": ["result"]}`
			}
			o.alike(string(is.OutputSchema), want)
			writes := c.Name == "create_task" || c.Name == "update_task"
			if a := is.Annotations; a.ReadOnlyHint == writes || a.DestructiveHint || a.OpenWorldHint {
				t.Errorf("%s: %+v", c.Name, a)
			}
		}
	}
}
