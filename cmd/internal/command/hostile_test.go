package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// asProbed makes the test binary, as fcp-host, answer questions about itself:
// it reads a byte from descriptor 3 and writes its figures to descriptor 4.
const asProbed = "FCP_HOST_TEST_PROBED"

func answerProbes() {
	ask, tell := os.NewFile(3, "ask"), os.NewFile(4, "tell")
	go func() {
		var b [1]byte
		for {
			if _, err := ask.Read(b[:]); err != nil {
				return
			}
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			files, _ := os.ReadDir("/proc/self/fd")
			fmt.Fprintf(tell, "%d %d %d\n", runtime.NumGoroutine(), m.HeapInuse, len(files))
		}
	}()
}

// skipMostCases skips most cases of a table in which each case starts a server of its own, unless all are asked for. With
// the race detector it skips more, because a server then starts ten times as slowly.
func skipMostCases(t *testing.T, i int) {
	switch {
	case testwasm.Raced && i%16 != 0:
		t.Skip("only each sixteenth case runs with the race detector")
	case !soak.Whole() && i%8 != 0:
		t.Skip("only each eighth case runs in make test, all of them in make judge")
	}
}

// skipUnderRace skips a test in a build with the race detector.
func skipUnderRace(t *testing.T) {
	if testwasm.Raced {
		t.Skip("not with the race detector")
	}
}

// figures are counts and sizes that must not grow.
type figures struct{ goroutines, heap, files, processes int }

// within reports whether f does not exceed g, apart from a few MiB of heap that were not collected yet.
func (f figures) within(g figures) bool {
	return f.goroutines <= g.goroutines && f.files <= g.files && f.processes <= g.processes && f.heap <= g.heap+8<<20
}

// arena is a server in which an honest document is edited while something hostile happens.
type arena struct {
	*client
	dir       string
	stderr    *bytes.Buffer
	ask, told *os.File
	figures   *bufio.Reader
	lines     []string // lines of the honest document
	got       map[int]answer
}

type answer struct {
	text   string
	raw    []byte
	failed bool
}

// startArena starts a server with an honest plugin and the given arguments.
func startArena(t testing.TB, args ...string) *arena {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &arena{client: &client{t: t}, dir: t.TempDir(), stderr: &bytes.Buffer{}, got: map[int]answer{}}
	childAsk, ask := pipe(t)
	told, childTold := pipe(t)
	a.ask, a.told, a.figures = ask, told, bufio.NewReader(told)
	cmd := exec.Command(exe, append([]string{"serve", "--config", "off", "--journal-dir", a.dir + "-journal", "--cache", testwasm.CacheDir(t), "--memory", "64", "--limit", "list-wait=1m", "--plugin", testwasm.List(t)}, args...)...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), asBinary+"=1", asProbed+"=1")
	cmd.Stderr = a.stderr
	cmd.ExtraFiles = []*os.File{childAsk, childTold}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	childAsk.Close()
	childTold.Close()
	a.cmd, a.in, a.stdout, a.out = cmd, in, out, bufio.NewReaderSize(out, 1<<20)
	t.Cleanup(func() {
		if said := a.stop(); t.Failed() {
			t.Logf("stderr of the server: %.2000s", said)
		}
	})
	a.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}}, nil)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	a.session("list", `new "Honest"`)
	a.lines = []string{"#list Honest"}
	return a
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// stop ends the server, which must exit without an error, and returns its stderr.
func (a *arena) stop() string {
	if a.cmd != nil {
		a.in.Close()
		if err := a.cmd.Wait(); err != nil {
			a.t.Errorf("the server ended with %v\n%s", err, a.stderr)
		}
		a.cmd = nil
	}
	return a.stderr.String()
}

// send sends a call, does not wait for its answer, and returns its id.
func (a *arena) send(tool string, args map[string]any) int {
	a.t.Helper()
	a.id++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.in.Write(append(data, '\n')); err != nil {
		a.t.Fatal(err)
	}
	return a.id
}

