package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
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

const devUsage = `usage: fcp-host dev [DIR] [--build CMD] [--serve [-- ARGS…]]
builds the domain in DIR (default: this folder) at each save, and looks whether its module keeps what the ABI promises,
with few operations; fcp-host conform looks for longer. Ctrl-C ends it.
  --build CMD   how it is built, in DIR (default: make); what matters is that a .wasm file lies in DIR afterwards
  --serve       serve it to an MCP client over stdio meanwhile, as fcp-host serve does with ARGS: each build takes
                the place of the one before, under the documents that are open
`

// devOps and devScale are the operations of the look at each build, and the elements of its largest document: what most mistakes are
// found by, in a moment.
const (
	devOps   = 40
	devScale = 100
)

// settle is how long a folder must be quiet before it is built: editors write a file in several steps.
const settle = 50 * time.Millisecond

// patience is how long a client waits for the first build: those that give up on a server do so after 30 s.
const patience = 15 * time.Second

// dev builds a domain at each save.
func dev(ctx context.Context, args []string, stdio stdio) int {
	var given []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, given = args[:i], args[i+1:]
	}
	f := newFlags()
	build := f.String("build", "make", "")
	serves := f.Bool("serve", false, "")
	words, err := interspersed(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdio.out, devUsage)
		return exitOK
	case err != nil:
		stdio.complain("%v", wrongFlag(err))
		return exitUsage
	case len(words) > 1 || given != nil && !*serves:
		fmt.Fprint(stdio.err, devUsage)
		return exitUsage
	}
	d := workshop{dir: ".", out: &shared{w: stdio.out}}
	if len(words) == 1 {
		d.dir = words[0]
	}
	if d.command, err = server.Split(*build); err != nil || len(d.command) == 0 {
		stdio.complain("--build: give a command")
		return exitUsage
	}
	if cache, err := new(settings).cacheDir(); err == nil {
		d.cache = filepath.Join(cache, "modules") // where serve keeps them
	}
	if d.watcher, err = fsnotify.NewWatcher(); err == nil {
		defer d.watcher.Close()
		err = d.watch(d.dir)
	}
	if err != nil {
		stdio.complain("watching %s: %v", d.dir, err)
		return exitUsage
	}
	if !*serves {
		fmt.Fprintf(d.out, "watching %s; at each save: %s\n", d.dir, *build)
		d.run(ctx, nil)
		return exitOK
	}

	// The client has stdout. What is served is a folder that each build that loads is put into.
	d.out = &shared{w: stdio.err}
	if d.served, err = os.MkdirTemp("", "fcp-dev-"); err != nil {
		stdio.complain("%v", err)
		return exitFailed
	}
	defer os.RemoveAll(d.served)
	ctx, stop := context.WithCancel(ctx)
	ready := make(chan struct{})
	begin := sync.OnceFunc(func() { close(ready) })
	if path, wasm, err := d.module(); err == nil && d.serve(filepath.Base(path), wasm) == nil {
		begin() // with the build of an earlier time, until this one is over
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.run(ctx, begin)
	}()
	code := exitOK
	select {
	case <-ready: // so that the client's first list of tools has those of the domain
	case <-time.After(patience):
	case <-ctx.Done():
	}
	if ctx.Err() == nil {
		stdio.err = d.out
		code = serve(ctx, append([]string{"--no-builtin", "--plugins", d.served}, given...), stdio)
	}
	stop()
	<-ended
	return code
}

// workshop is a folder that a domain is built in.
type workshop struct {
	dir     string
	command []string
	cache   string // of compiled modules, "" for none
	served  string // the folder whose modules are served, "" for none
	out     io.Writer
	watcher *fsnotify.Watcher
	last    [sha256.Size]byte // of the module that was looked at last
}

// quiet are folders that compilers and package managers write to.
func quiet(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." && name != ".." ||
		slices.Contains([]string{"node_modules", "target", "zig-cache", "zig-out"}, name)
}

// watch watches a folder and those in it.
func (d *workshop) watch(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil || !e.IsDir():
			return nil // gone meanwhile
		case path != d.dir && quiet(e.Name()):
			return filepath.SkipDir
		}
		return d.watcher.Add(path)
	})
}

// saved reports whether an event is one of a source. It watches folders that are made.
func (d *workshop) saved(e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	if e.Op == fsnotify.Chmod || quiet(name) || strings.Contains(name, ".wasm") || slices.Contains([]string{".o", ".out", ".tmp"}, filepath.Ext(name)) || strings.HasSuffix(name, "~") {
		return false
	}
	if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
		// Its files may have come before the watch, so that they are a save in any case.
		return d.watch(e.Name) == nil
	}
	return true
}

// run builds now and at each save, until ctx is done. ready, unless nil, is called once the first build is over.
func (d *workshop) run(ctx context.Context, ready func()) {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-d.watcher.Events:
			if ok && d.saved(e) {
				due.Reset(settle)
			}
		case err, ok := <-d.watcher.Errors:
			if ok {
				d.say("watching %s: %v", d.dir, err)
			}
		case <-due.C:
			d.build(ctx, ready)
			ready = nil
		}
	}
}

func (d *workshop) say(format string, args ...any) {
	fmt.Fprintf(d.out, "%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// build builds, serves what came of it, and looks at it. made, unless nil, is called when it is served, or cannot be.
func (d *workshop) build(ctx context.Context, made func()) {
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
		d.say("it does not build (%s: %v)\n%s", strings.Join(d.command, " "), err, bytes.TrimRight(out, "\n"))
		d.last = [sha256.Size]byte{}
		return
	}
	path, wasm, err := d.module()
	if err != nil {
		d.say("it builds, but %v", err)
		return
	}
	name := filepath.Base(path)
	if d.last == sha256.Sum256(wasm) {
		return // by a comment, or by what the build itself wrote
	}
	d.last = sha256.Sum256(wasm)
	d.say("built %s, %d KB, in %s", name, (len(wasm)+999)/1000, time.Since(start).Round(10*time.Millisecond))
	if d.served != "" {
		if err := d.serve(name, wasm); err != nil {
			d.say("%s cannot be served: %v", name, err)
		}
	}
	made()
	start = time.Now()
	r, err := guest.Judge(ctx, path, wasm, guest.Options{Ops: devOps, Seed: 1, Scale: devScale, CacheDir: d.cache, Limits: sandbox.DefaultLimits()})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.say("%s does not load: %v", name, err)
	case r.OK():
		d.say("it keeps its promises (%d operations, %s)", r.Ops, time.Since(start).Round(10*time.Millisecond))
	default:
		d.say("it breaks promises (%d operations)%s", r.Ops, brokenOf(r))
	}
}

// brokenOf prints the promises that are not kept, and why.
func brokenOf(r *guest.Report) string {
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

// module finds what was built last.
func (d *workshop) module() (path string, wasm []byte, err error) {
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
		return "", nil, fmt.Errorf("there is no .wasm file in %s afterwards", d.dir)
	}
	wasm, err = os.ReadFile(path)
	return path, wasm, err
}

// serve puts a module into the folder that is served, whole at once.
func (d *workshop) serve(name string, wasm []byte) error {
	draft := filepath.Join(d.served, "."+name+".tmp")
	if err := os.WriteFile(draft, wasm, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, filepath.Join(d.served, name))
}
