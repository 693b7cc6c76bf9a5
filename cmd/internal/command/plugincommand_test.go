package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// person is a user with folders of their own who adds plugins.
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

// runs runs fcp-host in this process and returns its output and exit code.
func (u *person) runs(args ...string) (out string, code int) {
	u.t.Helper()
	var b bytes.Buffer
	both := &lockedWriter{w: &b}
	code = run(u.t.Context(), args, stdio{strings.NewReader(""), both, both})
	return b.String(), code
}

// execs is runs in a process of its own.
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

// does runs `fcp-host plugin`, which must succeed and print all of says.
func (u *person) does(line string, says ...string) string {
	u.t.Helper()
	return u.says(exitOK, line, says...)
}

// fails runs `fcp-host plugin`, which must fail and print all of says.
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
	checkPrintable(u.t, out)
	return out
}

// puts writes a plugin into the working directory and returns its bytes.
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

// lock returns the lock file, "" if there is none.
func (u *person) lock() string {
	data, _ := os.ReadFile(filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "lock.toml"))
	return string(data)
}

// modules returns the paths of the added modules.
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

// api is an http want that needs no variable.
var api = abi.Want{Kind: abi.WantHTTP, Name: "api", Reason: "It sends your lists.", Base: "https://api.todo.invalid/v1"}

func wantingAPI(m *abi.Manifest) { m.Wants = []abi.Want{api} }

// serve loads exactly the locked plugins, by name, and says what to do about the others.
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
		c.request("tools/list", nil, nil)                                      // waits until the host knows what it serves
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
	u.does("update --yes", "todo 1.0 is restored to what was added", "gone 1.0 is restored to what was added", "diary 1.0: nothing newer")
	u.does("verify")
	// Named plugins are served instead of the added ones. With pinned only, only pinned plugins are served, which the added
	// ones are.
	if got := serves("--plugins", folder); !strings.Contains(got, "folder") || strings.Contains(got, "diary") {
		t.Errorf("a folder is served with what was added: %s", got)
	}
	if got := serves("--plugins", folder, "--plugin", "diary", "--only-pinned"); !strings.Contains(got, "diary") || !strings.Contains(got, "it is not pinned") {
		t.Errorf("pinned: %s", got)
	}
	// An invalid lock file is reported, and none of the added plugins is served.
	lock := filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "lock.toml")
	whole := u.lock()
	put(t, filepath.Dir(lock), "lock.toml", strings.Replace(whole, "sha256", "sha255", 1))
	if got := serves(); !strings.Contains(got, "there is no setting plugin.sha255") || strings.Contains(got, "diary 1.0") {
		t.Errorf("a damaged lock file: %s", got)
	}
	u.fails("list", "there is no setting plugin.sha255", "correct that, or remove the file")
	u.fails("add --yes ./diary.wasm", "there is no setting plugin.sha255")
	put(t, filepath.Dir(lock), "lock.toml", whole)
	u.does("verify")
}

func TestTheConfigurationAppliesToAddedPlugins(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.does("add --yes ./todo.wasm")
	u.configures("[[plugin]]\ndomain = \"todo\"\nwrite = false\n")
	script := "add\n:save as:./x.thing\n"
	put(t, u.dir, "script", ":new \"T\"\n"+script)
	if out, code := u.runs("exec", "--no-builtin", "script"); code != exitFailed || !strings.Contains(out, "the configuration does not let its plugin write") {
		t.Errorf("exec: %d %s", code, out)
	}
	u.does("add --yes ./diary.wasm", "serves it now, where it runs")
	u.does("remove diary")
	u.configures("[[plugin]]\nfile = \"todo\"\n")
	u.does("add --yes ./diary.wasm", `the configuration lists the plugins to serve, and this one is not among them: add a [[plugin]] with file = "diary"`)
	if out, code := u.runs("plugin", "remove", "todo"); code != exitOK || !strings.Contains(out, "the configuration still has a [[plugin]] todo") {
		t.Errorf("remove: %s", out)
	}
}

// A running server serves plugins that are added, updated and removed meanwhile, with the settings of the configuration.
func TestPluginsAddedWhileServingAreServed(t *testing.T) {
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
	for !strings.Contains(c.tools(), "todo") { // the first notification may be about the start
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
	if got, failed := c.call("diary_session", map[string]any{"action": "save as:./d.thing"}); !failed || !strings.Contains(got, "does not let its plugin write") {
		t.Errorf("after an update, the configuration does not hold: %s", got)
	}
	// A module is changed without the lock file: the running one continues, and the change is reported.
	for _, m := range u.modules() {
		if strings.Contains(m, "todo-") {
			install(t, m, thing("todo", "6.6.6", "1 thing"))
		}
	}
	c.session("todo", "reload")
	tells(t, c.session("todo", "plugins"), "todo 1.0, sha256 ", "its file was changed after it was added; fcp-host plugin update todo fetches it again")
	u.does("update --yes todo", "todo 1.0 is restored to what was added")
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

func TestAddedPluginsHaveTheirCommands(t *testing.T) {
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

// With only one plugin a script need not name the domain, even if the machine is busy and the plugin is known late.
func TestAScriptWaitsForTheOnlyPluginThatItHas(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	put(t, u.dir, "script", `:new "First"`)
	out, code := u.runs("exec", "--config", "off", "--no-builtin", "--cache", "off", "--limit", "list-wait=1ms", "--plugin", "./todo.wasm", "script")
	if code != exitOK || !strings.Contains(out, `+ new todo document "First"`) {
		t.Errorf("%d %s", code, out)
	}
}
