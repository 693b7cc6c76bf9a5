package command

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// children returns the child processes of pid. It skips the test if /proc does not list them.
func children(t *testing.T, pid int) []int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		t.Skip("this system does not list the children of a process in /proc")
	}
	var out []int
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		for _, w := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(w); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// gone waits until no process has the pid: the kernel reaps it through its parent or init.
func gone(pid int) bool {
	for range 1_000_000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}

// Each of these ends the server in order while its stdin is still open: it exits with 0, ends its workers, and keeps unsaved
// documents for the next host.
func TestASignalOrAClosedStdoutEndsTheServerInOrder(t *testing.T) {
	signaled := func(s syscall.Signal) func(c *client) {
		return func(c *client) {
			if err := c.cmd.Process.Signal(s); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	for name, end := range map[string]func(c *client){
		"SIGTERM": signaled(syscall.SIGTERM),
		"SIGHUP":  signaled(syscall.SIGHUP),
		"a closed stdout": func(c *client) {
			c.stdout.Close()
			fmt.Fprintln(c.in, `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"list_query","arguments":{"q":"map"}}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("nohup runs these tests, and their servers heed it")
			}
			dir, journal := t.TempDir(), filepath.Join(t.TempDir(), "journal")
			c := serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", journal)
			c.session("list", `new "T"`)
			c.edit("list", "add one")
			workers := children(t, c.cmd.Process.Pid)
			if len(workers) == 0 {
				t.Fatal("no worker runs")
			}
			end(c)
			if err := c.cmd.Wait(); err != nil {
				t.Errorf("the server ended with %v, want exit code 0", err)
			}
			c.cmd = nil
			for _, pid := range workers {
				if !gone(pid) {
					t.Errorf("worker %d lives on", pid)
				}
			}
			again := serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", journal)
			if got := again.session("list", "recover"); !strings.Contains(got, `recovered "T" (list): 1 op to undo`) {
				t.Errorf("recover says %q", got)
			}
		})
	}
}

func TestNohupKeepsTheServerFromEndingWithItsTerminal(t *testing.T) {
	c := serveUnder(t, t.TempDir(), []string{"sh", "-c", `trap '' HUP; exec "$@"`, "sh"}, "--plugin", testwasm.List(t))
	c.session("list", `new "T"`)
	if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	c.edit("list", "add one")
}

// The server finishes the running call after the first signal; a second one ends it at once.
func TestASecondSIGTERMEndsTheServerAtOnce(t *testing.T) {
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.List(t), "--timeout", "30s")
	c.session("list", `new "T"`)
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"list","arguments":{"ops":["spin"]}}}`)
	// The loop that queued the call above answers the ping.
	c.request("ping", nil, nil)
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	for {
		c.cmd.Process.Signal(syscall.SIGTERM) // fails if it has exited
		select {
		case err := <-ended:
			c.cmd = nil
			if err == nil || err.Error() != "signal: terminated" {
				t.Errorf("it waited for the call, and ended with %v", err)
			}
			return
		default:
		}
		// Go's handler of a fatal signal lets further signals in; without a limit they would overflow its stack.
		for range 1000 {
			runtime.Gosched()
		}
	}
}

// A dead client leaves unanswered calls and pipes that nobody reads.
func TestCallsOfADeadClientAreFinished(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(exe, "serve", "--config", "off", "--cache", testwasm.CacheDir(t), "--no-journal", "--limit", "list-wait=1m", "--log-level", "debug", "--plugin", testwasm.List(t))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asBinary+"=1")
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"new \"T\""}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list","arguments":{"ops":["add one"]}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"save as:./t.list"}}}`,
	}, "\n"))
	for _, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		defer w.Close()
		*to = w
	}
	if err := cmd.Run(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "t.list")); string(got) != "#list T\none" {
		t.Errorf("saved %q", got)
	}
}

func TestAKilledServerLeavesNoWorker(t *testing.T) {
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.List(t))
	c.session("list", `new "T"`)
	workers := children(t, c.cmd.Process.Pid)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.cmd.Wait()
	c.cmd = nil
	for _, pid := range workers {
		if !gone(pid) {
			t.Errorf("worker %d lives on", pid)
		}
	}
}

func TestAPluginThatMisbehavesCostsOneCall(t *testing.T) {
	dir := t.TempDir()
	c := serveProcess(t, dir, "--plugin", testwasm.List(t), "--timeout", "1s", "--memory", "64")
	c.session("list", `new "T"`)
	c.edit("list", "add one")
	for _, op := range []string{"panic", "exit", "spin", "hog"} {
		text, failed := c.call("list", map[string]any{"ops": []string{"add lost", op, "add never"}})
		if !failed || !strings.Contains(text, "the list plugin failed") || !strings.Contains(text, "as before this call") || !strings.HasSuffix(text, "[2 lines]") {
			t.Errorf("%s: %q", op, text)
		}
		if got := c.must("list_query", map[string]any{"q": "map"}); got != "#list T\none" {
			t.Errorf("after %s the document is %q", op, got)
		}
	}
	c.edit("list", "add two")
	c.session("list", "undo 2")
	c.session("list", "redo 2")
	c.session("list", "save as:./t.list")
	if got, _ := os.ReadFile(filepath.Join(dir, "t.list")); string(got) != "#list T\none\ntwo" {
		t.Errorf("saved %q", got)
	}
}

func TestAKilledWorkerLosesNothing(t *testing.T) {
	t.Parallel()
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.List(t))
	c.session("list", `new "T"`)
	want := "#list T"
	for i := range 20 {
		c.edit("list", fmt.Sprintf("add %d", i))
		want += fmt.Sprintf("\n%d", i)
		for _, pid := range children(t, c.cmd.Process.Pid) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if got := c.must("list_query", map[string]any{"q": "map"}); got != want {
			t.Fatalf("after killing the worker %d times: %q", i+1, got)
		}
	}
}

func TestAWorkerInitialisesNothingOfTheServer(t *testing.T) {
	cmd := exec.Command(testwasm.Host(t), sandbox.WorkerArg)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Run(); err != nil {
		t.Fatal(err, told.String())
	}
	if !strings.Contains(told.String(), "\ninit github.com/tetratelabs/wazero/internal/wasm @") {
		t.Errorf("it did not tell of its packages:\n%s", told.String())
	}
	for _, pkg := range []string{"github.com/santhosh-tekuri/jsonschema/v6", "net/http", "github.com/fcp-host/fcp-host/host/domain"} {
		if strings.Contains(told.String(), "\ninit "+pkg+" @") {
			t.Errorf("it initialised %s", pkg)
		}
	}
}
