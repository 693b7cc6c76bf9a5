package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// live starts a server over a plugin folder that it watches.
func live(t *testing.T, dir string, c Config) *dialogue {
	t.Helper()
	set := plugin.Start(plugin.Options{Dirs: []string{dir}, Watch: true,
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	t.Cleanup(set.Close)
	d := converse(t, set, c)
	d.say(greeting)
	d.hears(`"id":1`)
	return d
}

// ask calls a tool and returns its text and whether it failed.
func (d *dialogue) ask(tool, argument string, value any) (text string, failed bool) {
	d.t.Helper()
	d.id++
	args, err := json.Marshal(map[string]any{argument: value})
	if err != nil {
		d.t.Fatal(err)
	}
	d.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, 1000+d.id, tool, args))
	m := d.hears(fmt.Sprintf(`"id":%d,`, 1000+d.id))
	var res struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(m.Result, &res); err != nil || len(res.Content) == 0 {
		d.t.Fatalf("%s %s: %s %v", tool, args, m.Result, m.Error)
	}
	return res.Content[0].Text, res.IsError
}

// must is ask for a call that must succeed.
func (d *dialogue) must(tool, argument string, value any) string {
	d.t.Helper()
	text, failed := d.ask(tool, argument, value)
	if failed {
		d.t.Fatalf("%s %v: %s", tool, value, text)
	}
	return text
}

// No op is lost, whatever happens to a plugin's files while its documents are edited.
func TestNoOpIsLostWhilePluginsComeAndGo(t *testing.T) {
	wasm, err := os.ReadFile(testwasm.List(t))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{"first": wasm, "second": testwasm.Variant(wasm, "second"), "third": testwasm.Variant(wasm, "third"),
		"junk": []byte("this is no module"), "half": wasm[:len(wasm)/2], "": nil}
	dir := t.TempDir()
	put := func(name, content string) {
		path := filepath.Join(dir, name)
		if contents[content] == nil {
			os.Remove(path) // may not exist
			return
		}
		if err := os.WriteFile(path+".tmp", contents[content], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".tmp", path); err != nil {
			t.Fatal(err)
		}
	}
	put("a.wasm", "first")
	d := live(t, dir, Config{})
	d.say(toolList)
	d.hears(`"list_help"`)
	left := soak.Times(8, 1<<30)
	rapid.Check(t, func(r *rapid.T) {
		if left--; left < 0 {
			return
		}
		passed := false
		defer func() {
			if !passed {
				left = 1 << 30 // for when rapid minimizes a failure
			}
		}()
		put("a.wasm", "first")
		put("b.wasm", "")
		for failed := false; !failed; { // state that a failed run left
			_, failed = d.ask("list_session", "action", "close force")
		}
		d.must("list_session", "action", "reload")
		d.must("list_session", "action", `new "T"`)
		lines, undone, n := []string{"#list T"}, []string(nil), 0
		same := func() {
			want := strings.Join(lines, "\n")
			if got := d.must("list_query", "q", "map"); !strings.HasPrefix(got+"\n? ", want+"\n? ") {
				r.Fatalf("the document is %q, and has to be %q", got, want)
			}
		}
		for range rapid.IntRange(5, 20).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"edit", "edit", "undo", "redo", "look", "file", "file", "reload", "plugins"}).Draw(r, "step") {
			case "edit":
				n++
				d.must("list", "ops", []string{fmt.Sprintf("add line%d", n)})
				lines, undone = append(lines, fmt.Sprintf("line%d", n)), nil
			case "undo":
				if last := len(lines) - 1; last > 0 {
					d.must("list_session", "action", "undo")
					lines, undone = lines[:last], append(undone, lines[last])
				}
			case "redo":
				if last := len(undone) - 1; last >= 0 {
					d.must("list_session", "action", "redo")
					lines, undone = append(lines, undone[last]), undone[:last]
				}
			case "look":
				same()
			case "file":
				put(rapid.SampledFrom([]string{"a.wasm", "b.wasm"}).Draw(r, "file"),
					rapid.SampledFrom([]string{"first", "second", "third", "junk", "half", ""}).Draw(r, "content"))
			case "plugins":
				d.must("list_session", "action", "plugins")
			default:
				d.must("list_session", "action", "reload")
			}
		}
		same()
		// Once nothing changes, the document runs on the served build or on the last one that served it.
		put("a.wasm", "third")
		d.must("list_session", "action", "reload")
		for tries := 0; ; tries++ { // the next call starts a worker again that did not start in time
			same()
			got := d.must("list_session", "action", "plugins")
			if strings.Contains(got, ", 1 document\n") && !strings.Contains(got, "not served any more") {
				break
			}
			if tries == 5 {
				r.Fatalf("at the end: %s\nthe document says %s", got, d.must("list_session", "action", "status"))
			}
		}
		d.must("list_session", "action", "save as:./t.list force")
		data, err := os.ReadFile(filepath.Join(d.dir, "t.list"))
		if err != nil || string(data) != strings.Join(lines, "\n") {
			r.Fatalf("saved %q, %v", data, err)
		}
		d.must("list_session", "action", "close")
		passed = true
	})
}
