package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// unknown is the text of a reply about a request whose answer was lost.
const unknown = "whether it took effect is not known"

// held is a server that signals each request and answers it when it is released, or never.
type held struct {
	url      string
	saw      *seen
	came     chan struct{} // receives a value for each request
	let      chan struct{} // a value releases one request
	giveItUp context.CancelFunc
}

func holding(t testing.TB) *held {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h := &held{came: make(chan struct{}, 1000), let: make(chan struct{}), giveItUp: cancel}
	h.url, h.saw = serveRecorded(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
		h.came <- struct{}{}
		select {
		case <-h.let:
		case <-r.Context().Done():
		case <-ctx.Done():
		}
	})
	t.Cleanup(cancel) // runs before the server waits for its requests
	return h
}

// asking writes a plugin that does only what acts say.
func asking(t testing.TB, acts map[string]testwasm.Act) string {
	t.Helper()
	m := testwasm.MinimalManifest()
	m.Session = []abi.Session{{Name: "go", Syntax: "go", Wants: []string{"http:api"}}}
	m.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "api", Reason: "It needs it.", Base: "${WORLD_URL}", Reads: true}}
	all := testwasm.Minimal()
	all[abi.ExportManifest] = testwasm.Answers(m)
	for name, act := range acts {
		all[name] = act
	}
	return wasmFile(t, testwasm.Scripted(all))
}

func post(path string) testwasm.Act {
	return testwasm.Asks(abi.Request{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: "POST", Path: []string{path}, Body: []byte("x")}})
}

// startGranted starts a server with such a plugin and a grant for it.
func startGranted(t testing.TB, url, plugin string, args ...string) *arena {
	t.Helper()
	args = append([]string{"--plugin", plugin, "--grant", "thing=http:api"}, args...)
	a := startArena(t, append(worldConfig(t, url, worldKey, ""), args...)...)
	a.session("thing", `new "A"`)
	return a
}

