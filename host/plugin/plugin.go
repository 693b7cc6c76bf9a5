// Package plugin finds .wasm files, identifies them by their sha256 and gives
// the domains in them. What a module says of itself is asked once and cached,
// so that a start answers without compiling anything.
package plugin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Options say which plugins to load and how to run them.
type Options struct {
	Files    []string // modules, as Library.Find takes them
	Dirs     []string // folders of .wasm files; missing ones are an error
	Defaults []string // folders used, behind what is built in, when there are neither; missing ones are passed over
	Library  Library  // what is built in, and where Files are looked for
	CacheDir string   // for manifests and compiled modules; "" for none
	Command  []string // starts a worker; nil for this binary
	Limits   sandbox.Limits
	Workers  *sandbox.Workers // what the workers of all modules may take, nil for no bound
	Grants   map[string]Grant // of single modules, by their Real path
	Log      *slog.Logger

	RequireLayers bool // run nothing where a layer of the system's confinement is missing
	Unconfined    bool // run what is not built in even where the system confines nothing
	OnlyPinned    bool // load nothing that is not built in and has no Grant with a Sum
}

// require is what the system has to do for a module at path.
func (o *Options) require(path string) sandbox.Requirement {
	switch {
	case o.RequireLayers:
		return sandbox.RequireAll
	case o.Unconfined || IsBuiltin(path):
		return sandbox.RequireNothing
	}
	return sandbox.RequireOne
}

// Grant is what holds for one module instead of what holds for all.
type Grant struct {
	Sum    string // sha256 that the module has to have, hex; "" for any
	Limits sandbox.Limits
}

// Plugin is one loaded module.
type Plugin struct {
	Path   string // of its file, or of a built-in module
	Sum    string // sha256, hex
	Domain *domain.Domain
}

// Problem is a module that is not served, and why, in one line.
type Problem struct {
	Path string // or the name that has none
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("plugin %s: %v", reply.Line(p.Path), p.Err) }

// Set is what was loaded.
type Set struct {
	Plugins  []*Plugin // in the order of Options, folders by file name
	Problems []Problem

	compiler  *compiler
	compiling sync.WaitGroup
}

// Domains lists the loaded domains.
func (s *Set) Domains() []*domain.Domain {
	out := make([]*domain.Domain, len(s.Plugins))
	for i, p := range s.Plugins {
		out[i] = p.Domain
	}
	return out
}

// Close ends every plugin's worker.
func (s *Set) Close() {
	for _, p := range s.Plugins {
		p.Domain.Plugin().Close()
	}
	s.compiling.Wait()
}

// Load reads every plugin. A module that is broken becomes a Problem and the
// others are served. So does one whose domain another has that comes before it,
// in the order of Options, or one with a name much like it; the same module is
// served once without a word.
func Load(ctx context.Context, o Options) (*Set, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	found, err := find(o)
	if err != nil {
		return nil, err
	}
	set := &Set{compiler: newCompiler()}
	loaded := make([]*Plugin, len(found))
	failed := make([]error, len(found))
	var wg sync.WaitGroup
	interpreting := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range found {
		if f.err != nil {
			failed[i] = f.err
			continue
		}
		wg.Go(func() { loaded[i], failed[i] = set.load(ctx, o, f.path, interpreting) })
	}
	wg.Wait()
	for i, f := range found {
		if failed[i] != nil {
			set.Problems = append(set.Problems, Problem{f.path, failed[i]})
			continue
		}
		p := loaded[i]
		p.Domain.Build = p.Sum
		k := slices.IndexFunc(set.Plugins, func(q *Plugin) bool { return domain.Alike(q.Domain.Name(), p.Domain.Name()) })
		if k < 0 {
			set.Plugins = append(set.Plugins, p)
			continue
		}
		p.Domain.Plugin().Close()
		first := set.Plugins[k]
		switch name := first.Domain.Name(); {
		case name != p.Domain.Name():
			set.Problems = append(set.Problems, Problem{f.path, fmt.Errorf("not served: its domain %s is easily taken for %s, which is served by %s and comes before it", p.Domain.Name(), name, reply.Line(first.Path))})
		case first.Sum != p.Sum:
			set.Problems = append(set.Problems, Problem{f.path, fmt.Errorf("not served: the domain %s is served by %s, which comes before it", name, reply.Line(first.Path))})
		}
	}
	if o.CacheDir != "" {
		set.compiling.Go(func() { set.compile(o.Log) })
	}
	return set, nil
}

