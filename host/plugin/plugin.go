// Package plugin finds .wasm files, identifies them by their sha256 and gives
// the domains in them. What a module says of itself is asked once and cached,
// so that a start answers without compiling anything.
package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// MaxFile is the largest module that is read, in bytes.
const MaxFile = 32 << 20

// Options say which plugins to load and how to run them.
type Options struct {
	Files    []string // .wasm files
	Dirs     []string // folders of .wasm files; missing ones are an error
	Defaults []string // folders used when there are neither; missing ones are passed over
	CacheDir string   // for manifests and compiled modules; "" for none
	Command  []string // starts a worker; nil for this binary
	Limits   sandbox.Limits
	Grants   map[string]Grant // of single files, by their Real path
	Log      *slog.Logger
}

// Grant is what holds for one file instead of what holds for all.
type Grant struct {
	Sum    string // sha256 that the module has to have, hex; "" for any
	Limits sandbox.Limits
}

// Plugin is one loaded module.
type Plugin struct {
	Path   string
	Sum    string // sha256, hex
	Domain *domain.Domain
}

// Problem is a file that could not be loaded, and why, in one line.
type Problem struct {
	Path string
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("plugin %s: %v", p.Path, p.Err) }

// Set is what was loaded.
type Set struct {
	Plugins  []*Plugin // in the order of Options, folders by file name
	Problems []Problem

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

// Load reads every plugin. A file that is broken becomes a Problem and the
// others are served. Two different files with one domain name are an error
// that names both: it would be guesswork which of them to trust.
func Load(ctx context.Context, o Options) (*Set, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	paths, err := find(o)
	if err != nil {
		return nil, err
	}
	loaded := make([]*Plugin, len(paths))
	failed := make([]error, len(paths))
	var wg sync.WaitGroup
	interpreting := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, path := range paths {
		wg.Go(func() { loaded[i], failed[i] = load(ctx, o, path, interpreting) })
	}
	wg.Wait()

	set := &Set{}
	var clash error
	for i, path := range paths {
		if failed[i] != nil {
			set.Problems = append(set.Problems, Problem{path, failed[i]})
			continue
		}
		p := loaded[i]
		p.Domain.Build = p.Sum
		k := slices.IndexFunc(set.Plugins, func(q *Plugin) bool { return q.Domain.Name() == p.Domain.Name() })
		if k < 0 {
			set.Plugins = append(set.Plugins, p)
			continue
		}
		p.Domain.Plugin().Close()
		if first := set.Plugins[k]; first.Sum != p.Sum && clash == nil {
			clash = fmt.Errorf("two plugins have the domain name %q: %s and %s; remove one", p.Domain.Name(), first.Path, path)
		}
	}
	if clash != nil {
		set.Close()
		return nil, clash
	}
	if o.CacheDir != "" {
		set.compiling.Go(func() { set.compile(o.Log) })
	}
	return set, nil
}

// Real is the absolute path of a file with symbolic links resolved, as far as
// it has one: what is granted to a file holds by whatever path it is loaded.
func Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// DefaultDirs are the folders looked into when none is named: plugins/ beside
// the binary, then the user's data folder.
func DefaultDirs() []string {
	var dirs []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dirs = append(dirs, filepath.Join(filepath.Dir(exe), "plugins"))
	}
	if data := os.Getenv("XDG_DATA_HOME"); data != "" {
		dirs = append(dirs, filepath.Join(data, "fcp-host", "plugins"))
	} else if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "share", "fcp-host", "plugins"))
	}
	return dirs
}

func find(o Options) ([]string, error) {
	paths := slices.Clone(o.Files)
	dirs, must := o.Dirs, true
	if len(o.Files) == 0 && len(o.Dirs) == 0 {
		dirs, must = o.Defaults, false
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) && !must {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("plugin folder %s: %w", dir, cause(err))
		}
		for _, e := range entries {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ".wasm") && !strings.HasPrefix(e.Name(), ".") {
				paths = append(paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	return paths, nil
}

// Read gives the bytes of a module: a regular file of at most MaxFile bytes.
func Read(path string) ([]byte, error) {
	// Before opening: the open of a FIFO would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, cause(err)
	}
	if info.IsDir() {
		return nil, errors.New("is a folder; --plugins takes folders")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > MaxFile {
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	data := make([]byte, 0, info.Size()+1)
	buf := io.LimitReader(f, MaxFile+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := buf.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, cause(err)
		}
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	}
	return data, nil
}

func load(ctx context.Context, o Options, path string, interpreting chan struct{}) (*Plugin, error) {
	wasm, err := Read(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(wasm)
	p := &Plugin{Path: path, Sum: hex.EncodeToString(sum[:])}
	limits := o.Limits
	if g, ok := o.Grants[Real(path)]; ok {
		if g.Sum != "" && g.Sum != p.Sum {
			return nil, fmt.Errorf("its sha256 is %s, and the configuration wants %s: somebody changed it; look at it before you trust it", p.Sum, g.Sum)
		}
		limits = g.Limits
	}
	box, err := sandbox.NewPlugin(sandbox.Config{
		Name: filepath.Base(path), Wasm: wasm, Command: o.Command, CacheDir: cacheDir(o.CacheDir, "modules"),
		Limits: limits, Log: o.Log,
	})
	if err != nil {
		return nil, plain(err)
	}
	if err := exports(box.Info()); err != nil {
		return nil, err
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

// compile fills the cache with what is not in it yet, one module after the
// other, while the client reads what there is. A call that comes earlier
// compiles for itself.
func (s *Set) compile(log *slog.Logger) {
	for _, p := range s.Plugins {
		box := p.Domain.Plugin()
		if box.Cached() {
			continue
		}
		var e *sandbox.Error
		err := box.Warm(context.Background())
		if err != nil && !(errors.As(err, &e) && e.Kind == sandbox.KindLost) { // lost: it was closed
			log.Warn("a plugin does not compile: its tools will fail", "plugin", p.Path, "error", plain(err))
		}
	}
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
