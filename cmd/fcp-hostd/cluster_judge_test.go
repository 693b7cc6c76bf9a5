//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/soak"
)

// writer edits one document through the proxy, and records the answers.
type writer struct {
	to      endpoint
	doc     string
	acked   []string
	tried   int
	doubts  int
	longest time.Duration // from one acknowledged op to the next

	saves int // it saves after so many acknowledged ops; 0 for never
	saved int // acknowledged ops in the last acknowledged save
}

func (w *writer) open(ctx context.Context) error {
	for {
		text, failed, err := call(ctx, w.to, "list_session", map[string]any{"action": `new "T"`})
		if w.doc = handle(text); err == nil && !failed && w.doc != "" {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("new: %q %w", text, err)
		}
	}
}

// write adds lines until n are acknowledged.
func (w *writer) write(ctx context.Context, n int, done *atomic.Int64) error {
	last := time.Now()
	for len(w.acked) < n {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.tried++
		line := fmt.Sprint("op", w.tried)
		text, failed, err := call(ctx, w.to, "list", map[string]any{"ops": []string{"add " + line}, "document": w.doc})
		switch {
		case err != nil:
			w.doubts++
			time.Sleep(20 * time.Millisecond)
		case failed && !strings.Contains(text, "nothing was changed") && !strings.Contains(text, "store does not answer"):
			return fmt.Errorf("add %s: %s", line, text)
		case failed:
			time.Sleep(20 * time.Millisecond)
		default:
			w.acked = append(w.acked, line)
			w.longest = max(w.longest, time.Since(last))
			last = time.Now()
			done.Add(1)
			if w.saves > 0 && len(w.acked)%w.saves == 0 {
				if text, failed, err := w.save(ctx); err == nil && !failed {
					w.saved = len(w.acked)
				} else if err == nil && !strings.Contains(text, "the object store") && !strings.Contains(text, "store does not answer") && !strings.Contains(text, "nothing was changed") {
					return fmt.Errorf("save: %s", text)
				}
			}
		}
	}
	return nil
}

func (w *writer) save(ctx context.Context) (text string, failed bool, err error) {
	return call(ctx, w.to, "list_session", map[string]any{"action": "save as:" + w.doc + ".list force", "document": w.doc})
}

// checkSaved compares the document's file with the last acknowledged save, then saves it and compares that with what was
// acknowledged. read returns the content of a file.
func (w *writer) checkSaved(t *testing.T, read func(name string) string) {
	t.Helper()
	if w.saved > 0 {
		there := strings.Split(read(w.doc+".list"), "\n")
		for _, l := range w.acked[:w.saved] {
			if !slices.Contains(there, l) {
				t.Errorf("%s: %s was saved and is not in the file", w.doc, l)
			}
		}
	}
	for end := time.Now().Add(time.Minute); ; {
		text, failed, err := w.save(t.Context())
		if err == nil && !failed {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s cannot be saved: %q %v", w.doc, text, err)
		}
	}
	text := read(w.doc + ".list")
	lines := strings.Split(strings.TrimSpace(text), "\n")[1:]
	seen := map[string]int{}
	for _, l := range lines {
		if seen[l]++; seen[l] == 2 {
			t.Errorf("%s: %s is there twice", w.doc, l)
		}
	}
	at := -1
	for _, l := range w.acked {
		i := slices.Index(lines, l)
		if i < 0 {
			t.Errorf("%s: %s was acknowledged and is not there", w.doc, l)
		} else if i < at {
			t.Errorf("%s: %s is not in order", w.doc, l)
		}
		at = max(at, i)
	}
	if extra := len(lines) - len(w.acked); extra > w.doubts {
		t.Errorf("%s: %d lines more than were acknowledged, of %d calls in doubt", w.doc, extra, w.doubts)
	}
}

