package command

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// fakeFFmpeg builds a program that stands in for ffmpeg and ffprobe and returns its path.
func fakeFFmpeg(t testing.TB) string {
	t.Helper()
	fakeFFmpegBuilt.Do(func() {
		dir := testwasm.CacheDir(t)
		made := filepath.Join(dir, fmt.Sprintf("tool-%d", os.Getpid()))
		if out, err := exec.Command("go", "build", "-o", made, "./testdata/tool").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := os.Rename(made, filepath.Join(dir, "tool")); err != nil {
			t.Fatal(err)
		}
	})
	return filepath.Join(testwasm.CacheDir(t), "tool")
}

var fakeFFmpegBuilt sync.Once

// programHost is a server whose world plugin runs such programs.
type programHost struct {
	*arena
	cache string
	args  []string
}

// programArgs returns the flags of such a server, with a cache folder of its own. If grants is nil, both programs are
// granted.
func programArgs(t testing.TB, grants []string) (cache string, args []string) {
	t.Helper()
	if err := program.Available(); err != nil {
		t.Skip(err)
	}
	path := fakeFFmpeg(t)
	config := filepath.Join(t.TempDir(), configName)
	if err := os.WriteFile(config, fmt.Appendf(nil, "[programs]\nffmpeg = %q\nffprobe = %q\n", path, path), 0o600); err != nil {
		t.Fatal(err)
	}
	return realArgs(t, config, grants)
}

// realArgs returns the flags for the programs that a configuration names.
func realArgs(t testing.TB, config string, grants []string) (cache string, args []string) {
	t.Helper()
	if grants == nil {
		grants = []string{"program:ffmpeg", "program:ffprobe"}
	}
	cache = filepath.Join(t.TempDir(), "cache")
	linkTree(t, testwasm.CacheDir(t), cache)
	args = []string{"--config", config, "--cache", cache, "--plugin", testwasm.World(t)}
	for _, g := range grants {
		args = append(args, "--grant", "world="+g)
	}
	return cache, args
}

// newProgramHost starts such a server.
func newProgramHost(t testing.TB, grants []string, more ...string) *programHost {
	t.Helper()
	cache, args := programArgs(t, grants)
	return startProgramHost(t, cache, append(args, more...))
}

func startProgramHost(t testing.TB, cache string, args []string) *programHost {
	t.Helper()
	s := &programHost{startArena(t, args...), cache, args}
	s.request("tools/list", map[string]any{}, nil) // waits until the plugin is compiled
	return s
}

// linkTree hard-links a folder's files into another folder, so that compiled modules need not be compiled again.
func linkTree(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == "programs" {
			return nil // other tests use the folder, too
		}
		rel, err := filepath.Rel(from, path)
		if err == nil && e.IsDir() {
			err = os.MkdirAll(filepath.Join(to, rel), 0o700)
		} else if err == nil {
			if err = os.Link(path, filepath.Join(to, rel)); os.IsNotExist(err) {
				err = nil
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runs returns the names of the folders of running programs.
func (s *programHost) runs() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.cache, "programs"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// countFilms counts the processes that render a film of this length.
func countFilms(t testing.TB, length string) (n int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), "out0.mp4") && strings.Contains(string(line), length) {
			n++
		}
	}
	return n
}

func (s *programHost) put(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *programHost) has(name string) string {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// says makes a call and fails the test unless the answer contains all words.
func (s *programHost) says(tool, text string, words ...string) string {
	s.t.Helper()
	a := s.askWorld(tool, text)
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			s.t.Errorf("%s %s lacks %q:\n%s", tool, text, w, a.text)
		}
	}
	return a.text
}

// until repeats a call until its answer contains word: a job in the background may take its time on a busy machine.
func (s *programHost) until(tool, text, word string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		a := s.askWorld(tool, text)
		if strings.Contains(a.text, word) {
			return
		}
		if a.failed || time.Now().After(end) {
			s.t.Fatalf("%s %s lacks %q:\n%s", tool, text, word, a.text)
		}
	}
}

// op runs an op and fails the test unless the answer contains all words.
func (s *programHost) op(op string, words ...string) string {
	s.t.Helper()
	a := s.wait(s.send("world", map[string]any{"ops": []string{op}}))
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			s.t.Errorf("%s lacks %q:\n%s", op, w, a.text)
		}
	}
	return a.text
}

// overHTTP is a client's session over HTTP.
type overHTTP struct {
	t       *testing.T
	url, id string
}

func newOverHTTP(t *testing.T, url string) *overHTTP {
	t.Helper()
	h := &overHTTP{t: t, url: url}
	h.send("POST", hello)
	if h.id == "" {
		t.Fatal("no session")
	}
	return h
}

func (h *overHTTP) send(method, body string) string {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if h.id != "" {
		r.Header.Set("Mcp-Session-Id", h.id)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		h.id = id
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

// says calls a tool whose answer must contain want.
func (h *overHTTP) says(tool, key, text, want string) {
	h.t.Helper()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": map[string]any{key: text}}})
	if err != nil {
		h.t.Fatal(err)
	}
	if got := h.send("POST", string(line)); !strings.Contains(got, want) {
		h.t.Errorf("%s %s lacks %q: %s", tool, text, want, got)
	}
}
