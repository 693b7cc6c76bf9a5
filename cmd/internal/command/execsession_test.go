package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// execute runs exec with arguments and returns its exit code and what it printed.
func execute(ctx context.Context, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = runScript(ctx, args, stdio{strings.NewReader(""), &o, &e})
	return code, o.String(), e.String()
}

func TestExecExitsWithACodeForEachKindOfFailure(t *testing.T) {
	list, cache := testwasm.List(t), testwasm.CacheDir(t)
	t.Chdir(t.TempDir())
	ended, end := context.WithCancel(t.Context())
	end()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		args []string
		want int
	}{
		{"all calls succeeded", t.Context(), []string{"-e", ":new list A", "-e", "add x"}, exitOK},
		{"an op was refused", t.Context(), []string{"-e", ":new list A", "-e", "ad x"}, exitFailed},
		{"an action was refused", t.Context(), []string{"-e", ":open nothing.list"}, exitFailed},
		{"a query was refused", t.Context(), []string{"-e", ":new list A", "-e", "?mop"}, exitFailed},
		{"an unknown flag", t.Context(), []string{"--jason"}, exitUsage},
		{"no such script", t.Context(), []string{"nothing.fcp"}, exitUsage},
		{"two scripts", t.Context(), []string{"-e", "add x", "script.fcp"}, exitUsage},
		{"interrupted", ended, []string{"-e", ":new list A"}, exitHost},
		{"no journal for the session", t.Context(), []string{"--session", "a", "--journal-dir", file, "-e", ":new list A"}, exitHost},
	} {
		code, out, errs := execute(c.ctx, append([]string{"--plugin", list, "--cache", cache}, c.args...)...)
		if code != c.want {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.name, code, c.want, out, errs)
		}
	}
}

func TestTwoRunsOfOneSessionWaitForEachOther(t *testing.T) {
	list, cache, dir := testwasm.List(t), testwasm.CacheDir(t), t.TempDir()
	t.Chdir(t.TempDir())
	other, err := openSession(t.Context(), dir, "draft")
	if err != nil {
		t.Fatal(err)
	}
	// A run that may not wait any longer says who has the session, and changes nothing.
	ended, end := context.WithCancel(t.Context())
	end()
	args := []string{"--plugin", list, "--cache", cache, "--journal-dir", dir, "--session", "Draft", "-e", ":new list A", "-e", "add x", "-e", "?map"}
	if code, out, errs := execute(ended, args...); code != exitHost || out != "" || !strings.Contains(errs, "is using the session Draft: wait until it has ended") {
		t.Errorf("beside another run: exit code %d\n%s%s", code, out, errs)
	}
	// A run that waits goes on when the other one ends, even if that one removed the file.
	done := make(chan string)
	go func() {
		code, out, errs := execute(t.Context(), args...)
		if code != exitOK {
			out += errs
		}
		done <- out
	}()
	if err := os.Remove(other.f.Name()); err != nil {
		t.Fatal(err)
	}
	other.unlock()
	if out := <-done; !strings.HasSuffix(out, "#list A\nx\n") {
		t.Errorf("after the other run: %s", out)
	}
	if _, err := os.Stat(sessionFile(dir, "draft")); err != nil {
		t.Errorf("the session is not kept: %v", err)
	}
}
