package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
	"github.com/fcp-host/fcp-host/internal/soak"
)

// Changes of a plugin's file while it is served do not affect open documents: the host runs the bytes that it read and
// checked.
func TestAPluginFileThatChangesWhileItIsServedChangesNothing(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct {
		name   string
		change func(path string) error
	}{
		{"replaced by another plugin", func(path string) error {
			return os.WriteFile(path, evil{}.wasm(t), 0o644)
		}},
		{"cut short", func(path string) error { return os.Truncate(path, 1000) }},
		{"emptied", func(path string) error { return os.Truncate(path, 0) }},
		{"removed", os.Remove},
		{"a FIFO now", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return syscall.Mkfifo(path, 0o600)
		}},
		{"unreadable", func(path string) error { return os.Chmod(path, 0) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			skipMostCases(t, i)
			path := manifest(func(m *abi.Manifest) { m.Domain = "good" }).file(t)
			a := startArena(t, "--plugin", path)
			a.session("good", `new "G"`)
			a.must("good", map[string]any{"ops": []string{"do it"}})
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			for range 2 { // with the running worker, and with a new one
				if got := a.must("good", map[string]any{"ops": []string{"do it"}}); !strings.Contains(got, "did it") {
					t.Errorf("%q", got)
				}
				a.editHonest()
				for _, pid := range children(t, a.cmd.Process.Pid) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			a.checkUnharmed()
		})
	}
}

// Damaged compiled code in the cache is not run: the module is compiled again, with a warning.
func TestADamagedCacheIsCompiledAgainWhileServing(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	cache := t.TempDir()
	path := evil{}.file(t)
	// The first call waits at most for the limit call while the honest module is compiled.
	a := startArena(t, "--cache", cache, "--limit", "call=5m", "--plugin", path)
	a.session("evil", `new "E"`)
	// compiled lists the finished files of the cache to damage. The honest module takes long to compile, so its file is at most damaged
	// once, and only in a whole run.
	compiled := func(honest bool) (files []string) {
		for want := map[bool]int{false: 1, true: 2}[honest]; len(files) < want; a.session("evil", "status") {
			files = nil
			_ = filepath.WalkDir(filepath.Join(cache, "modules"), func(file string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "tmp-") {
					if info, err := d.Info(); err == nil && (honest || info.Size() <= 1<<20) {
						files = append(files, file)
					}
				}
				return nil
			})
		}
		return files
	}
	for n, damage := range []func(string) error{
		func(file string) error { return os.WriteFile(file, []byte("\x7fELF\x90\x90\x90"), 0o600) },
		func(file string) error { return os.Truncate(file, 0) },
		os.Remove,
	} {
		for _, file := range compiled(n == 0 && soak.Whole()) {
			if err := damage(file); err != nil {
				t.Fatal(err)
			}
		}
		for _, pid := range children(t, a.cmd.Process.Pid) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if got := a.must("evil", map[string]any{"ops": []string{"do it"}}); !strings.Contains(got, "did it") {
			t.Errorf("damage %d: %q", n, got)
		}
		a.editHonest()
	}
	a.checkUnharmed()
	if said := a.stop(); !strings.Contains(said, "damaged; compiling it again") {
		t.Errorf("stderr is %.500q", said)
	}
}

// A hundred calls that fail wait in one queue; the honest domain has its own.
func TestAQueueOfHostileCallsDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	a := startArena(t, "--plugin", code(abi.ExportApply, trapping()).file(t))
	a.session("evil", `new "E"`)
	var ids []int
	for range 100 {
		ids = append(ids, a.send("evil", map[string]any{"ops": []string{"do it"}}))
	}
	answered := 0
	for range 20 {
		a.editHonest()
		if _, done := a.got[ids[99]]; !done {
			answered++
		}
	}
	for _, id := range ids {
		if got := a.wait(id); !got.failed || !strings.Contains(got.text, failed+"trap") {
			t.Errorf("%q", got.text)
		}
	}
	if answered == 0 {
		t.Error("the honest domain waited for the whole queue")
	}
	a.checkUnharmed()
}

// Many hostile plugins at once, each with a document, beside an honest one.
func TestManyHostilePluginsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const plugins = 12
	for n := range plugins {
		e := code(abi.ExportApply, [][]byte{looping(), trapping(), asm.I32(1)}[n%3])
		e.manifest = func(m *abi.Manifest) { m.Domain = fmt.Sprintf("evil%d", n) }
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.wasm", n)), e.wasm(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := startArena(t, "--timeout", "2s", "--plugins", dir)
	var ids []int
	for n := range plugins {
		a.send(fmt.Sprintf("evil%d_session", n), map[string]any{"action": `new "E"`})
		ids = append(ids, a.send(fmt.Sprintf("evil%d", n), map[string]any{"ops": []string{"do it"}}))
	}
	for range 10 {
		a.editHonest()
	}
	for n, id := range ids {
		if got := a.wait(id); !got.failed || !strings.Contains(got.text, fmt.Sprintf("the evil%d plugin failed: ", n)) {
			t.Errorf("%q", got.text)
		}
	}
	// Until a plugin is compiled, one process interprets it and another one compiles it.
	for len(processesBelow(a.cmd.Process.Pid)) > plugins+1 {
		a.editHonest()
	}
	a.checkUnharmed()
}