// receive reads one answer and returns the id of its call.
func (a *arena) receive() int {
	a.t.Helper()
	for {
		line, err := a.out.ReadBytes('\n')
		if err != nil {
			a.t.Fatalf("the server is gone: %v\n%s", err, a.stderr)
		}
		var m struct {
			ID     *int
			Result struct {
				Content []struct{ Text string }
				IsError bool
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			a.t.Fatalf("stdout holds something that is not JSON: %.300q", line)
		}
		if m.ID == nil {
			continue
		}
		if m.Error != nil {
			a.t.Fatalf("call %d: %s", *m.ID, m.Error)
		}
		got := answer{raw: line, failed: m.Result.IsError}
		if len(m.Result.Content) > 0 {
			got.text = m.Result.Content[0].Text
		}
		a.got[*m.ID] = got
		return *m.ID
	}
}

func (a *arena) wait(id int) answer {
	a.t.Helper()
	for {
		if got, ok := a.got[id]; ok {
			delete(a.got, id)
			got.text = conformance.WithoutState(got.text)
			return got
		}
		a.receive()
	}
}

// must makes a call that must succeed and returns its text. Unlike client.must, it keeps the answers of other calls.
func (a *arena) must(tool string, args map[string]any) string {
	a.t.Helper()
	got := a.wait(a.send(tool, args))
	if got.failed {
		a.t.Fatalf("%s %v: %s", tool, args, got.text)
	}
	return got.text
}

func (a *arena) session(domain, action string) string {
	a.t.Helper()
	return a.must(domain+"_session", map[string]any{"action": action})
}

// editHonest adds a line to the honest document.
func (a *arena) editHonest() {
	a.t.Helper()
	text := fmt.Sprintf("line%d", len(a.lines))
	got := a.wait(a.send("list", map[string]any{"ops": []string{"add " + text}}))
	if got.failed || !strings.HasPrefix(got.text, "+ "+text) {
		a.t.Fatalf("the honest document: %s", got.text)
	}
	a.lines = append(a.lines, text)
}

// attack makes a hostile call and edits the honest document, at least once, until the call is answered or there were enough
// edits. meanwhile counts the edits that were answered before the call.
func (a *arena) attack(tool string, args map[string]any) (got answer, meanwhile int) {
	a.t.Helper()
	const enough = 10
	id := a.send(tool, args)
	for a.editHonest(); ; a.editHonest() {
		if _, done := a.got[id]; done || meanwhile == enough {
			break
		}
		meanwhile++
	}
	got = a.wait(id)
	if line := forgery.FindString(got.text); line != "" {
		a.t.Errorf("%s says %q as the host would: %.300q", tool, line, got.text)
	}
	if n := len(a.lines) - 1; n >= 50 { // a small document keeps the edits fast
		a.session("list", fmt.Sprintf("undo %d", n-1))
		a.lines = a.lines[:2]
	}
	return got, meanwhile
}

// probe reads the server's figures.
func (a *arena) probe() figures {
	a.t.Helper()
	if _, err := a.ask.Write([]byte{1}); err != nil {
		a.t.Fatal(err)
	}
	var f figures
	if _, err := fmt.Fscanln(a.figures, &f.goroutines, &f.heap, &f.files); err != nil {
		a.t.Fatal(err)
	}
	f.processes = len(processesBelow(a.cmd.Process.Pid))
	return f
}

func processesBelow(pid int) []string {
	var out []string
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		out = append(out, strings.Fields(string(data))...)
	}
	return out
}

// waitUntilWithin reads the figures until they are within before: background work may end late on a busy machine.
func (a *arena) waitUntilWithin(before figures) {
	a.t.Helper()
	var now figures
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); {
		if now = a.probe(); now.within(before) {
			return
		}
	}
	a.t.Errorf("before %+v, after %+v", before, now)
}

// mostMemory is the limit in MiB of the host's memory during an attack. It exceeds every answer that the host must read
// before it can refuse it.
const mostMemory = 768

// checkUnharmed checks the state after an attack: the honest document has its lines when it is queried, saved, undone and redone;
// the host's memory stayed within its limit; and its folder contains only files that were saved.
func (a *arena) checkUnharmed() {
	a.t.Helper()
	if peak := peakMemory(a.cmd.Process.Pid); peak > mostMemory && !testwasm.Raced {
		a.t.Errorf("the host took %d MiB", peak)
	}
	defer func() {
		entries, err := os.ReadDir(a.dir)
		if err != nil {
			a.t.Error(err)
		}
		for _, e := range entries {
			if !slices.Contains([]string{".evil", ".raw", ".list"}, filepath.Ext(e.Name())) {
				a.t.Errorf("there is a file %q", e.Name())
			}
		}
	}()
	want := strings.Join(a.lines, "\n")
	if got := a.must("list_query", map[string]any{"q": "map"}); got != want {
		a.t.Errorf("the honest document is %q, want %q", got, want)
	}
	a.session("list", "save as:./honest.list")
	if got, _ := os.ReadFile(filepath.Join(a.dir, "honest.list")); string(got) != want {
		a.t.Errorf("the honest file is %q, want %q", got, want)
	}
	if n := len(a.lines) - 1; n > 0 {
		a.session("list", fmt.Sprintf("undo %d", n))
		if got := a.must("list_query", map[string]any{"q": "map"}); got != a.lines[0] {
			a.t.Errorf("the honest document undone is %q", got)
		}
		a.session("list", fmt.Sprintf("redo %d", n))
		if got := a.must("list_query", map[string]any{"q": "map"}); got != want {
			a.t.Errorf("the honest document redone is %q, want %q", got, want)
		}
	}
}

// peakMemory returns the peak memory of a process in MiB, 0 if it is unknown.
func peakMemory(pid int) (most int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(peak, &most)
	return most >> 10
}

// forgery matches lines about the honest document that a hostile plugin tries to make the host say.
var forgery = regexp.MustCompile(`(?m)^(?:[-+~*@?!] list:| {0,3}try: list)`)

// checkPrintable checks text that a hostile plugin made the host write: no control characters, no characters that hide text,
// no excessive length.
func checkPrintable(t testing.TB, text string) {
	t.Helper()
	if len(text) > 1<<20 {
		t.Errorf("%d bytes of text", len(text))
	}
	for line := range strings.Lines(text) {
		if len(line) > 100<<10 {
			t.Errorf("a line of %d bytes: %.100q", len(line), line)
		}
	}
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\ufe0f') {
			t.Errorf("the text holds %q: %.200q", r, text)
			return
		}
	}
}
