package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestPipelinedCallsGiveTheBytesOfSequentialOnes(t *testing.T) {
	dir := t.TempDir()
	lines := []string{initialize, action(1, `new "Pipe"`)}
	want := "#list Pipe"
	for i := range 200 {
		lines = append(lines, edit(10+i, fmt.Sprintf("add %d", i)))
		want += fmt.Sprintf("\n%d", i)
	}
	lines = append(lines, action(2, "save as:./p.list"))
	all := talk(t, start(t, dir, false), lines...)
	if got, _ := os.ReadFile(filepath.Join(dir, "p.list")); string(got) != want {
		t.Errorf("saved %d bytes, want %d: the calls ran out of order", len(got), len(want))
	}
	if len(all) < 203 {
		t.Errorf("%d answers, want every queued call answered at the end of input", len(all))
	}
}

func TestAnInvalidMessageIsAnsweredAndTheServerContinues(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, `not json`, `[]`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"no/such"}`, call(3, "no_tool", nil), `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	errors := 0
	for _, m := range all {
		if m.Error != nil {
			errors++
		}
		if string(m.ID) == "4" && m.Error != nil {
			t.Error("ping failed after garbage")
		}
	}
	if errors != 5 {
		t.Errorf("%d protocol errors, want 5: %v", errors, all)
	}
}

func TestACancelledQueuedCallDoesNotRun(t *testing.T) {
	lines := []string{initialize, action(1, `new "C"`)}
	for i := range 50 {
		lines = append(lines, edit(100+i, "add x n:1000"))
	}
	lines = append(lines, edit(2, "add cancelled"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, ask(3, "history 100"))
	all := talk(t, start(t, t.TempDir(), false), lines...)
	if strings.Contains(answer(t, all, 3).text(), "cancelled") {
		t.Error("the cancelled call left an op")
	}
}

// pipe returns a system pipe like a client's: written data waits in it for a reader.
func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestADoneContextEndsTheServerCleanly(t *testing.T) {
	s := start(t, t.TempDir(), false)
	ctx, cancel := context.WithCancel(t.Context())
	pr, _ := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(ctx, pr, io.Discard) }()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestUnracedAnOverlongLineIsRefusedAndTheNextOneServed(t *testing.T) {
	testwasm.Unraced(t)
	var lines []string
	long := 0
	in := io.MultiReader(strings.NewReader("one\n"), io.LimitReader(zeros{}, maxLine+5), strings.NewReader("\ntwo"))
	r := newLineReader(in, func() { long++ })
	for {
		line, err := r.next()
		if line != nil {
			lines = append(lines, string(line))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if long != 1 || !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("%d long lines, %q", long, lines)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// stuck is a client that signals each message on entered, and reads it once it
// receives from read.
type stuck struct {
	entered, read chan struct{}
	got           bytes.Buffer
}

func (s *stuck) Write(b []byte) (int, error) {
	s.entered <- struct{}{}
	<-s.read
	return s.got.Write(b)
}

func TestAnAnswerIsCompletedBeforeTheServerEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, inW := io.Pipe()
	defer inW.Close()
	out := &stuck{entered: make(chan struct{}), read: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- start(t, t.TempDir(), false).ServeStdio(ctx, in, out) }()
	fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	<-out.entered
	cancel()
	select {
	case <-done:
		close(out.read)
		t.Fatal("it ended in the middle of an answer")
	case <-time.After(50 * time.Millisecond): // long enough to notice a server that does not wait
	}
	close(out.read)
	if err := <-done; err != nil || !strings.Contains(out.got.String(), `"id":1`) {
		t.Errorf("%v, answered %q", err, out.got.String())
	}
}
