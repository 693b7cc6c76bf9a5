package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/rogpeppe/go-internal/testscript"
)

func main() { Main(Program{Name: "fcp-host"}) }

// asBinary makes the test binary behave as fcp-host itself.
const asBinary = "FCP_HOST_TEST_AS_BINARY"

func TestMain(m *testing.M) {
	if os.Getenv(asBinary) != "" {
		os.Args[0] = "fcp-host" // otherwise a built-in domain with a command of the test binary's name is looked up
		if os.Getenv(asProbed) != "" {
			answerProbes()
		}
		if at := os.Getenv(asNamed); at != "" {
			useDNSServer(at)
		}
		main()
	}
	testscript.Main(m, map[string]func(){"fcp-host": main, "wl-copy": fakeClipboard})
}

// TestScripts runs the scripts of testdata/script, which use the command line as a shell would. HOST is a binary with
// built-in domains; the test's own binary may have some or none. make test skips the lines that begin
// with [whole], and what follows a line with [!whole] stop.
func TestScripts(t *testing.T) {
	list := testwasm.List(t)
	names := testwasm.Build(t, "conformance/testdata/names")
	world := testwasm.World(t)
	shelf := testwasm.Shelf(t)
	cuedeck := testwasm.Build(t, "plugins/cuedeck")
	drawio := testwasm.Build(t, "plugins/drawio")
	host := testwasm.Host(t)
	cache := testwasm.CacheDir(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Condition: func(name string) (bool, error) {
			if name != "whole" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return soak.Whole(), nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("LIST", list)
			e.Setenv("NAMES", names)
			e.Setenv("WORLD", world)
			e.Setenv("SHELF", shelf)
			e.Setenv("CUEDECK", cuedeck)
			e.Setenv("DRAWIO", drawio)
			e.Setenv("HOST", host)
			e.Setenv("CACHE", cache)
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
			return nil
		},
	})
}

// client is an MCP client of a real server process, over its pipes.
type client struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int

	stdout io.Closer // the source of out
	told   []string  // methods of received notifications that hear has not returned
}

// serveProcess starts the server in the working directory dir, with a journal of its own unless args name one.
func serveProcess(t testing.TB, dir string, args ...string) *client {
	t.Helper()
	return serveUnder(t, dir, nil, args...)
}

// serveUnder starts the server by a wrapper command, to which the server's command line is appended.
func serveUnder(t testing.TB, dir string, wrapper []string, args ...string) *client {
	t.Helper()
	return connect(t, serverCommand(t, dir, wrapper, args...))
}

// serverCommand is the command of serveUnder.
func serverCommand(t testing.TB, dir string, wrapper []string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(args, "--journal-dir") && !slices.Contains(args, "--no-journal") {
		args = append(args, "--journal-dir", filepath.Join(t.TempDir(), "journal"))
	}
	line := slices.Concat(wrapper, []string{exe, "serve", "--config", "off", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t)}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asBinary+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// serveAnswering starts the server with stderr and the client's capabilities, and returns the result of initialize, too.
func serveAnswering(t testing.TB, dir string, stderr io.Writer, can map[string]any, args ...string) (*client, begun) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{"serve", "--config", "off", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t)}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), asBinary+"=1"), stderr
	return connectAs(t, cmd, can)
}

// begun is the result of initialize.
type begun struct{ Instructions string }

// connect starts a server and returns its client.
func connect(t testing.TB, cmd *exec.Cmd) *client {
	t.Helper()
	c, _ := connectAs(t, cmd, map[string]any{})
	return c
}

// connectAs is connect for a client with these capabilities.
func connectAs(t testing.TB, cmd *exec.Cmd, can map[string]any) (c *client, b begun) {
	t.Helper()
	c = start(t, cmd)
	return c, c.initialize(can)
}

// initialize begins the session of a client with these capabilities.
func (c *client) initialize(can map[string]any) (b begun) {
	c.t.Helper()
	c.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": can, "clientInfo": map[string]any{"name": "test", "version": "1"}}, &b)
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return b
}

