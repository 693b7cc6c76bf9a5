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

// poser is the program that poses as ffmpeg and ffprobe.
func poser(t testing.TB) string {
	t.Helper()
	poserBuilt.Do(func() {
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

var poserBuilt sync.Once

// filmed is a server that runs the tool for the world plugin.
type filmed struct {
	*arena
	cache string
	args  []string
}

// filmedArgs are the flags of such a server, with a cache folder of its own. Where grants is nil, both programs are granted.
func filmedArgs(t testing.TB, grants []string) (cache string, args []string) {
	t.Helper()
	if err := program.Available(); err != nil {
		t.Skip(err)
	}
	path := poser(t)
	config := filepath.Join(t.TempDir(), configName)
	if err := os.WriteFile(config, fmt.Appendf(nil, "[programs]\nffmpeg = %q\nffprobe = %q\n", path, path), 0o600); err != nil {
		t.Fatal(err)
	}
	return realArgs(t, config, grants)
}

// realArgs are flags for the programs that a configuration names.
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

// newFilmed starts one.
func newFilmed(t testing.TB, grants []string, more ...string) *filmed {
	t.Helper()
	cache, args := filmedArgs(t, grants)
	return startFilmed(t, cache, append(args, more...))
}

func startFilmed(t testing.TB, cache string, args []string) *filmed {
	t.Helper()
	s := &filmed{enter(t, args...), cache, args}
	s.request("tools/list", map[string]any{}, nil) // which waits until the plugin is compiled
	return s
}

// linkTree gives the files of a folder second names in another: what is compiled need not be compiled again.
func linkTree(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == "programs" {
			return nil // others use the folder as well
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

// runs are the folders of programs.
func (s *filmed) runs() []string {
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

// film counts the processes that make a film of this length.
func film(t testing.TB, length string) (n int) {
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

func (s *filmed) put(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *filmed) has(name string) string {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// says fails the test where an answer lacks one of these words.
func (s *filmed) says(tool, text string, words ...string) string {
	s.t.Helper()
	a := s.asked(tool, text)
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			s.t.Errorf("%s %s lacks %q:\n%s", tool, text, w, a.text)
		}
	}
	return a.text
}

// until asks until an answer holds this: what a job does beside the calls takes its time on a busy machine.
func (s *filmed) until(tool, text, word string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		a := s.asked(tool, text)
		if strings.Contains(a.text, word) {
			return
		}
		if a.failed || time.Now().After(end) {
			s.t.Fatalf("%s %s lacks %q:\n%s", tool, text, word, a.text)
		}
	}
}

// op runs an op.
func (s *filmed) op(op string, words ...string) string {
	s.t.Helper()
	a := s.wait(s.send("world", map[string]any{"ops": []string{op}}))
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			s.t.Errorf("%s lacks %q:\n%s", op, w, a.text)
		}
	}
	return a.text
}

// overHTTP is a session of a server over HTTP.
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

// says calls a tool, whose answer has to hold a text.
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
