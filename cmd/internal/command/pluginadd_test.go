package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestAPluginIsShownAndAddedAfterConfirmation(t *testing.T) {
	u := newPerson(t)
	wasm := u.puts("todo.wasm", "1.0", wantingAPI)
	u.does("list", "no plugin was added")
	u.does("list --json", "[]\n")
	// Without a terminal and without --yes nothing is added.
	out := u.fails("add ./todo.wasm", `todo 1.0: To do`, "lists of what is to be done", filepath.Join(u.dir, "todo.wasm"), string(sum(wasm)),
		"signed    no", "opens     .thing", "verbs     add", "tools     todo todo_query todo_session todo_help", "https://api.todo.invalid/v1", `it says: "It sends your lists."`,
		"not granted; to grant it: --grant http:api", "cannot ask here", "--yes")
	if strings.Contains(out, "compiling") || u.lock() != "" || len(u.modules()) > 0 {
		t.Errorf("something was done:\n%s%s", out, u.lock())
	}
	u.does("add --yes ./todo.wasm", "added todo 1.0; fcp-host serves it now, where it runs, and from its next start on")
	u.does("add --yes ./todo.wasm", "todo 1.0 is added already")
	u.does("list", "todo  1.0  ", "not signed")
	u.does("info todo", "todo 1.0\n", "lists of what is to be done", "sha256    "+string(sum(wasm)), "not granted")
	u.does("verify", "todo 1.0: as it was added, not signed")
	var list []map[string]any
	if err := json.Unmarshal([]byte(u.does("list --json")), &list); err != nil || len(list) != 1 || list[0]["name"] != "todo" || list[0]["state"] != "ok" || list[0]["sha256"] != string(sum(wasm)) || list[0]["pinned"] != false {
		t.Errorf("%v %v", list, err)
	}
	var one map[string]any
	if err := json.Unmarshal([]byte(u.does("info --json todo")), &one); err != nil || one["version"] != "1.0" || one["source"] != filepath.Join(u.dir, "todo.wasm") {
		t.Errorf("%v %v", one, err)
	}
	// Every command finds the plugin by its name.
	if out, code := u.runs("inspect", "todo"); code != exitOK || !strings.Contains(out, "file:    added:todo") || !strings.Contains(out, "fcp-host grants add todo http:api") {
		t.Errorf("inspect: %s", out)
	}
	if out, code := u.runs("doctor", "--no-builtin"); code != exitOK && !strings.Contains(out, "seccomp       off") || !strings.Contains(out, "todo 1.0  added:todo") {
		t.Errorf("doctor: %s", out)
	}
	u.does("remove --yes todo", "removed todo 1.0")
	if len(u.modules()) > 0 || strings.Contains(u.lock(), "todo") {
		t.Errorf("something is left: %s %q", u.lock(), u.modules())
	}
	for line, says := range map[string]string{
		"info todo": `no plugin "todo" was added`, "remove todo": `no plugin "todo" was added`, "pin todo": `no plugin "todo" was added`, "update todo": `no plugin "todo" was added`,
		"verify todo": `no plugin "todo" was added`, "add ./none.wasm": "no such file", "add " + u.dir: "is a folder", "add --key none ./todo.wasm": "", "update --rollback": "the name of one plugin",
	} {
		if says == "" {
			u.says(exitUsage, line, `"none" is neither a minisign or cosign public key nor a file`)
			continue
		}
		u.fails(line, says)
	}
	for _, line := range []string{"", "add", "add a b", "list x", "frobnicate", "list --yes", "add --grant x ./todo.wasm", "push a"} {
		u.says(exitUsage, line)
	}
}

func TestANameThatIsTakenIsRefused(t *testing.T) {
	host := testwasm.Host(t)
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	u.puts("tod0.wasm", "1.0", ofDomain("tod0"))
	other := t.TempDir()
	u.does("add --yes ./todo.wasm")
	u.fails("add --yes ./tod0.wasm", "its domain tod0 is easily taken for todo, which is added already; remove that one first: fcp-host plugin remove todo")
	put(t, other, "mine.wasm", string(u.puts("x.wasm", "3.0", nil)))
	u.fails("add --yes "+filepath.Join(other, "mine.wasm"), "todo 1.0 is already added, from "+filepath.Join(u.dir, "todo.wasm"), "--replace")
	u.does("add --yes --replace "+filepath.Join(other, "mine.wasm"), "replaces  todo 1.0 from "+filepath.Join(u.dir, "todo.wasm")+", not signed", "added todo 3.0")
	for name, says := range map[string]string{"midi": "built into fcp-host", "m1di": "easily taken for midi, which is built into fcp-host"} {
		u.puts("x.wasm", "1.0", ofDomain(name))
		if out, code := u.execs(host, "plugin", "add", "--yes", "./x.wasm"); code != exitFailed || !strings.Contains(out, "its domain "+name+" is "+says) {
			t.Errorf("%s: %s", name, out)
		}
	}
	if out, _ := u.execs(host, "plugin", "info", "midi"); !strings.Contains(out, "midi is built into fcp-host; fcp-host inspect midi shows it") {
		t.Error(out)
	}
}

