package command

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestFilesAreShownToAPerson(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a b.list", "#list Shopping\nbread")
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "more/a b.list", "#list Other\nx")
	ctx, interrupt := context.WithCancel(t.Context())
	out, print := io.Pipe()
	ended := make(chan int)
	flags := []string{"view", "--config", "off", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t), "--limit", "list-wait=1m"}
	go func() {
		ended <- run(ctx, append(flags, filepath.Join(dir, "a b.list"), filepath.Join(dir, "more", "a b.list")), stdio{strings.NewReader(""), print, io.Discard})
		print.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/`).FindString(line)
	if err != nil || !strings.HasPrefix(line, "shown at ") || address == "" {
		t.Fatalf("it says %q, %v", line, err)
	}
	ask := func(request string) string {
		t.Helper()
		res, err := http.Post(address+"api", "application/json", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	has(t, ask(`{"do":"state"}`), `"name":"a b.list"`, `"name":"a b.list (2)"`, `"follow":1`)
	has(t, ask(`{"do":"show","domain":"list","name":"a b.list"}`), "bread", `"calls":[]`)
	interrupt()
	if code := <-ended; code != exitOK {
		t.Errorf("it exits with %d", code)
	}
	for _, c := range []struct {
		file string
		code int
		want string
	}{{"", exitUsage, "fcp-host view FILE…"}, {filepath.Join(dir, "none.list"), exitFailed, "none.list"}} {
		var said strings.Builder
		args := flags
		if c.file != "" {
			args = append(args, c.file)
		}
		if code := run(t.Context(), args, stdio{strings.NewReader(""), io.Discard, &said}); code != c.code || !strings.Contains(said.String(), c.want) {
			t.Errorf("view %s exits with %d: %s", c.file, code, &said)
		}
	}
}