// Real is the absolute path of a file with symbolic links resolved, as far as
// it has one: what is granted to a file holds by whatever path it is loaded.
// That of a built-in module stays as it is.
func Real(path string) string {
	if IsBuiltin(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

func (s *Set) load(ctx context.Context, o Options, path string, interpreting chan struct{}) (*Plugin, error) {
	m, manifest, err := o.Library.open(path)
	if err != nil {
		return nil, err
	}
	p := &Plugin{Path: path, Sum: hex.EncodeToString(m.Sum[:])}
	limits := o.Limits
	g, ok := o.Grants[Real(path)]
	if o.OnlyPinned && g.Sum == "" && !IsBuiltin(path) {
		return nil, fmt.Errorf("it is not pinned, and only pinned plugins are loaded; its sha256 is %s: look at it, and write that into the configuration", p.Sum)
	}
	if ok {
		if g.Sum != "" && g.Sum != p.Sum {
			return nil, fmt.Errorf("its sha256 is %s, and the configuration wants %s: somebody changed it; look at it before you trust it", p.Sum, g.Sum)
		}
		limits = g.Limits
	}
	box, err := sandbox.NewPlugin(sandbox.Config{
		Name: filepath.Base(path), Module: m, Command: o.Command, CacheDir: cacheDir(o.CacheDir, "modules"),
		Limits: limits, Workers: o.Workers, Require: o.require(path), Log: o.Log, Compiling: s.compiler.forCall,
	})
	if err != nil {
		return nil, plain(err)
	}
	if err := exports(box.Info()); err != nil {
		return nil, err
	}
	for i := range o.Library.Builtin {
		if b := &o.Library.Builtin[i]; manifest == nil && b.Module.Sum == m.Sum {
			manifest = b.Manifest // a copy of one that is known
		}
	}
	if manifest != nil {
		p.Domain, err = describe(manifest, box)
		return p, err
	}
	cache := manifests{dir: cacheDir(o.CacheDir, "manifests"), log: o.Log}
	if m := cache.get(p.Sum); m != nil {
		if p.Domain, err = domain.New(m, box); err == nil {
			return p, nil
		}
		cache.drop(p.Sum)
	}
	// Whatever keeps a module from being interpreted in time, the compiled one decides.
	raw, d := interpreted(ctx, path, box, o, interpreting)
	if d == nil {
		if raw, err = compiled(ctx, box, o); err == nil {
			d, err = describe(raw, box)
		}
		if err != nil {
			box.Close()
			return nil, plain(err)
		}
	}
	p.Domain = d
	cache.put(p.Sum, raw)
	return p, nil
}

// interpretFor bounds what is spent on a manifest before the module is
// compiled after all.
var interpretFor = 2 * time.Second

// interpreted asks a module that has yet to be compiled for its manifest: a
// client need not wait for the compiler to learn which tools there are. The
// domain is nil when that did not work, or would be of no use. As many modules
// as slots has room for are interpreted at once: were there more than
// processors, each would be late because of the others, and all be compiled.
func interpreted(ctx context.Context, path string, box *sandbox.Plugin, o Options, slots chan struct{}) ([]byte, *domain.Domain) {
	if o.CacheDir == "" || box.Cached() {
		return nil, nil
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	raw, err := box.Interpret(ctx, abi.ExportManifest, interpretFor)
	if err == nil {
		var d *domain.Domain
		if d, err = describe(raw, box); err == nil {
			return raw, d
		}
	}
	o.Log.Debug("a module is compiled to learn what it says of itself", "plugin", filepath.Base(path), "error", err)
	return nil, nil
}

// compiled asks the module for its manifest. With a cache, the worker it takes
// is let go again: the next start is a quick one.
func compiled(ctx context.Context, box *sandbox.Plugin, o Options) ([]byte, error) {
	if err := box.Warm(ctx); err != nil {
		return nil, err
	}
	if o.CacheDir != "" {
		defer box.Rest()
	}
	return domain.EncodedManifest(ctx, box)
}

func describe(raw []byte, box *sandbox.Plugin) (*domain.Domain, error) {
	m, err := domain.DecodeManifest(raw)
	if err != nil {
		return nil, err
	}
	return domain.New(m, box)
}

// exports checks that a module has what every plugin must have.
func exports(info sandbox.Info) error {
	var missing []string
	for _, name := range abi.Required() {
		sig, ok := info.Func(name)
		if !ok {
			missing = append(missing, name)
			continue
		}
		if !domain.Callable(sig) {
			return fmt.Errorf("its export %s has the signature %s and must have () -> i32", name, sig)
		}
	}
	if len(missing) == len(abi.Required()) {
		return fmt.Errorf("it exports none of the functions of an fcp plugin (%s, …)", abi.ExportManifest)
	}
	if len(missing) > 0 {
		return fmt.Errorf("it does not export %s", strings.Join(missing, ", "))
	}
	return nil
}

func cacheDir(base, sub string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(base, sub)
}

// maxProblem bounds what is said of a plugin that is not served, in bytes: some
// of it is the plugin's own text.
const maxProblem = 600

// plain is an error on one line and without the plugin's name, which the
// caller says.
func plain(err error) error {
	text := err.Error()
	var e *sandbox.Error
	if errors.As(err, &e) {
		text = e.Message
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), " ")
	if len(text) > maxProblem {
		text = strings.ToValidUTF8(text[:maxProblem], "") + "…"
	}
	return errors.New(text)
}

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