// Texts of a module cannot change paths or move the cursor, and a broken module is not added.
func TestAHostileModuleIsNotAdded(t *testing.T) {
	u := newPerson(t)
	for name, says := range map[string]string{
		"../../x": "domain name", "a/b": "domain name", "a\x1b[2J": "domain name", "": "domain", "todo\n": "domain name", "con.": "domain name", strings.Repeat("x", 33): "domain name",
		"fcp": "is taken by the host", "todo_query": "ends like a tool",
	} {
		u.puts("x.wasm", "1.0", ofDomain(name))
		u.fails("add --yes ./x.wasm", says)
	}
	put(t, u.dir, "junk.wasm", "junk")
	u.fails("add --yes ./junk.wasm", "not a plugin")
	acts := testwasm.Minimal()
	acts[abi.ExportManifest] = testwasm.Traps()
	put(t, u.dir, "trap.wasm", string(testwasm.Scripted(acts)))
	u.fails("add --yes ./trap.wasm")
	if u.lock() != "" || len(u.modules()) > 0 {
		t.Errorf("something was added: %s %q", u.lock(), u.modules())
	}
	u.puts("x.wasm", "1.0\x1b]0;owned\x07", func(m *abi.Manifest) {
		m.Title, m.Summary = "A\x1b[2J\u202etitle", "B\r\nsigned    by everybody"
		m.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "api", Reason: "C\x1b[1A\n            GRANTED", Base: "https://api.todo.invalid"}}
	})
	out := u.does("add --yes ./x.wasm") + u.does("list") + u.does("info todo") + u.does("verify")
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimSpace(line), "signed    by") || strings.TrimSpace(line) == "GRANTED" {
			t.Errorf("the plugin speaks as the host: %q", line)
		}
	}
}

func TestWantsAreGrantedOnlyExplicitly(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", wantingAPI)
	u.fails("add --yes --grant http:other ./todo.wasm", "todo does not want http:other; it wants http:api")
	u.fails("add --yes --grant diary=http:api ./todo.wasm", "the plugin's domain is todo")
	u.does("add --yes ./todo.wasm", "not granted")
	grants := func() string { out, _ := u.runs("grants"); return out }
	if got := grants(); strings.Contains(got, "todo") {
		t.Errorf("granted: %s", got)
	}
	u.does("remove todo")
	u.does("add --yes --grant todo=http:api ./todo.wasm", "GRANTED")
	if got := grants(); !strings.Contains(got, "todo http:api: https://api.todo.invalid") {
		t.Errorf("granted: %s", got)
	}
	// The command grants changes the same grants.
	if out, code := u.runs("grants", "revoke", "todo"); code != exitOK || !strings.Contains(out, "revoked todo http:api") || strings.Contains(u.lock(), "grant") {
		t.Errorf("revoke: %s%s", out, u.lock())
	}
	if out, code := u.runs("grants", "add", "todo", "http:api"); code != exitOK || !strings.Contains(u.lock(), "[[plugin.grant]]\nwant = \"http:api\"\norigin = \"https://api.todo.invalid\"") {
		t.Errorf("add: %s%s", out, u.lock())
	}
	c := serveProcess(t, u.dir, "--no-builtin")
	c.request("tools/list", nil, nil)
	c.session("todo", `new "T"`)
	if got := c.session("todo", "status"); !strings.Contains(got, "http:api") || strings.Contains(got, "not granted") {
		t.Errorf("status says %s", got)
	}
	if out, _ := u.runs("grants", "revoke", "todo"); !strings.Contains(out, "revoked") {
		t.Error(out)
	}
	if got := c.session("todo", "status"); !strings.Contains(got, "not granted") { // a running host notices
		t.Errorf("after it was revoked, status says %s", got)
	}
}

// Plugins that are added at the same time are all added.
func TestConcurrentAddsAllSucceed(t *testing.T) {
	u := newPerson(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	names := []string{"one", "two", "three", "four"}
	for _, name := range names {
		u.puts(name+".wasm", "1.0", ofDomain(name))
	}
	for _, name := range append(names, names...) { // each twice
		work.Go(func() {
			if out, code := u.execs(exe, "plugin", "add", "--yes", "--cache", "off", "./"+name+".wasm"); code != exitOK {
				t.Errorf("%s: %s", name, out)
			}
		})
	}
	work.Wait()
	if got := u.does("verify"); strings.Count(got, "as it was added") != len(names) || strings.Count(got, "\n") != len(names) {
		t.Errorf("verify says %s", got)
	}
}