// A session refuses documents beyond its limit and keeps the others.
func TestTooManyDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	a := startArena(t, "--plugin", evil{}.file(t))
	refused := 0
	for n := range 80 {
		got := a.wait(a.send("evil_session", map[string]any{"action": fmt.Sprintf(`new "E%d" as:e%d`, n, n)}))
		if got.failed {
			refused++
			if !strings.Contains(got.text, "documents open") {
				t.Fatalf("%q", got.text)
			}
		}
	}
	if refused != 80-63 { // the honest document counts, too
		t.Errorf("%d of 80 were refused", refused)
	}
	a.editHonest()
	a.checkUnharmed()
}

// Malformed lines between honest calls.
func TestAClientThatSendsJunkHurtsNoDocument(t *testing.T) {
	t.Parallel()
	a := startArena(t)
	for _, junk := range []string{"\x00\x01\x02", "{", "[]", "null", `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"list"}}`, strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 1<<20) + `"}`} {
		if _, err := a.in.Write([]byte(junk + "\n")); err != nil {
			t.Fatal(err)
		}
		a.request("ping", map[string]any{}, nil)
	}
	a.editHonest()
	a.checkUnharmed()
	if said := a.stop(); strings.Contains(said, "panic") || bytes.ContainsRune([]byte(said), 0x1b) {
		t.Errorf("stderr is %.300q", said)
	}
}

// A plugin that kills its worker again and again is disabled; its document is kept, and usable again once the plugin is
// enabled.
func TestAPluginThatKeepsDyingIsDisabledUntilItIsEnabled(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	e := evil{answers: map[string][]any{abi.ExportApply: {applied(did())}}, code: map[string][]byte{abi.ExportQuery: looping()}}
	a := startArena(t, limited(t, e, `call = "300ms"`)...)
	a.session("evil", `new "E"`)
	if got := a.wait(a.send("evil", map[string]any{"ops": []string{"do it"}})); got.failed {
		t.Skipf("the machine is too slow for a call of 300 ms: %s", got.text)
	}
	const message = "it is disabled, since its worker died 10 times within 10m0s (the last time: fcp_query "
	disabled := false
	for range 200 { // a call during a pause of the plugin kills no worker
		got, _ := a.attack("evil_query", map[string]any{"q": "peek"})
		if !got.failed {
			t.Fatalf("%q", got.text)
		}
		checkPrintable(t, got.text)
		if disabled = strings.Contains(got.text, message); disabled {
			break
		}
	}
	if !disabled {
		t.Fatalf("it is never disabled: %s", a.wait(a.send("evil_query", map[string]any{"q": "peek"})).text)
	}
	for _, call := range []move{{"evil", "do it", message, false}, {"evil_query", "peek", message, false}, {"evil_session", "save as:./e.evil", message, false}, {"evil_session", "undo", message, false},
		{"evil_session", "status", "history: 1 op to undo", true}, {"evil_query", "history 5", "1. do it", true}} {
		got := a.wait(a.send(call.tool, call.args()))
		if got.failed == call.ok || !strings.Contains(got.text, call.want) {
			t.Errorf("%s %q says %q", call.tool, call.arg, got.text)
		}
		if got.failed && (strings.Count(got.text, "it is disabled") != 1 || !strings.Contains(got.text, "\n  try: evil_session enable")) {
			t.Errorf("%s %q does not say once what to do: %q", call.tool, call.arg, got.text)
		}
	}
	if n := len(processesBelow(a.cmd.Process.Pid)); n != 1 {
		t.Errorf("%d workers run", n)
	}
	if got := a.session("evil", "enable"); got != "* the evil plugin is enabled again\n[1 things]" {
		t.Errorf("%q", got)
	}
	if got := a.must("evil", map[string]any{"ops": []string{"do it"}}); !strings.Contains(got, "did it") {
		t.Errorf("%q", got)
	}
	if got := a.session("evil", "status"); !strings.Contains(got, "history: 2 ops to undo") {
		t.Errorf("%q", got)
	}
	if got, failed := a.call("evil_session", map[string]any{"action": "enable"}); !failed || got != "! the evil plugin is not disabled: there is nothing to enable\n[1 things]" {
		t.Errorf("%q", got)
	}
	a.checkUnharmed()
	if said := a.stop(); strings.Count(said, "a plugin is disabled") != 1 || strings.Count(said, "a plugin's worker died") < 10 {
		t.Errorf("stderr is %q", said)
	}
}

// With more documents than instances, the least recently used documents lose theirs and get a new one with their whole
// history when they are used again.
func TestDocumentsWithoutAnInstanceComeBackWhole(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	a := startArena(t)
	a.editHonest()
	const documents = 40
	for n := range documents {
		a.session("list", fmt.Sprintf(`new "D%d" as:d%d`, n, n))
	}
	for round := range 2 {
		for n := range documents {
			doc := fmt.Sprintf("d%d", n)
			a.must("list", map[string]any{"ops": []string{fmt.Sprintf("add %d-%d", n, round), "add gone"}, "document": doc})
			a.must("list_session", map[string]any{"action": "undo", "document": doc})
		}
	}
	for n := range documents {
		doc := fmt.Sprintf("d%d", n)
		want := fmt.Sprintf("#list D%d\n%d-0\n%d-1", n, n, n)
		if got := a.must("list_query", map[string]any{"q": "map", "document": doc}); got != want {
			t.Errorf("%s is %q", doc, got)
		}
		a.must("list_session", map[string]any{"action": "redo", "document": doc})
		if got := a.must("list_query", map[string]any{"q": "map", "document": doc}); got != want+"\ngone" {
			t.Errorf("%s redone is %q", doc, got)
		}
	}
	a.session("list", "use Honest")
	a.editHonest()
	a.checkUnharmed()
}
