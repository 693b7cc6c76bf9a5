package command

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The test holds both pipes open, as another process of a client may.
func TestTheServerEndsWithTheProcessThatStartedIt(t *testing.T) {
	dir, journal := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	c := serveUnder(t, dir, []string{"sh", "-c", `"$@"; exit $?`, "sh"}, "--plugin", testwasm.List(t), "--journal-dir", journal)
	c.session("list", `new "T"`)
	// This call is taken, and not answered, when the parent ends: the loop that took it answers the ping.
	ops := strings.TrimSuffix(strings.Repeat(`"add x",`, 500), ",")
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"list","arguments":{"ops":[%s]}}}`+"\n", ops)
	c.request("ping", nil, nil)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	answers, err := io.ReadAll(c.out) // until the server has ended
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answers), `"id":900`) {
		t.Logf("the answer came before the ping's: %q", answers)
	}
	_ = c.cmd.Wait() // it was killed
	c.cmd = nil
	again := serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", journal)
	if got := again.session("list", "recover"); !strings.Contains(got, `recovered "T" (list): 500 ops to undo`) {
		t.Errorf("recover says %q", got)
	}
}

// The shell ends at once. Its child waits until it has lost its parent, and then becomes the server.
func TestAServerThatHadNoParentGoesOn(t *testing.T) {
	lose := `exec 3<&0; (while kill -0 $$ 2>/dev/null; do :; done; exec "$@" <&3) & exit 0`
	cmd := serverCommand(t, t.TempDir(), []string{"sh", "-c", lose, "sh"}, "--plugin", testwasm.List(t))
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
	if _, err := cmd.Process.Wait(); err != nil { // unlike cmd.Wait, it leaves the pipes open
		t.Fatal(err)
	}
	c := &client{t: t, in: in, out: bufio.NewReader(out)}
	c.initialize(map[string]any{})
	c.session("list", `new "T"`)
	c.edit("list", "add one")
	if got := c.must("list_query", map[string]any{"q": "map"}); got != "#list T\none" {
		t.Errorf("the document is %q", got)
	}
	in.Close()
	if rest, err := io.ReadAll(c.out); err != nil {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}