// fileOf returns a function that reads files of a folder.
func fileOf(t *testing.T, folder string) func(name string) string {
	return func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// stored starts a new store: network and server are its address, and open returns its URL for another address that leads to it.
func stored(t testing.TB) (network, server string, open func(addr string) string) {
	return "unix", judge.PostgreSQL(t), func(addr string) string { return "postgres://postgres@" + addr + "/postgres?sslmode=disable" }
}

// Hosts are killed, paused for longer than their leases last, and cut off from the store or given a
// slow connection to it, while clients edit through a plain round-robin proxy: what was acknowledged is
// there, once and in order.
func TestJudgeAnyHostResumesAnyDocument(t *testing.T) {
	network, server, open := stored(t)
	c := start(t, 3, network, server, open)
	c.faults(t, 0, nil, fileOf(t, c.dir))
}

// The same, with files in an object store that is cut off, too.
func TestJudgeAnyHostSavesToTheObjectStore(t *testing.T) {
	network, server, open := stored(t)
	o := bucket(t)
	objects := store.NewProxy(t, "tcp", o.server)
	t.Setenv("AWS_ACCESS_KEY_ID", judge.S3User)
	t.Setenv("AWS_SECRET_ACCESS_KEY", judge.S3Secret)
	c := start(t, 2, network, server, open, "--root", "s3://songs/of/ann", "--s3-endpoint", "http://"+objects.Addr(), "--s3-wait", "2s")
	c.faults(t, 5, objects, o.holds)
}

// faults has clients edit through a proxy, and save after so many ops, while hosts and their connections fail; then it checks what
// became of their ops. objects is the proxy to the store of files, nil for none; read returns the content of a file.
func (c *cluster) faults(t *testing.T, saves int, objects *store.Proxy, read func(name string) string) {
	t.Helper()
	proxy := anyone(c.proxy())
	rnd := rand.New(rand.NewPCG(soak.Seed(t), 23))
	const writers = 8
	lines := soak.Times(200, 10_000/writers)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(soak.Times(10, 60))*time.Minute)
	defer cancel()
	var done atomic.Int64
	var all []*writer
	errs := make(chan error, writers)
	for range writers {
		w := &writer{to: proxy, saves: saves}
		if err := w.open(ctx); err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
		go func() {
			err := w.write(ctx, lines, &done)
			if err != nil {
				cancel()
			}
			errs <- err
		}()
	}
	faults := map[string]int{}
	next := func() int64 { return done.Load() + int64(writers*lines/12) }
	for fault, when := 0, next(); done.Load() < int64(writers*lines) && ctx.Err() == nil; {
		if done.Load() < when {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		when = next()
		h := c.hosts[rnd.IntN(len(c.hosts))]
		kinds := []string{"kill", "pause", "cut", "slow"}
		if objects != nil {
			kinds = append(kinds, "cut objects")
		}
		kind := kinds[fault%len(kinds)]
		fault++
		faults[kind]++
		t.Logf("%s %s after %d calls", kind, h.at, done.Load())
		switch kind {
		case "kill":
			c.kill(h, time.Duration(rnd.IntN(1000))*time.Millisecond)
		case "pause":
			h.cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(4 * time.Second)
			h.cmd.Process.Signal(syscall.SIGCONT)
		case "cut":
			h.proxy.Cut()
			time.Sleep(time.Duration(rnd.IntN(4000)) * time.Millisecond)
			h.proxy.Restore()
		case "cut objects":
			objects.Cut()
			time.Sleep(time.Duration(rnd.IntN(4000)) * time.Millisecond)
			objects.Restore()
		case "slow":
			h.proxy.Slow(100 * time.Millisecond)
			time.Sleep(2 * time.Second)
			h.proxy.Slow(0)
		}
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	var doubts int
	var longest time.Duration
	for _, w := range all {
		w.checkSaved(t, read)
		doubts += w.doubts
		longest = max(longest, w.longest)
	}
	t.Logf("%d calls acknowledged, %d in doubt, %v, the longest time from one answer to the next %v", done.Load(), doubts, faults, longest.Round(time.Millisecond))
}

// A host that shuts down hands its documents over: another host has them at once, with their saved
// state, however long a lease lasts. Sessions end with their host, and leave unsaved work as
// leftovers.
func TestJudgeAHostThatEndsHandsItsDocumentsOver(t *testing.T) {
	network, server, open := stored(t)
	c := start(t, 2, network, server, open, "--store-lease", "10m")
	a, b := anyone("http://"+c.hosts[0].at+"/mcp"), anyone("http://"+c.hosts[1].at+"/mcp")
	does := func(to endpoint, tool string, args map[string]any) string {
		t.Helper()
		text, failed, err := call(t.Context(), to, tool, args)
		if err != nil || failed {
			t.Fatalf("%s %v: %q %v", tool, args, text, err)
		}
		return text
	}
	unsaved := handle(does(a, "list_session", map[string]any{"action": `new "U"`}))
	does(a, "list", map[string]any{"ops": []string{"add one", "add two"}, "document": unsaved})
	saved := handle(does(a, "list_session", map[string]any{"action": `new "S"`}))
	does(a, "list", map[string]any{"ops": []string{"add one"}, "document": saved})
	does(a, "list_session", map[string]any{"action": "save as:s.list", "document": saved})
	c.hosts[0].cmd.Process.Signal(syscall.SIGTERM)
	if err := c.hosts[0].cmd.Wait(); err != nil {
		t.Fatalf("told to end: %v", err)
	}
	does(b, "list", map[string]any{"ops": []string{"add three"}, "document": unsaved})
	if text := does(b, "list_query", map[string]any{"q": "map", "document": unsaved}); text != "#list U\none\ntwo\nthree" {
		t.Errorf("the document is %q", text)
	}
	does(b, "list_session", map[string]any{"action": "undo 2", "document": unsaved})
	does(b, "list", map[string]any{"ops": []string{"add two"}, "document": saved})
	does(b, "list_session", map[string]any{"action": "save", "document": saved})
	if data, err := os.ReadFile(filepath.Join(c.dir, "s.list")); err != nil || string(data) != "#list S\none\ntwo" {
		t.Errorf("the file is %q, %v", data, err)
	}
	c.run(c.hosts[0])
}

// The time from the death of a document's host to another host's answer to the next call on it.
func BenchmarkRecovery(b *testing.B) {
	network, server, open := stored(b)
	c := start(b, 2, network, server, open)
	var took []time.Duration
	for range b.N {
		first, second := c.hosts[0], c.hosts[1]
		text, _, err := call(b.Context(), anyone("http://"+first.at+"/mcp"), "list_session", map[string]any{"action": `new "T"`})
		doc := handle(text)
		if err != nil || doc == "" {
			b.Fatal(text, err)
		}
		began := time.Now()
		first.cmd.Process.Kill()
		first.cmd.Wait()
		if text, failed, err := call(b.Context(), anyone("http://"+second.at+"/mcp"), "list", map[string]any{"ops": []string{"add one"}, "document": doc}); err != nil || failed {
			b.Fatal(text, err)
		}
		took = append(took, time.Since(began))
		c.run(first)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms-p50")
	b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "ms-max")
}
