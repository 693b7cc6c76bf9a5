package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestUnreadLogLinesAreDroppedAndCounted(t *testing.T) {
	r, w := io.Pipe()
	u := newUnblocked(w)
	line := strings.Repeat("x", 999) + "\n"
	for range 1000 { // about 260 fit into the pipe
		if n, err := u.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	read := make(chan string)
	go func() {
		data, _ := io.ReadAll(r)
		read <- string(data)
	}()
	u.close(time.Minute)
	w.Close()
	got := <-read
	kept := strings.Count(got, line)
	dropped := regexp.MustCompile(`(?m)^fcp-host: (\d+) lines dropped`).FindStringSubmatch(got)
	if kept != maxUnwritten/len(line) || dropped == nil || dropped[1] != strconv.Itoa(1000-kept) {
		t.Errorf("%d lines are kept, and %q says of the others", kept, dropped)
	}
	if _, err := u.Write([]byte("more")); err == nil {
		t.Error("it takes more after it was closed")
	}
}

func TestTheEndDoesNotWaitForAReader(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	u := newUnblocked(w)
	fmt.Fprintln(u, "never read")
	u.close(time.Millisecond)
}

func TestLogLinesAreWrittenInOrder(t *testing.T) {
	var b bytes.Buffer
	u := newUnblocked(&b)
	want := ""
	for i := range 100 {
		fmt.Fprintln(u, i)
		want += fmt.Sprintln(i)
	}
	u.close(time.Minute)
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

func TestALogThatNobodyReadsHoldsUpNoCall(t *testing.T) {
	plugin := evil{code: map[string][]byte{abi.ExportApply: asm.Join(write(2, "a line of the guest's, as long as many are\n", 100_000), asm.I32(7))}}.file(t)
	fifo := filepath.Join(t.TempDir(), "stderr")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	unread, err := os.OpenFile(fifo, os.O_RDWR, 0) // the pipe has a reader that does not read
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	c := serveUnder(t, t.TempDir(), []string{"sh", "-c", `exec "$@" 2>` + fifo, "sh"}, "--plugin", testwasm.List(t), "--plugin", plugin,
		"--log-level", "debug", "--limit", "log-rate=100000")
	c.session("list", `new "Honest"`)
	c.session("evil", `new "E"`)
	for range 2 {
		if text, failed := c.call("evil", map[string]any{"ops": []string{"do it"}}); !failed || !strings.Contains(text, "code 7") {
			t.Errorf("the call that logs says %q", text)
		}
		c.edit("list", "add one")
	}
	if n, err := unix.IoctlGetInt(int(unread.Fd()), unix.TIOCINQ); err != nil || n < 32<<10 {
		t.Errorf("%d bytes wait to be read (%v), so nothing was held up", n, err)
	}
}
