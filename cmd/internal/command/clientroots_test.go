package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// speaker is a client that writes each message itself and reads one after the other.
type speaker struct {
	*client
}

// spoken is a message of the server to it.
type spoken struct {
	ID     json.RawMessage
	Method string
	Error  struct {
		Code    int
		Message string
	}
	Result struct {
		ResultType    string
		InputRequests map[string]struct{ Method string }
		RequestState  string
		Content       []struct{ Text string }
		IsError       bool
	}
}

// speakTo starts a server in the working directory dir without sending it anything.
func speakTo(t *testing.T, dir string, stderr *bytes.Buffer, args ...string) speaker {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{"serve", "--config", "off", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t)}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), asBinary+"=1"), stderr
	return speaker{start(t, cmd)}
}

func (s speaker) say(format string, args ...any) {
	s.t.Helper()
	if _, err := fmt.Fprintf(s.in, format+"\n", args...); err != nil {
		s.t.Fatal(err)
	}
}

// hears returns the next message that is no notification.
func (s speaker) hears() (m spoken) {
	s.t.Helper()
	for m.ID == nil {
		m = spoken{}
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			s.t.Fatalf("the server is gone: %v", err)
		}
		if err := json.Unmarshal(line, &m); err != nil {
			s.t.Fatalf("%v: %s", err, line)
		}
	}
	return m
}

// begin initializes a client that has roots.
func (s speaker) begin() {
	s.t.Helper()
	s.say(`{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"test","version":"1"}}}`)
	s.hears()
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// answers answers a request for the roots.
func (s speaker) answers(result string) {
	s.t.Helper()
	m := s.hears()
	if m.Method != "roots/list" {
		s.t.Fatalf("it says %+v, not roots/list", m)
	}
	s.say(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, result)
}

// does runs a session action, and returns its text.
func (s speaker) does(action string) string {
	s.t.Helper()
	s.say(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"list_session","arguments":{"action":%q}}}`, action, action)
	m := s.hears()
	if string(m.ID) != fmt.Sprintf("%q", action) {
		s.t.Fatalf("%s: it says %+v", action, m)
	}
	return m.Result.Content[0].Text
}

func rootsOf(dirs ...string) string {
	var list []string
	for _, dir := range dirs {
		list = append(list, fmt.Sprintf(`{"uri":%q,"name":"x"}`, "file://"+strings.ReplaceAll(dir, " ", "%20")))
	}
	return `"result":{"roots":[` + strings.Join(list, ",") + `]}`
}

// folders makes folders that each have a file NAME.list, and returns their paths.
func folders(t *testing.T, names ...string) (paths []string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, strings.Fields(name)[0]+".list"), []byte("#list "+name+"\none"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, dir)
	}
	return paths
}

func TestTheClientsRootsReplaceTheWorkingDirectory(t *testing.T) {
	dirs := folders(t, "work", "first folder", "second")
	var stderr bytes.Buffer
	s := speakTo(t, dirs[0], &stderr)
	s.begin()
	// A call that arrives before the answer waits for it.
	s.say(`{"jsonrpc":"2.0","id":"early","method":"tools/call","params":{"name":"list_session","arguments":{"action":"open ./first.list"}}}`)
	s.answers(rootsOf(dirs[1]))
	if m := s.hears(); string(m.ID) != `"early"` || !strings.HasPrefix(m.Result.Content[0].Text, `+ opened first.list`) {
		t.Errorf("the early call: %+v", m)
	}
	has(t, s.does("open "+filepath.Join(dirs[0], "work.list")), "is outside the allowed folders ("+dirs[1]+"); open its folder in the client, or start fcp-host with --root DIR")
	has(t, s.does("open "+filepath.Join(dirs[2], "second.list")), "is outside the allowed folders ("+dirs[1]+")")
	s.say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	s.answers(rootsOf(dirs[2], "/no/such/folder"))
	has(t, s.does("open ./second.list"), "opened second.list")
	has(t, s.does(fmt.Sprintf("open %q", filepath.Join(dirs[1], "first.list"))), "is outside the allowed folders ("+dirs[2]+"; the client's root file:///no/such/folder grants nothing: there is no folder /no/such/folder)")
	has(t, s.does("status"), "? the client's root file:///no/such/folder grants nothing")
	s.end()
	has(t, stderr.String(), "the client's root file:///no/such/folder grants nothing")
}

func TestAClientThatCannotListItsRootsIsToldSo(t *testing.T) {
	dirs := folders(t, "work")
	for name, tt := range map[string]struct{ answer, want string }{
		"no roots":       {`"result":{"roots":[]}`, "no folder is allowed, the client has no roots: it has no folder open; open its folder in the client, or start fcp-host with --root DIR"},
		"an error":       {`"error":{"code":-32603,"message":"no\nworkspace"}`, `no folder is allowed, the client cannot say which folders are its roots: no\u000aworkspace; open`},
		"something else": {`"result":{"folders":1}`, "the client cannot say which folders are its roots: its answer is no list of roots"},
		"no such method": {`"error":{"code":-32601,"message":"Method not found"}`, "opened work.list"},
	} {
		var stderr bytes.Buffer
		s := speakTo(t, dirs[0], &stderr)
		s.begin()
		s.answers(tt.answer)
		if got := s.does("open ./work.list"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", name, got)
		}
		s.end()
		if stderr.Len() == 0 {
			t.Errorf("%s: nothing on stderr", name)
		}
	}
}

func TestAClientIsNotAskedForRootsThatDoNotCount(t *testing.T) {
	dirs := folders(t, "work", "given")
	var stderr bytes.Buffer
	for name, args := range map[string][]string{"a root": {"--root", dirs[1]}, "a root that is missing": {"--root", "${workspaceFolder}"}} {
		s := speakTo(t, dirs[0], &stderr, args...)
		s.begin()
		s.say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		for path, opens := range map[string]bool{"work": false, "given": name == "a root"} { // does reads the next message, which would be the question
			if got := s.does("open " + filepath.Join(filepath.Dir(dirs[0]), path, path+".list")); strings.Contains(got, "opened") != opens {
				t.Errorf("%s: open %s answers %s", name, path, got)
			}
		}
		s.end()
	}
	s := speakTo(t, dirs[0], &stderr)
	s.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	s.hears()
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	has(t, s.does("open ./work.list"), "opened work.list")
	s.end()
}

func TestAClientThatNeverAnswersDoesNotKeepTheServer(t *testing.T) {
	dirs := folders(t, "work")
	var stderr bytes.Buffer
	s := speakTo(t, dirs[0], &stderr)
	s.begin()
	s.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"open ./work.list"}}}`)
	for range 1000 {
		if m := s.hears(); string(m.ID) == "1" {
			has(t, m.Result.Content[0].Text, "no folder is allowed, the client is gone")
			break
		}
		s.in.Close() // it has been asked; the call waits
	}
	s.end()
}

