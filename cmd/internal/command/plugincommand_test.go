package command

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"aead.dev/minisign"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/registry"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// person is somebody with folders of their own, who adds plugins.
type person struct {
	t   *testing.T
	dir string // the working directory
}

func newPerson(t *testing.T) *person {
	t.Helper()
	u := &person{t, t.TempDir()}
	t.Chdir(u.dir)
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "DOCKER_CONFIG"} {
		t.Setenv(name, t.TempDir())
	}
	return u
}

// runs runs fcp-host, and gives what it printed and its exit code.
func (u *person) runs(args ...string) (out string, code int) {
	u.t.Helper()
	var b bytes.Buffer
	both := &shared{w: &b}
	code = run(u.t.Context(), args, stdio{strings.NewReader(""), both, both})
	return b.String(), code
}

// execs is runs for a process of its own.
func (u *person) execs(program string, args ...string) (out string, code int) {
	u.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = u.dir, append(os.Environ(), asBinary+"=1")
	data, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		u.t.Fatal(err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}

// does runs `fcp-host plugin`, which has to succeed and to say all of these.
func (u *person) does(line string, says ...string) string {
	u.t.Helper()
	return u.says(exitOK, line, says...)
}

// fails runs `fcp-host plugin`, which has to fail and to say all of these.
func (u *person) fails(line string, says ...string) string {
	u.t.Helper()
	return u.says(exitFailed, line, says...)
}

func (u *person) says(want int, line string, says ...string) string {
	u.t.Helper()
	out, code := u.runs(append([]string{"plugin"}, strings.Fields(line)...)...)
	if code != want {
		u.t.Errorf("plugin %s: exit code %d\n%s", line, code, out)
	}
	for _, s := range says {
		if !strings.Contains(out, s) {
			u.t.Errorf("plugin %s does not say %q:\n%s", line, s, out)
		}
	}
	onlyPrintable(u.t, out)
	return out
}

// puts writes a plugin of a domain into the working directory.
func (u *person) puts(file, version string, change func(*abi.Manifest)) []byte {
	u.t.Helper()
	m := testwasm.MinimalManifest()
	m.Domain, m.Title, m.Version, m.Summary = "todo", "To do", version, "lists of what is to be done"
	if change != nil {
		change(m)
	}
	acts := testwasm.Minimal()
	acts[abi.ExportManifest] = testwasm.Answers(m)
	acts[abi.ExportResume] = testwasm.Answers(&abi.QueryResponse{Text: "resumed"})
	wasm := testwasm.Scripted(acts)
	put(u.t, u.dir, file, string(wasm))
	return wasm
}

func ofDomain(name string) func(*abi.Manifest) { return func(m *abi.Manifest) { m.Domain = name } }

// lock is the lock file, "" where there is none.
func (u *person) lock() string {
	data, _ := os.ReadFile(filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "lock.toml"))
	return string(data)
}

// modules are the files of the modules that were added.
func (u *person) modules() []string {
	u.t.Helper()
	list, err := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "*.wasm"))
	if err != nil {
		u.t.Fatal(err)
	}
	return list
}

func (u *person) configures(text string) {
	u.t.Helper()
	dir := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "fcp-host")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		u.t.Fatal(err)
	}
	put(u.t, dir, configName, text)
}

// api is a want of http that needs nothing of the environment.
var api = abi.Want{Kind: abi.WantHTTP, Name: "api", Reason: "It sends your lists.", Base: "https://api.todo.invalid/v1"}

func wantingAPI(m *abi.Manifest) { m.Wants = []abi.Want{api} }

func TestAPluginIsShownAndAddedWhenAPersonSaysSo(t *testing.T) {
	u := newPerson(t)
	wasm := u.puts("todo.wasm", "1.0", wantingAPI)
	u.does("list", "no plugin was added")
	u.does("list --json", "[]\n")
	// Without a terminal and without --yes nothing is done.
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
	// Every command finds it by its name.
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
			u.says(exitUsage, line, `"none" is neither a public key of minisign or cosign nor a file`)
			continue
		}
		u.fails(line, says)
	}
	for _, line := range []string{"", "add", "add a b", "list x", "frobnicate", "list --yes", "add --grant x ./todo.wasm", "push a"} {
		u.says(exitUsage, line)
	}
}

