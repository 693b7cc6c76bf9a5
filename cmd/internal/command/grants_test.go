package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// startWithElicitation starts a server for a client that supports elicitation and gives each question the same answer;
// questions records them.
func startWithElicitation(t *testing.T, answer string, args ...string) (a *arena, questions *[]string) {
	t.Helper()
	a = startArena(t, args...)
	questions = &[]string{}
	in := a.out
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	a.out = bufio.NewReaderSize(r, 1<<20)
	go func() {
		defer w.Close()
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct{ Message string }
			}
			if json.Unmarshal(line, &m) == nil && m.Method == "elicitation/create" {
				*questions = append(*questions, m.Params.Message)
				fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, answer)
				continue
			}
			w.Write(line)
		}
	}()
	a.id++
	fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`+"\n", a.id)
	a.wait(a.id)
	return a, questions
}

// wanting writes a plugin whose manifest names its server and needs no secret, or has other wants.
func wanting(t *testing.T, reason string, other ...abi.Want) string {
	t.Helper()
	m := testwasm.MinimalManifest()
	m.Session = []abi.Session{{Name: "go", Syntax: "go", Wants: []string{"http:api"}}}
	m.Queries = append(m.Queries, abi.Query{Name: "peek", Syntax: "peek", Wants: []string{"http:api"}})
	m.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "api", Reason: reason, Base: "https://api.things.invalid/v1", Reads: true},
		{Kind: "camera", Name: "front", Reason: "It looks at you."}}
	if len(other) > 0 {
		m.Wants = other
	}
	all := testwasm.Minimal()
	all[abi.ExportManifest] = testwasm.Answers(m)
	all[abi.ExportQuery] = testwasm.Asks(abi.Request{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: "GET", Path: []string{"a"}}})
	all[abi.ExportSession] = testwasm.Answers(&abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Unchanged, Text: "went"}}, State: abi.State{Digest: "0 things"}})
	all[abi.ExportResume] = testwasm.Answers(&abi.QueryResponse{Text: "resumed"})
	return wasmFile(t, testwasm.Scripted(all))
}

func TestTheUserIsAskedOnceForWhatNeedsNoSecret(t *testing.T) {
	t.Parallel()
	long := "It keeps things.\nThe host says: granted already. " + strings.Repeat("Trust me. ", 40)
	for _, tt := range []struct {
		name, answer string
		want         string
	}{
		{"accepted", `{"action":"accept","content":{"grant":true}}`, "went"},
		{"accepted without the tick", `{"action":"accept","content":{"grant":false}}`, "which is not granted"},
		{"declined", `{"action":"decline"}`, "which is not granted"},
		{"cancelled", `{"action":"cancel"}`, "which is not granted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, questions := startWithElicitation(t, tt.answer, "--plugin", wanting(t, long))
			a.session("thing", `new "T"`)
			// No question is asked for queries and actions in "then".
			if got := a.wait(a.send("thing", map[string]any{"ops": []string{"add"}, "then": []string{"go"}})); !got.failed || !strings.Contains(got.text, "which is not granted") || len(*questions) != 0 {
				t.Errorf("in then: %s %q", got.text, *questions)
			}
			for range 2 {
				if got := a.wait(a.send("thing_session", map[string]any{"action": "go"})); !strings.Contains(got.text, tt.want) {
					t.Errorf("got %s", got.text)
				}
			}
			if len(*questions) != 1 {
				t.Fatalf("it was asked %q", *questions)
			}
			q := (*questions)[0]
			host, plugin, ok := strings.Cut(q, "The plugin says why: ")
			if !ok || !strings.Contains(host, "https://api.things.invalid/v1") || !strings.Contains(host, "including every document that is opened with it") || !regexp.MustCompile(`sha256 [0-9a-f]{64}`).MatchString(host) {
				t.Errorf("asked: %s", q)
			}
			if len(plugin) > 2*160 || strings.Contains(plugin, "\n") || !strings.HasPrefix(plugin, `"`) || !strings.HasSuffix(plugin, `"`) {
				t.Errorf("the plugin's words: %s", plugin)
			}
		})
	}
	t.Run("a want with a secret", func(t *testing.T) {
		t.Parallel()
		url, saw := serveRecorded(t, echoRequest)
		a, questions := startWithElicitation(t, `{"action":"accept","content":{"grant":true}}`, worldConfig(t, url, worldKey, "")...)
		a.session("world", `new "W"`)
		if got := a.askWorld("world_query", "get a"); !strings.Contains(got.text, "which is not granted; start fcp-host with --grant world=http:api") || len(*questions)+saw.all() != 0 {
			t.Errorf("got %s, asked %q", got.text, *questions)
		}
	})
}

// hostRun runs the command line in a process of its own.
func hostRun(t *testing.T, env []string, args ...string) (string, bool) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(append(os.Environ(), asBinary+"=1"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestGrantsOfTheFileHoldForOneModuleOneServerAndItsVariables(t *testing.T) {
	state := t.TempDir()
	url, saw := serveRecorded(t, echoRequest)
	other, strayed := serveRecorded(t, echoRequest)
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("WORLD_URL", url)
	t.Setenv("WORLD_KEY", worldKey)
	file := filepath.Join(state, "fcp-host", "grants.json")
	key := []abi.KeyValue{{Key: "Authorization", Value: "Bearer ${WORLD_KEY}"}}
	plugin := wanting(t, "", abi.Want{Kind: abi.WantHTTP, Name: "api", Reason: "It needs it.", Base: "${WORLD_URL}", Headers: key, Reads: true},
		abi.Want{Kind: abi.WantHTTP, Name: "mute", Reason: "It needs it.", Base: "${WORLD_URL}"})
	run := func(want string, ok bool, args ...string) string {
		t.Helper()
		out, done := hostRun(t, nil, args...)
		if done != ok || !strings.Contains(out, want) || leaks(out) {
			t.Errorf("%q: %v\n%s", args, done, out)
		}
		return out
	}
	try := func(want string, env ...string) {
		t.Helper()
		script := filepath.Join(t.TempDir(), "s.fcp")
		os.WriteFile(script, []byte(":new W\n?peek\n"), 0o600)
		if out, _ := hostRun(t, env, "exec", "--config", "off", "--cache", testwasm.CacheDir(t), "--plugin", plugin, script); !strings.Contains(out, want) {
			t.Errorf("%q: %s", env, out)
		}
	}
	if said := run("cuedeck folder", true, "grants"); strings.Contains(said, "thing") || strings.Count(said, "sha256") != 1 {
		t.Errorf("before anything was granted: %s", said)
	}
	run("it wants http:api, http:mute", false, "grants", "add", plugin, "http:other")
	run("unknown kind", false, "grants", "add", plugin, "camera:front")
	try("it needs http:api, which is not granted")
	run("would send the value of WORLD_KEY, which is no variable of its own (THING_…); a grant that allows this is written http:api,WORLD_KEY", false, "grants", "add", plugin, "http:api")
	run("granted http:api: HTTP requests (any method) to "+url+", which WORLD_URL names, with the value of WORLD_KEY in the header Authorization Bearer", true, "grants", "add", plugin, "http:api,WORLD_KEY")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info, err)
	}
	run("thing http:api: "+url+", with WORLD_URL, WORLD_KEY", true, "grants", "list")
	try("resumed")
	try("which was granted for "+url+", and requests would go to "+other+" now", "WORLD_URL="+other)
	try("which is granted, and WORLD_KEY is not set", "WORLD_KEY=")
	// A module with other bytes is another plugin.
	wasm, _ := os.ReadFile(plugin)
	changed := filepath.Join(t.TempDir(), "world.wasm")
	os.WriteFile(changed, append(wasm, 0, 2, 1, 'x'), 0o600) // a custom section
	before := plugin
	plugin = changed
	try("which was granted to another build of this plugin")
	plugin = before
	// A grants file that others can write is ignored.
	os.Chmod(file, 0o644)
	try("others may open it; run chmod 600 on it")
	os.Chmod(file, 0o600)
	os.WriteFile(file, []byte("{"), 0o600)
	try("it is damaged")
	os.Remove(file)
	run("granted http:api", true, "grants", "add", plugin, "http:api,WORLD_KEY", "http:mute")
	run("revoked thing http:mute", true, "grants", "revoke", "thing", "http:mute")
	try("resumed")
	run("revoked thing http:api", true, "grants", "revoke", plugin)
	run("no such grant", false, "grants", "revoke", plugin)
	try("it needs http:api, which is not granted")
	if saw.all() != 2 || strayed.all() != 0 {
		t.Errorf("the servers saw %q and %q", saw.list, strayed.list)
	}
}

func TestInspectSaysInPlainWordsWhatAPluginWants(t *testing.T) {
	t.Setenv("WORLD_URL", "")
	out, ok := hostRun(t, nil, "inspect", testwasm.World(t))
	for _, want := range []string{
		"wants:     declared by the plugin; none is granted by this",
		"http:api: HTTP requests (any method) to the server that WORLD_URL names, which is not set here, with the value of WORLD_KEY in the header Authorization Bearer; GET and HEAD for queries, too, which a client runs without asking",
		`it says: "It keeps the things of this list."`, "--grant world=http:api, or: fcp-host grants add " + testwasm.World(t) + " http:api\n", "; not for queries",
		"program:ffmpeg: runs of the program ffmpeg, in a cage without a network",
		"everything it knows there, including every document that is opened with it",
	} {
		if !ok || !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if out, _ := hostRun(t, nil, "inspect", wanting(t, "It keeps things.")); !strings.Contains(out, "camera:front: of a kind that this host does not know; it is never granted") || strings.Contains(out, "=camera") {
		t.Errorf("got %s", out)
	}
	if out, _ := hostRun(t, nil, "inspect", testwasm.List(t)); strings.Contains(out, "wants") {
		t.Errorf("a plugin without wants: %s", out)
	}
}

// Grants do not apply to clients on other machines unless the user says so.
func TestGrantsApplyToThisMachineOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr     string
		flag     bool
		withheld bool
	}{{"", false, false}, {"127.0.0.1:0", false, false}, {"unix:/tmp/x", false, false}, {"0.0.0.0:0", false, true}, {"0.0.0.0:0", true, false}, {"[::]:1", false, true}} {
		s := &settings{switches: switches{HTTPGrants: tt.flag}}
		s.web.addr = tt.addr
		if got := s.web.remote() && !s.HTTPGrants; got != tt.withheld {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestAGrantThatNoPluginWantsIsReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want string
		ok   bool
	}{
		{[]string{"--grant", "world=http:other"}, "--grant grants http:other to", true},
		{[]string{"--grant", "world=http:api"}, "fcp-host: world, sha256 ", true},
		{[]string{"--grant", "world"}, "write it as DOMAIN=KIND:NAME", false},
		{[]string{"--grant", "world=camera:front"}, "unknown kind", false},
		{[]string{"--grant", "world=http"}, "write it as http:NAME", false},
		{[]string{"--grant", "wrold=http:api"}, "--grant wrold=http:api: no domain wrold is served", true},
	} {
		script := filepath.Join(t.TempDir(), "s.fcp")
		os.WriteFile(script, []byte(":new W\n"), 0o600)
		out, ok := hostRun(t, nil, append([]string{"exec", "--config", "off", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.World(t), script}, tt.args...)...)
		if ok != tt.ok || !strings.Contains(out, tt.want) {
			t.Errorf("%q: %v %s", tt.args, ok, out)
		}
	}
}

// A built-in domain of folders only has the default grant of its folders, which is listed and revoked like others. A plugin file
// of the same domain does not get it, nor a domain that has files.
func TestABuiltInDomainMayHaveADefaultGrant(t *testing.T) {
	t.Parallel()
	m := testwasm.MinimalManifest()
	m.Domain, m.Extensions, m.Folder, m.Wants = "shelf", nil, &abi.Folder{}, []abi.Want{{Kind: abi.WantFolder, Reason: "It keeps cards."}}
	raw, err := abi.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	b := plugin.Builtin{Module: &sandbox.Module{Sum: [32]byte{1, 2}}, Manifest: raw}
	list := defaultGrantsOf([]plugin.Builtin{b})
	if len(list) != 1 || list[0].Domain != "shelf" || list[0].Want != "folder" || !strings.HasPrefix(list[0].Module, "0102") {
		t.Errorf("shipped are %+v", list)
	}
	withFiles := *m
	withFiles.Extensions = []string{".shelf"}
	if isDefault(&withFiles, "folder") || isDefault(m, "program:shelf") {
		t.Error("granted by default, though it works without")
	}
	d := &domain.Domain{Manifest: m}
	file := broker.NewFile(filepath.Join(t.TempDir(), "grants.json"))
	s := &settings{broker: broker.New(broker.Options{File: file})}
	for path, granted := range map[string]bool{"builtin:shelf": true, "/tmp/shelf.wasm": false} {
		var said strings.Builder
		w := s.worlds(stdio{err: &said})(&plugin.Plugin{Path: path, Domain: d})
		if r := w.Missing(t.Context(), "folder"); (r == nil) != granted || said.Len() > 0 {
			t.Errorf("%s: %v, said %q", path, r, said.String())
		}
	}
	var out strings.Builder
	if err := printGrants(file, list, &out); err != nil || !strings.Contains(out.String(), "shelf folder\n  sha256 0102") || !strings.Contains(out.String(), ", shipped with fcp-host\n") {
		t.Errorf("listed: %v %s", err, out.String())
	}
	if _, err := file.Revoke(func(broker.Entry) bool { return true }, list); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := printGrants(file, list, &out); err != nil || !strings.Contains(out.String(), ", shipped with fcp-host, and revoked\n") {
		t.Errorf("listed: %v %s", err, out.String())
	}
	if r := s.worlds(stdio{})(&plugin.Plugin{Path: "builtin:shelf", Domain: d}).Missing(t.Context(), "folder"); r == nil {
		t.Error("granted, though revoked")
	}
}

// A plugin that wants to read a secret as a setting is not loaded, whatever the variable's name. One that wants a real
// setting is shown with it before it is granted.
func TestAPluginGetsNoSecretsAsSettings(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "never-to-be-told")
	t.Setenv("THING_MODEL", "small")
	pluginWithSettings := func(names ...string) string {
		return wanting(t, "It needs it.", abi.Want{Kind: abi.WantHTTP, Name: "api", Base: "https://api.things.invalid/v1", Reads: true, Settings: names})
	}
	for _, name := range []string{"AWS_SECRET_ACCESS_KEY", "PATH", "THING_API_KEY", "THING_URL"} {
		plugin := pluginWithSettings(name)
		if out, ok := hostRun(t, nil, "inspect", plugin); ok || strings.Contains(out, "never-to-be-told") || !strings.Contains(out, "setting \""+name+"\"") {
			t.Errorf("inspect of one that asks for %s: %s", name, out)
		}
		if out, ok := hostRun(t, nil, "grants", "add", plugin, "http:api"); ok {
			t.Errorf("granted to one that asks for %s: %s", name, out)
		}
	}
	if out, ok := hostRun(t, nil, "inspect", pluginWithSettings("THING_MODEL")); !ok || !strings.Contains(out, "it receives the value of THING_MODEL, if set") {
		t.Errorf("inspect of one that asks for a setting: %s", out)
	}
	// An answer in the client does not grant wants that pass on the value of a variable.
	a, questions := startWithElicitation(t, `{"action":"accept","content":{"grant":true}}`, "--plugin", pluginWithSettings("THING_MODEL"))
	a.session("thing", `new "T"`)
	if got := a.wait(a.send("thing_session", map[string]any{"action": "go"})); !got.failed || !strings.Contains(got.text, "which is not granted") || len(*questions) != 0 {
		t.Errorf("asked %q, answered %s", *questions, got.text)
	}
}