func (a *arena) killWorkers() {
	a.t.Helper()
	for _, pid := range children(a.t.(*testing.T), a.cmd.Process.Pid) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// A call's request is sent once or never, however the call ends.
func TestRequestsOfACallAreNeverSentTwice(t *testing.T) {
	t.Parallel()
	t.Run("the worker is killed while it waits", func(t *testing.T) {
		t.Parallel()
		h := holding(t)
		a := startArena(t, worldConfig(t, h.url, worldKey, `grant = ["http:api"]`)...)
		a.session("world", `new "W"`)
		id := a.send("world_session", map[string]any{"action": "push things body:x"})
		<-h.came
		a.killWorkers()
		if got := a.wait(id); !got.failed || !strings.Contains(got.text, "the worker of the plugin ended while fcp_session waited") || !strings.Contains(got.text, unknown) {
			t.Errorf("got %s", got.text)
		}
		go func() { h.let <- struct{}{} }()
		if got := a.askWorld("world_session", "push more"); got.failed {
			t.Errorf("got %s", got.text)
		}
		if h.saw.count("POST /things") != 1 || h.saw.all() != 2 {
			t.Errorf("it saw %q", h.saw.list)
		}
		a.checkUnharmed()
	})
	t.Run("the worker is dead before the call", func(t *testing.T) {
		t.Parallel()
		h := holding(t)
		a := startArena(t, worldConfig(t, h.url, worldKey, `grant = ["http:api"]`)...)
		a.session("world", `new "W"`)
		a.killWorkers()
		go func() { h.let <- struct{}{} }()
		if got := a.askWorld("world_session", "push things"); got.failed {
			t.Errorf("got %s", got.text)
		}
		if h.saw.count("POST /things") != 1 || h.saw.all() != 1 {
			t.Errorf("it saw %q", h.saw.list)
		}
	})
	t.Run("the client cancels", func(t *testing.T) {
		t.Parallel()
		h := holding(t)
		a := startArena(t, worldConfig(t, h.url, worldKey, `grant = ["http:api"]`)...)
		a.session("world", `new "W"`)
		id := a.send("world_session", map[string]any{"action": "push things"})
		<-h.came
		fmt.Fprintf(a.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id)
		if got := a.wait(id); !got.failed || !strings.Contains(got.text, "was cancelled while it waited") || !strings.Contains(got.text, unknown) {
			t.Errorf("got %s", got.text)
		}
		go func() { h.let <- struct{}{} }()
		if got := a.askWorld("world_session", "push more"); got.failed {
			t.Errorf("got %s", got.text)
		}
		if h.saw.count("POST /things") != 1 || h.saw.all() != 2 {
			t.Errorf("it saw %q", h.saw.list)
		}
	})
	t.Run("the server takes too long", func(t *testing.T) {
		t.Parallel()
		h := holding(t)
		a := startArena(t, append(worldConfig(t, h.url, worldKey, `grant = ["http:api"]`), "--request-timeout", "3s")...)
		a.session("world", `new "W"`)
		if got := a.askWorld("world_session", "push things"); !got.failed || !strings.Contains(got.text, "did not answer within the time of the call") || !strings.Contains(got.text, unknown) {
			t.Errorf("got %s", got.text)
		}
		if h.saw.count("POST /things") != 1 || h.saw.all() != 1 {
			t.Errorf("it saw %q", h.saw.list)
		}
	})
	t.Run("the server breaks the connection", func(t *testing.T) {
		t.Parallel()
		url, saw := serveRecorded(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
		a := startArena(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
		a.session("world", `new "W"`)
		for i := range 3 { // also over reused connections
			if got := a.askWorld("world_session", fmt.Sprintf("push %d", i)); !got.failed || !strings.Contains(got.text, unknown) {
				t.Errorf("got %s", got.text)
			}
			if n := saw.count(fmt.Sprintf("POST /%d", i)); n != 1 {
				t.Errorf("it saw %d of them", n)
			}
		}
	})
	for name, act := range map[string]testwasm.Act{"traps": testwasm.Traps(), "does not end": testwasm.Loops(), "answers junk": testwasm.Says([]byte{0xc1}),
		"asks without an end": post("things")} {
		t.Run("the guest "+name+" when it is answered", func(t *testing.T) {
			t.Parallel()
			url, saw := serveRecorded(t, echoRequest)
			var limit []string
			if name == "does not end" {
				limit = []string{"--timeout", "500ms"}
			}
			a := startGranted(t, url, asking(t, map[string]testwasm.Act{abi.ExportSession: post("first"), abi.ExportResume: act}), limit...)
			got := a.wait(a.send("thing_session", map[string]any{"action": "go"}))
			if !got.failed || !strings.Contains(got.text, unknown) {
				t.Errorf("got %s", got.text)
			}
			if n := saw.count("POST /first"); n != 1 {
				t.Errorf("it saw the first %d times", n)
			}
			if n := saw.all(); name == "asks without an end" && n != abi.MaxAsked || name != "asks without an end" && n != 1 {
				t.Errorf("it saw %d requests", n)
			}
			if got := a.must("thing", map[string]any{"ops": []string{"add"}}); !strings.Contains(got, "done") {
				t.Errorf("afterwards: %s", got)
			}
			a.checkUnharmed()
		})
	}
	t.Run("a late call of another document ends all that wait", func(t *testing.T) {
		t.Parallel()
		h := holding(t)
		a := startGranted(t, h.url, asking(t, map[string]testwasm.Act{abi.ExportSession: post("things"), abi.ExportQuery: testwasm.Loops(),
			abi.ExportResume: testwasm.Answers(&abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Unchanged}}})}), "--timeout", "1s")
		var ids []int
		for i := range 3 {
			a.session("thing", fmt.Sprintf("new \"Doc%d\"", i))
			a.must("thing", map[string]any{"ops": []string{"add"}}) // otherwise the next one takes its instance
			ids = append(ids, a.send("thing_session", map[string]any{"action": "go", "document": fmt.Sprintf("Doc%d", i)}))
			<-h.came
		}
		a.session("thing", `new "Late"`)
		if got := a.wait(a.send("thing_query", map[string]any{"q": "map"})); !got.failed {
			t.Fatalf("got %s", got.text)
		}
		for _, id := range ids {
			if got := a.wait(id); !got.failed || !strings.Contains(got.text, "the worker of the plugin ended while fcp_session waited, with another call or from outside") || !strings.Contains(got.text, unknown) {
				t.Errorf("got %s", got.text)
			}
		}
		if n := h.saw.all(); n != 3 {
			t.Errorf("it saw %d requests", n)
		}
	})
	t.Run("the host gets a signal to end", func(t *testing.T) {
		t.Parallel()
		h := holding(t)
		a := startArena(t, worldConfig(t, h.url, worldKey, `grant = ["http:api"]`)...)
		a.session("world", `new "W"`)
		id := a.send("world_session", map[string]any{"action": "push things"})
		<-h.came
		if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if got := a.wait(id); !got.failed || !strings.Contains(got.text, unknown) {
			t.Errorf("got %s", got.text)
		}
		a.stop()
		if n := h.saw.all(); n != 1 {
			t.Errorf("it saw %d requests", n)
		}
	})
}

// When the host tries out a suggestion, it sends no request.
func TestASuggestionThatIsTriedOutSendsNoRequest(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, echoRequest)
	a := startArena(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
	a.session("world", `new "W"`)
	for _, q := range []string{"send GET a endpoint:other", "send get GET a endpoint:other", "gett a", "get @nothing a"} {
		a.askWorld("world_query", q)
	}
	for _, action := range []string{"do-send POST a endpoint:other", "pushh a", "push"} {
		a.askWorld("world_session", action)
	}
	a.wait(a.send("world", map[string]any{"ops": []string{"get a", "push a"}}))
	if n := saw.count("POST /"); saw.all() != n || n > 1 { // push without an argument sends a request itself
		t.Errorf("the server saw %q", saw.list)
	}
}

// exec waits for the requests of a script, and ends on a signal.
func TestAScriptIsEndedWhileItWaits(t *testing.T) {
	t.Parallel()
	h := holding(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "s.fcp")
	if err := os.WriteFile(script, []byte(":new W\n:push things\n?map\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append(append([]string{"exec"}, worldConfig(t, h.url, worldKey, `grant = ["http:api"]`)...), "--cache", testwasm.CacheDir(t), script)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asBinary+"=1")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-h.came
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), unknown) || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("it ended with %v\n%s", err, out.String())
	}
	if n := h.saw.all(); n != 1 {
		t.Errorf("it saw %d requests", n)
	}
}