// Of what was added serve loads exactly what is locked, by name, and says what to do about the rest.
func TestServeLoadsExactlyWhatIsLocked(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.puts("gone.wasm", "1.0", ofDomain("gone"))
	folder := t.TempDir()
	u.puts("../folder.wasm", "1.0", ofDomain("folder"))
	if err := os.Rename(filepath.Join(u.dir, "../folder.wasm"), filepath.Join(folder, "folder.wasm")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"todo", "diary", "gone"} {
		u.does("add --yes ./" + name + ".wasm")
	}
	serves := func(args ...string) string {
		t.Helper()
		c := serveProcess(t, u.dir, append([]string{"--no-builtin", "--unified"}, args...)...)
		c.request("tools/list", nil, nil)                                      // which waits until it is known what is served
		status, _ := c.call("fcp_session", map[string]any{"action": "status"}) // no document is open
		return status + c.must("fcp_help", map[string]any{})
	}
	if got := serves(); !strings.Contains(got, "todo") || !strings.Contains(got, "diary") || !strings.Contains(got, "gone") || strings.Contains(got, "not served") {
		t.Errorf("serve has %s", got)
	}
	for _, m := range u.modules() {
		if strings.Contains(m, "todo-") {
			u.puts("other.wasm", "6.6.6", nil)
			if err := os.Rename(filepath.Join(u.dir, "other.wasm"), m); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(m, "gone-") {
			if err := os.Remove(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := serves()
	for _, want := range []string{"diary", "its file was changed after it was added; fcp-host plugin update todo fetches it again", "its file cannot be read (no such file or directory); fcp-host plugin update gone fetches it again"} {
		if !strings.Contains(got, want) {
			t.Errorf("serve does not say %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, "6.6.6") {
		t.Errorf("the changed one is served:\n%s", got)
	}
	u.does("list", "CHANGED since it was added", "its file is GONE")
	u.fails("verify", "! todo 1.0: its sha256 is ", "! gone 1.0: no such file", "  diary 1.0: as it was added")
	u.fails("info todo", "todo differs from what was added")
	u.does("update --yes", "todo 1.0 is as it was added again", "gone 1.0 is as it was added again", "diary 1.0: nothing newer")
	u.does("verify")
	// What is named is served instead; only what is pinned where that is asked for, which what was added is.
	if got := serves("--plugins", folder); !strings.Contains(got, "folder") || strings.Contains(got, "diary") {
		t.Errorf("a folder is served with what was added: %s", got)
	}
	if got := serves("--plugins", folder, "--plugin", "diary", "--only-pinned"); !strings.Contains(got, "diary") || !strings.Contains(got, "it is not pinned") {
		t.Errorf("pinned: %s", got)
	}
	// A lock file that is not right is said, and serves nothing of what was added.
	lock := filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "lock.toml")
	whole := u.lock()
	put(t, filepath.Dir(lock), "lock.toml", strings.Replace(whole, "sha256", "sha255", 1))
	if got := serves(); !strings.Contains(got, "there is no setting plugin.sha255") || strings.Contains(got, "diary 1.0") {
		t.Errorf("a damaged lock file: %s", got)
	}
	u.fails("list", "there is no setting plugin.sha255", "mend that, or remove the file")
	u.fails("add --yes ./diary.wasm", "there is no setting plugin.sha255")
	put(t, filepath.Dir(lock), "lock.toml", whole)
	u.does("verify")
}

func TestTheConfigurationSpeaksOfWhatWasAdded(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.does("add --yes ./todo.wasm")
	u.configures("[[plugin]]\ndomain = \"todo\"\nwrite = false\n")
	script := "add\n:save as:./x.thing\n"
	put(t, u.dir, "script", ":new \"T\"\n"+script)
	if out, code := u.runs("exec", "--no-builtin", "script"); code != exitFailed || !strings.Contains(out, "the configuration does not grant its plugin to write") {
		t.Errorf("exec: %d %s", code, out)
	}
	u.does("add --yes ./diary.wasm", "serves it now, where it runs")
	u.does("remove diary")
	u.configures("[[plugin]]\nfile = \"todo\"\n")
	u.does("add --yes ./diary.wasm", `the configuration names what is served, and not this one: add a [[plugin]] with file = "diary"`)
	if out, code := u.runs("plugin", "remove", "todo"); code != exitOK || !strings.Contains(out, "the configuration still has a [[plugin]] todo") {
		t.Errorf("remove: %s", out)
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

// What a module says of itself moves neither files nor the cursor, and a module that is broken is not added.
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

func TestWhatAPluginWantsIsGrantedAloneByBeingTold(t *testing.T) {
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
	// `grants` changes the same.
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
	if got := c.session("todo", "status"); !strings.Contains(got, "not granted") { // a host that runs notices
		t.Errorf("after it was revoked, status says %s", got)
	}
}

// shopped serves a registry, and gives oci:// of it.
func shopped(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(&registry.Registry{})
	t.Cleanup(s.Close)
	return "oci://" + strings.TrimPrefix(s.URL, "http://")
}

func TestUpdateShowsWhatChangesAndAsksAgain(t *testing.T) {
	u := newPerson(t)
	todo := shopped(t) + "/fcp/todo:latest"
	first := u.puts("todo.wasm", "1.0", wantingAPI)
	u.does("push ./todo.wasm "+todo, "pushed todo 1.0", "cosign sign --key cosign.key")
	u.does("add --yes --grant http:api "+todo, "source    "+todo, "added todo 1.0")
	u.does("update", "todo 1.0: nothing newer")
	publish := func(version string, change func(*abi.Manifest)) {
		t.Helper()
		u.puts("todo.wasm", version, change)
		u.does("push ./todo.wasm " + todo)
	}
	publish("1.1", func(m *abi.Manifest) {
		wantingAPI(m)
		m.Wants = append(m.Wants, abi.Want{Kind: abi.WantProgram, Name: "ffmpeg", Reason: "It films."})
		m.Verbs = append(m.Verbs, abi.Verb{Name: "film", Syntax: "film", Max: -1})
	})
	u.fails("update", "todo 1.0 → 1.1", "verbs     new: film", "wants     new: program:ffmpeg", "cannot ask here")
	if !strings.Contains(u.lock(), "1.0") {
		t.Errorf("it was updated without an answer: %s", u.lock())
	}
	u.does("pin todo", "todo 1.0 is pinned")
	u.does("update --yes", "todo 1.0 is pinned; fcp-host plugin pin --off todo lets update change it")
	u.does("pin --off todo")
	out := u.does("update --yes", "GRANTED", "not granted; to grant it: --grant program:ffmpeg", "todo 1.0 is 1.1")
	if strings.Count(out, "GRANTED") != 1 || strings.Contains(u.lock(), `want = "program`) || !strings.Contains(u.lock(), `want = "http:api"`) {
		t.Errorf("grants: %s%s", out, u.lock())
	}
	u.does("info todo", "before    1.0", "--rollback todo")
	// A want that changes its meaning has to be granted anew, whatever it is called.
	publish("1.2", func(m *abi.Manifest) {
		m.Wants = []abi.Want{api}
		m.Wants[0].Base = "https://elsewhere.invalid"
	})
	u.does("update --yes todo", "http:api was granted and is not what it was: it has to be granted anew", "verbs     gone: film", "wants     gone: program:ffmpeg")
	if strings.Contains(u.lock(), "grant") {
		t.Errorf("it is still granted: %s", u.lock())
	}
	// An older one takes an answer.
	put(t, u.dir, "todo.wasm", string(first))
	u.does("push ./todo.wasm " + todo)
	u.fails("update --yes", "its source now has todo 1.0, which is older than todo 1.2; --yes refuses that")
	u.does("update --rollback --yes todo", "todo 1.2 → 1.1", "OLDER", "todo 1.2 is 1.1")
	u.does("list", "todo  1.1", "pinned")
	u.does("update", "is pinned")
	u.does("update --rollback --yes todo", "todo 1.1 is 1.2") // and back again
	if len(u.modules()) != 2 {
		t.Errorf("the modules are %q", u.modules())
	}
	// Another domain at the same place is no update.
	publish("1.3", ofDomain("diary"))
	u.does("pin --off todo")
	u.fails("update --yes", "now has the domain diary; use fcp-host plugin add to add it as another plugin")
	u.does("verify", "todo 1.2: as it was added")
	u.fails("add --yes "+todo[:strings.LastIndex(todo, ":")], "names no version")
	u.fails("add --yes "+strings.Replace(todo, "latest", "none", 1), "the registry has no such artifact")
}

func TestAnAddressOfTheWebNeedsAHash(t *testing.T) {
	u := newPerson(t)
	wasm := u.puts("todo.wasm", "1.0", nil)
	s := httptest.NewServer(http.FileServer(http.Dir(u.dir)))
	defer s.Close()
	hash := "#sha256=" + string(sum(wasm))
	u.fails("add "+s.URL+"/todo.wasm", "The address says nothing of what it should lead to: compare the sha256", "cannot ask here")
	u.fails("add --yes "+s.URL+"/todo.wasm", "--yes refuses an unsigned file without a hash: append #sha256=… to the address")
	u.fails("add --yes "+s.URL+"/todo.wasm#sha256="+strings.Repeat("0", 64), "it is another module")
	u.does("add --yes "+s.URL+"/todo.wasm"+hash, "added todo 1.0")
	u.does("update --yes", "its source names this very module")
	u.fails("add --yes http://192.0.2.1/todo.wasm"+hash, "http://192.0.2.1 is not encrypted")
}

func TestASignerStaysTheSigner(t *testing.T) {
	u := newPerson(t)
	alice, aliceSigns := minisigner(t)
	bob, bobSigns := minisigner(t)
	sign := func(by func([]byte) []byte) func(version string) {
		return func(version string) {
			t.Helper()
			put(t, u.dir, "todo.wasm.minisig", string(by(u.puts("todo.wasm", version, nil))))
		}
	}
	sign(aliceSigns)("1.0")
	u.fails("add ./todo.wasm", "signed    not checked: there is a signature of minisign key", "and no such key in trusted-keys or --key")
	u.fails("add --yes --key "+bob+" ./todo.wasm", "it is not signed by minisign key", "but by minisign key")
	put(t, u.dir, "alice.pub", "untrusted comment: alice\n"+alice+"\n")
	u.does("add --yes --key ./alice.pub ./todo.wasm", "signed    by minisign key")
	u.does("verify", "as it was added, signed by minisign key")
	u.puts("todo.wasm", "1.1", nil)
	u.fails("update --yes", "its signature by minisign key", "does not match this module")
	os.Remove(filepath.Join(u.dir, "todo.wasm.minisig"))
	u.fails("update --yes", "it is not signed, but must be signed by minisign key")
	sign(bobSigns)("1.1")
	u.fails("update --yes", "it is not signed by minisign key", "but by minisign key")
	u.configures("[trusted-keys]\nalice = \"" + alice + "\"\nbob = \"" + bob + "\"\n")
	u.does("update --yes", "signed    by bob (minisign key", "BEFORE by alice (minisign key")
	u.does("update --rollback --yes todo", "signed    by alice")
	u.does("list", "signed by alice (minisign key", "pinned")
	// Only what is signed, where that is asked for.
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.does("add --yes ./diary.wasm", "signed    no")
	policy := "require-signature = true\n[trusted-keys]\n"
	u.configures(policy + "alice = \"" + filepath.Join(u.dir, "alice.pub") + "\"\n")
	u.does("remove diary")
	u.fails("add --yes ./diary.wasm", "require-signature is set, but no key in trusted-keys signed it")
	u.configures("")
	u.does("add --yes ./diary.wasm")
	u.configures(policy + "alice = \"" + alice + "\"\n")
	served := func() string {
		out, _ := u.runs("doctor", "--no-builtin")
		_, plugins, _ := strings.Cut(out, "\nplugins\n")
		return plugins
	}
	if got := served(); !strings.Contains(got, "todo 1.0") || !strings.Contains(got, "added:diary: require-signature is set, and it had no signature by a known key when it was added") {
		t.Errorf("with alice trusted: %s", got)
	}
	u.fails("verify", "! diary 1.0: require-signature is set")
	u.configures(policy + "bob = \"" + bob + "\"\n")
	if got := served(); !strings.Contains(got, "added:todo: require-signature is set, and the minisign key") || strings.Contains(got, "  todo") {
		t.Errorf("with bob trusted: %s", got)
	}
	// A signature that was changed, or written by hand into the lock file, is none.
	u.configures(policy + "alice = \"" + alice + "\"\n")
	sigs, err := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "*.signature.json"))
	if err != nil || len(sigs) == 0 {
		t.Fatal(sigs, err)
	}
	for _, sig := range sigs {
		put(t, filepath.Dir(sig), filepath.Base(sig), "{}")
	}
	if got := served(); !strings.Contains(got, "added:todo: require-signature is set, and its signature is not one by alice (minisign key") {
		t.Errorf("without its signature: %s", got)
	}
	u.fails("verify todo", "! todo 1.0: its signature is not one by alice (minisign key")
	for text, says := range map[string]string{
		"[trusted-keys]\nalice = \"none\"\n":   "trusted-keys: alice: \"none\" is neither a public key of minisign or cosign nor a file",
		"[trusted-keys]\nalice = \"./none\"\n": "trusted-keys: alice: ",
		"[trusted-keys]\nalice = 3\n":          "trusted-keys",
	} {
		u.configures(text)
		u.says(exitUsage, "list", says)
	}
}

// minisigner makes a key pair: the public key, and what signs by it.
func minisigner(t *testing.T) (public string, sign func([]byte) []byte) {
	t.Helper()
	k, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return k.String(), func(m []byte) []byte { return minisign.Sign(private, m) }
}

// All who add at once add.
func TestAddsAtOnceAllCount(t *testing.T) {
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
	for _, name := range append(names, names...) { // each of them twice
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

// A server that runs serves what is added, updated and removed meanwhile, with all that the configuration says of it.
func TestWhatIsAddedWhileServingIsServed(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", wantingAPI)
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.does("add --yes ./diary.wasm")
	u.configures("[[plugin]]\ndomain = \"diary\"\nwrite = false\n")
	c := serveProcess(t, u.dir, "--no-builtin", "--config", filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "fcp-host", configName))
	if got := c.tools(); !strings.Contains(got, "diary") || strings.Contains(got, "todo") {
		t.Errorf("the tools are %s", got)
	}
	u.does("add --yes --grant http:api ./todo.wasm", "added todo 1.0; fcp-host serves it now, where it runs, and from its next start on")
	for !strings.Contains(c.tools(), "todo") { // the first may tell of the start
		c.hear(toolsChanged)
	}
	c.session("todo", `new "T"`)
	if got := c.session("todo", "status"); strings.Contains(got, "not granted") {
		t.Errorf("what was granted is not: %s", got)
	}
	u.puts("diary.wasm", "1.1", ofDomain("diary"))
	u.does("update --yes diary", "diary 1.0 is 1.1")
	c.session("todo", "reload")
	tells(t, c.session("todo", "plugins"), "diary 1.1, sha256 ", "added:diary", "todo 1.0, sha256 ")
	c.session("diary", `new "D"`)
	if got, failed := c.call("diary_session", map[string]any{"action": "save as:./d.thing"}); !failed || !strings.Contains(got, "does not grant its plugin to write") {
		t.Errorf("after an update, the configuration does not hold: %s", got)
	}
	// Somebody changes the file behind the lock's back: what runs goes on, and it is said.
	for _, m := range u.modules() {
		if strings.Contains(m, "todo-") {
			install(t, m, thing("todo", "6.6.6", "1 thing"))
		}
	}
	c.session("todo", "reload")
	tells(t, c.session("todo", "plugins"), "todo 1.0, sha256 ", "its file was changed after it was added; fcp-host plugin update todo fetches it again")
	u.does("update --yes todo", "todo 1.0 is as it was added again")
	c.session("todo", "reload")
	if got := c.session("todo", "plugins"); strings.Contains(got, "was changed") {
		t.Errorf("it is mended, and the server says %s", got)
	}
	c.session("diary", "close force")
	u.does("remove diary")
	c.session("todo", "reload")
	if got := c.tools(); strings.Contains(got, "diary") {
		t.Errorf("after it was removed: %s", got)
	}
}

func TestWhatWasAddedHasItsCommands(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", func(m *abi.Manifest) {
		m.Commands = []abi.Command{{Name: "todo show", Syntax: "todo show", Summary: "shows it", Kind: abi.TryQuery, Text: "map"}}
	})
	put(t, u.dir, "list.thing", "a list")
	if out, code := u.runs("todo", "show"); code != exitUsage || !strings.Contains(out, `no command "todo"`) {
		t.Errorf("before: %d %s", code, out)
	}
	u.does("add --yes ./todo.wasm", "commands  'todo show'")
	if out, _ := u.runs("--help"); !strings.Contains(out, "fcp-host todo       [COMMAND | --help] show") {
		t.Errorf("the help of all does not list it: %s", out)
	}
	if out, code := u.runs("todo", "--help"); code != exitOK || !strings.Contains(out, "fcp-host todo show") {
		t.Errorf("help: %d %s", code, out)
	}
	if out, code := u.runs("todo", "show", "--in", "list.thing"); code != exitOK || !strings.Contains(out, "nothing") {
		t.Errorf("it runs: %d %s", code, out)
	}
}

// Whoever has one plugin alone need not name its domain, also where the machine is so busy that it says late what it serves.
func TestAScriptWaitsForTheOnlyPluginThatItHas(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	put(t, u.dir, "script", `:new "First"`)
	out, code := u.runs("exec", "--config", "off", "--no-builtin", "--cache", "off", "--limit", "list-wait=1ms", "--plugin", "./todo.wasm", "script")
	if code != exitOK || !strings.Contains(out, `+ new todo document "First"`) {
		t.Errorf("%d %s", code, out)
	}
}