// start starts a server, and returns a client that has sent nothing.
func start(t testing.TB, cmd *exec.Cmd) *client {
	t.Helper()
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
	c := &client{t: t, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20), stdout: out}
	t.Cleanup(func() {
		in.Close()
		if c.cmd == nil { // the test has ended the server
			return
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return c
}

// request sends one request and decodes its result into out.
func (c *client) request(method string, params, out any) {
	c.t.Helper()
	c.id++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(data, '\n')); err != nil {
		c.t.Fatal(err)
	}
	for {
		m := c.read(method)
		if m.ID == nil || *m.ID != c.id {
			continue
		}
		if m.Error != nil {
			c.t.Fatalf("%s: %s", method, m.Error)
		}
		if out != nil {
			if err := json.Unmarshal(m.Result, out); err != nil {
				c.t.Fatal(err)
			}
		}
		return
	}
}

// message is a JSON-RPC message of the server.
type message struct {
	ID     *int
	Method string
	Result json.RawMessage
	Error  json.RawMessage
}

// read returns the next message, and records it if it is a notification. waiting is for the error text.
func (c *client) read(waiting string) (m message) {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("%s: the server is gone: %v", waiting, err)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("stdout holds something that is not JSON: %q", line)
	}
	if m.ID == nil {
		c.told = append(c.told, m.Method)
	}
	return m
}

// hear waits for a notification, which may have been received already.
func (c *client) hear(method string) {
	c.t.Helper()
	for {
		if i := slices.Index(c.told, method); i >= 0 {
			c.told = slices.Delete(c.told, i, i+1)
			return
		}
		c.read(method)
	}
}

// call calls a tool and returns its text and whether it failed.
func (c *client) call(tool string, args map[string]any) (text string, failed bool) {
	c.t.Helper()
	text, failed = c.reply(tool, args)
	return conformance.WithoutState(text), failed
}

// reply is call with all that the last line says.
func (c *client) reply(tool string, args map[string]any) (text string, failed bool) {
	c.t.Helper()
	var res struct {
		Content []struct{ Text string }
		IsError bool
	}
	c.request("tools/call", map[string]any{"name": tool, "arguments": args}, &res)
	if len(res.Content) > 0 {
		text = res.Content[0].Text
	}
	return text, res.IsError
}

// must makes a call that must succeed.
func (c *client) must(tool string, args map[string]any) string {
	c.t.Helper()
	text, failed := c.call(tool, args)
	if failed {
		c.t.Fatalf("%s %v: %s", tool, args, text)
	}
	return text
}

func (c *client) session(domain, action string) string {
	c.t.Helper()
	return c.must(domain+"_session", map[string]any{"action": action})
}

func (c *client) edit(domain string, ops ...string) string {
	c.t.Helper()
	return c.must(domain, map[string]any{"ops": ops})
}

// Promise on real files: open and save without an op between yields the same bytes, and so does open, one op, undo, save. A
// file that cannot be opened is refused in one line.
func TestRealFilesSurviveByteForByte(t *testing.T) {
	t.Parallel()
	for _, domain := range []struct{ name, op, ext string }{
		{"midi", "marker Here at:tick:0", ".mid"},
		{"drawio", "add box Here", ".drawio"},
		{"svg", "add circle here r:5", ".svg"},
	} {
		t.Run(domain.name, func(t *testing.T) {
			files := slices.DeleteFunc(testwasm.Data(t, domain.name), func(f string) bool { return filepath.Ext(f) == ".png" })
			files = soak.Some(t, files, max(1, len(files)/4))
			dir := t.TempDir()
			c := serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/"+domain.name))
			opened := 0
			for i, file := range files {
				before, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d-%s", i, filepath.Base(file))
				if err := os.WriteFile(filepath.Join(dir, name), before, 0o644); err != nil {
					t.Fatal(err)
				}
				text, failed := c.call(domain.name+"_session", map[string]any{"action": "open ./" + name})
				if failed {
					if !strings.HasPrefix(text, "! cannot open "+name) || strings.Count(text, "\n") > 3 {
						t.Errorf("%s is refused with %q", name, text)
					}
					continue
				}
				opened++
				c.session(domain.name, "save as:./same"+domain.ext+" force")
				if same, _ := os.ReadFile(filepath.Join(dir, "same"+domain.ext)); string(same) != string(before) {
					t.Errorf("%s: open → save changed the file", name)
				}
				c.edit(domain.name, domain.op)
				c.session(domain.name, "save as:./edited"+domain.ext+" force")
				if edited, _ := os.ReadFile(filepath.Join(dir, "edited"+domain.ext)); string(edited) == string(before) {
					t.Errorf("%s: the op left no trace", name)
				}
				c.session(domain.name, "undo")
				c.session(domain.name, "save as:./undone"+domain.ext+" force")
				if undone, _ := os.ReadFile(filepath.Join(dir, "undone"+domain.ext)); string(undone) != string(before) {
					t.Errorf("%s: open → op → undo → save changed the file", name)
				}
			}
			t.Logf("%d of %d files opened", opened, len(files))
			if opened < len(files)*8/10 {
				t.Errorf("only %d of %d files can be opened", opened, len(files))
			}
		})
	}
}