// In protocol version 2026-07-28 the question is the answer to a call, which the client repeats.
func TestARequestOfManyRoundTripsAsksForRoots(t *testing.T) {
	dirs := folders(t, "work", "first", "second")
	var stderr bytes.Buffer
	call := func(s speaker, tool, arguments, more string) spoken {
		s.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{%s},%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}`, tool, arguments, more)
		return s.hears()
	}
	asks := func(m spoken) {
		t.Helper()
		if m.Result.ResultType != "input_required" || m.Result.InputRequests["roots"].Method != "roots/list" || m.Result.RequestState != "roots" {
			t.Errorf("it does not ask: %+v", m)
		}
	}
	with := func(dir string) string {
		return `"requestState":"roots","inputResponses":{"roots":{` + strings.TrimSuffix(strings.TrimPrefix(rootsOf(dir), `"result":{`), "}") + `}},`
	}
	says := func(m spoken, want string) {
		t.Helper()
		if m.Result.ResultType == "input_required" || !strings.Contains(m.Result.Content[0].Text, want) {
			t.Errorf("%+v lacks %s", m, want)
		}
	}
	open := func(path string) string { return fmt.Sprintf(`"action":%q`, "open "+path) }

	s := speakTo(t, dirs[0], &stderr)
	asks(call(s, "list_query", `"q":"documents"`, ""))
	says(call(s, "list_query", `"q":"documents"`, with(dirs[1])), "no document open")
	asks(call(s, "list_session", open("./first.list"), ""))
	says(call(s, "list_session", open("./first.list"), with(dirs[1])), "opened first.list")
	says(call(s, "list", `"ops":["add two"],"then":["map"]`, ""), "two")
	asks(call(s, "list", `"ops":["add three"],"then":["save"]`, ""))
	says(call(s, "list", `"ops":["add three"],"then":["save"]`, with(dirs[1])), "saved first.list")
	asks(call(s, "list_session", open("./second.list"), ""))
	says(call(s, "list_session", open("./second.list"), with(dirs[2])), "opened second.list")
	s.end()
	if got, _ := os.ReadFile(filepath.Join(dirs[1], "first.list")); string(got) != "#list first\none\ntwo\nthree" {
		t.Errorf("saved %q", got)
	}

	s = speakTo(t, dirs[0], &stderr) // a client that repeats the call without the answer
	asks(call(s, "list_session", open("./work.list"), ""))
	says(call(s, "list_session", open("./work.list"), `"requestState":"roots",`), "no folder is allowed, the client cannot say which folders are its roots")
	s.end()

	s = speakTo(t, dirs[0], &stderr, "--root", dirs[0])
	says(call(s, "list_session", open("./work.list"), ""), "opened work.list")
	says(call(s, "list_session", open(filepath.Join(dirs[1], "first.list")), with(dirs[1])), "is outside the allowed folders ("+dirs[0]+")")
	s.end()
	has(t, stderr.String(), "the client cannot say which folders are its roots")
}
