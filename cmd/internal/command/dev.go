package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/conformance/guest"
	"github.com/fcp-host/fcp-host/conformance/server"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fsnotify/fsnotify"
)

// devOps is the number of operations, and devScale the number of elements of the largest document,
// with which each build is checked. They find most mistakes within a moment.
const (
	devOps   = 40
	devScale = 100
)

// settle is how long a folder must be unchanged before it is built, because editors write a file in
// several steps.
const settle = 50 * time.Millisecond

// firstBuildWait is how long serving waits for the first build. Clients that give up on a server do so
// after 30 s.
const firstBuildWait = 15 * time.Second

// devForm rebuilds a domain at each save.
func devForm() form {
	build, serves := "make", false
	return form{
		usage: `usage: fcp-host dev [DIR] [--build CMD] [--serve [-- ARGS…]]
Builds the domain in DIR (default: this folder) at each save, and checks with few operations that the module conforms
to the ABI; fcp-host conform checks more thoroughly. Ctrl-C ends it.
`,
		flags: []option{
			{"build", "CMD", &build, "the build command, run in DIR (default: make); it must leave a .wasm file in DIR"},
			{"serve", "", &serves, "also serve the domain to an MCP client over stdio, as fcp-host serve does with ARGS; open documents move to each " +
				"new build"},
		},
		run: func(ctx context.Context, in input, io stdio) int {
			if len(in.words) > 1 || in.rest != nil && !serves {
				return wrongUsage
			}
			return dev(ctx, build, serves, in, io)
		},
	}
}

func dev(ctx context.Context, build string, serves bool, in input, stdio stdio) (code int) {
	var err error
	d := domainBuilder{dir: ".", out: &lockedWriter{w: stdio.out}}
	if len(in.words) == 1 {
		d.dir = in.words[0]
	}
	if d.command, err = server.Split(build); err != nil || len(d.command) == 0 {
		stdio.complain("--build: give a command")
		return exitUsage
	}
	if cache, err := new(settings).cacheDir(); err == nil {
		d.cache = filepath.Join(cache, "modules") // as serve does
	}
	if d.watcher, err = fsnotify.NewWatcher(); err == nil {
		defer d.watcher.Close()
		err = d.watch(d.dir)
	}
	if err != nil {
		stdio.complain("watching %s: %v", d.dir, err)
		return exitUsage
	}
	if !serves {
		fmt.Fprintf(d.out, "watching %s; at each save: %s\n", d.dir, build)
		d.run(ctx, nil)
		return exitOK
	}

	// stdout belongs to the client. Each build that loads is put into a folder that is served.
	d.out = &lockedWriter{w: stdio.err}
	if d.served, err = os.MkdirTemp("", "fcp-dev-"); err != nil {
		stdio.complain("%v", err)
		return exitFailed
	}
	defer os.RemoveAll(d.served)
	ctx, stop := context.WithCancel(ctx)
	ready := make(chan struct{})
	begin := sync.OnceFunc(func() { close(ready) })
	if path, wasm, err := d.module(); err == nil && d.serve(filepath.Base(path), wasm) == nil {
		begin() // with an earlier build, until this one is finished
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.run(ctx, begin)
	}()
	select {
	case <-ready: // so that the client's first list of tools has those of the domain
	case <-time.After(firstBuildWait):
	case <-ctx.Done():
	}
	if ctx.Err() == nil {
		stdio.err = d.out
		code = serve(ctx, append([]string{"--no-builtin", "--plugins", d.served}, in.rest...), stdio)
	}
	stop()
	<-ended
	return code
}

// domainBuilder builds the domain in a folder.
type domainBuilder struct {
	dir     string
	command []string
	cache   string // of compiled modules, "" for none
	served  string // the folder whose modules are served, "" for none
	out     io.Writer
	watcher *fsnotify.Watcher
	last    [sha256.Size]byte // of the module that was looked at last
}

// ignoredFolder reports whether changes in a folder of this name are ignored, because compilers and package managers write there.
func ignoredFolder(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." && name != ".." ||
		slices.Contains([]string{"node_modules", "target", "zig-cache", "zig-out"}, name)
}

// watch watches a folder and its subfolders.
func (d *domainBuilder) watch(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil || !e.IsDir():
			return nil // gone meanwhile
		case path != d.dir && ignoredFolder(e.Name()):
			return filepath.SkipDir
		}
		return d.watcher.Add(path)
	})
}

// isSave reports whether an event is a change of a source file. It starts to watch new folders.
func (d *domainBuilder) isSave(e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	if e.Op == fsnotify.Chmod || ignoredFolder(name) || strings.Contains(name, ".wasm") || slices.Contains([]string{".o", ".out", ".tmp"}, filepath.Ext(name)) || strings.HasSuffix(name, "~") {
		return false
	}
	if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
		// Files may have been created in it before the watch, so a new folder always counts as a
		// save.
		return d.watch(e.Name) == nil
	}
	return true
}

// run builds now and at each save, until ctx is done. It calls ready, unless nil, after the first
// build.
func (d *domainBuilder) run(ctx context.Context, ready func()) {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-d.watcher.Events:
			if ok && d.isSave(e) {
				due.Reset(settle)
			}
		case err, ok := <-d.watcher.Errors:
			if ok {
				d.print("watching %s: %v", d.dir, err)
			}
		case <-due.C:
			d.build(ctx, ready)
			ready = nil
		}
	}
}

func (d *domainBuilder) print(format string, args ...any) {
	fmt.Fprintf(d.out, "%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// build builds the domain, serves the result, and checks it. It calls made, unless nil, once the
// result is served or cannot be.
func (d *domainBuilder) build(ctx context.Context, made func()) {
	if made == nil {
		made = func() {}
	}
	made = sync.OnceFunc(made)
	defer made()
	start := time.Now()
	cmd := exec.CommandContext(ctx, d.command[0], d.command[1:]...)
	cmd.Dir = d.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if self, err := os.Executable(); err == nil {
		cmd.Env = append(os.Environ(), "FCP_HOST="+self)
	}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		d.print("it does not build (%s: %v)\n%s", strings.Join(d.command, " "), err, bytes.TrimRight(out, "\n"))
		d.last = [sha256.Size]byte{}
		return
	}
	path, wasm, err := d.module()
	if err != nil {
		d.print("it builds, but %v", err)
		return
	}
	name := filepath.Base(path)
	if d.last == sha256.Sum256(wasm) {
		return // by a comment, or by what the build itself wrote
	}
	d.last = sha256.Sum256(wasm)
	d.print("built %s, %d KB, in %s", name, (len(wasm)+999)/1000, time.Since(start).Round(10*time.Millisecond))
	if d.served != "" {
		if err := d.serve(name, wasm); err != nil {
			d.print("%s cannot be served: %v", name, err)
		}
	}
	made()
	start = time.Now()
	r, err := guest.Judge(ctx, path, wasm, guest.Options{Ops: devOps, Seed: 1, Scale: devScale, CacheDir: d.cache, Limits: sandbox.DefaultLimits()})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.print("%s does not load: %v", name, err)
	case r.OK():
		d.print("it keeps its promises (%d operations, %s)", r.Ops, time.Since(start).Round(10*time.Millisecond))
	default:
		d.print("it breaks promises (%d operations)%s", r.Ops, brokenPromises(r))
	}
}

// brokenPromises lists the promises that the module breaks, and why, as text.
func brokenPromises(r *guest.Report) string {
	var b strings.Builder
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.OK() {
			continue
		}
		fmt.Fprintf(&b, "\n  FAIL  %s: %s", c.ID, c.Promise)
		for _, p := range c.Problems {
			fmt.Fprintf(&b, "\n        %s", strings.ReplaceAll(p, "\n", "\n        "))
		}
	}
	return b.String()
}

// module finds the most recently built module.
func (d *domainBuilder) module() (path string, wasm []byte, err error) {
	files, err := filepath.Glob(filepath.Join(d.dir, "*.wasm"))
	if err != nil {
		return "", nil, err
	}
	var newest time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(newest) {
			path, newest = file, info.ModTime()
		}
	}
	if path == "" {
		return "", nil, fmt.Errorf("the build left no .wasm file in %s", d.dir)
	}
	wasm, err = os.ReadFile(path)
	return path, wasm, err
}

// serve moves a module atomically into the folder that is served.
func (d *domainBuilder) serve(name string, wasm []byte) error {
	draft := filepath.Join(d.served, "."+name+".tmp")
	if err := os.WriteFile(draft, wasm, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, filepath.Join(d.served, name))
}
