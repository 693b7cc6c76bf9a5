// Package plugin finds .wasm files, identifies them by their sha256 and provides their domains. It asks a module for
// its manifest once and caches it, so that a later start runs no module.
package plugin

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Options say which plugins to load and how to run them.
type Options struct {
	Files    []string // modules, in the form that Library.Find takes
	Dirs     []string // folders of .wasm files
	Defaults []string // folders to use after the built-in modules if Files and Dirs are empty; missing ones are skipped
	Library  Library  // the built-in modules, and where Files are looked up
	Remote   []string // names of the built-in server domains to serve if Files and Dirs are empty
	CacheDir string   // for manifests and compiled modules; "" for no cache
	Command  []string // the command that starts a worker; nil for this binary
	Limits   sandbox.Limits
	Workers  *sandbox.Workers // limits on the workers of all modules together; nil for none
	Parallel int              // workers for each module whose limits do not say; 0 for one
	Grants   map[string]Grant // for single modules, by path; each also applies to other paths of the same file
	Log      *slog.Logger

	RequireLayers bool // run nothing if a layer of the system's confinement is missing
	Unconfined    bool // run plugins that are not built in even if the system cannot confine them
	OnlyPinned    bool // load only plugins that are built in, were added, or have a Grant with a Sum

	World    func(*Plugin) domain.World // returns what does the requests of a served domain; nil if none may ask
	Requests time.Duration              // how long all requests of one call may take; 0 for the default
	Stamp    func() (int, []byte)       // the time and nonce for domains: see domain.Domain

	Watch bool          // look again when files are created, changed or removed
	Lists []string      // other files whose change may add or remove modules: see Library.Added
	Wait  time.Duration // how long after Start a client waits for manifests of new modules; 0 for DefaultWait

	// HeadStart is how long after Start nothing is compiled before it is needed: until then the client gets its first answers.
	HeadStart time.Duration

	Brief  bool          // compile modules only when a call needs them, for a host that ends soon
	Retry  bool          // try again what failed at an earlier start
	Report func(Problem) // called with each problem once, never concurrently; may be nil
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	return o
}

// require returns what the system's confinement must provide for the module at path.
func (o *Options) require(path string) sandbox.Requirement {
	switch {
	case o.RequireLayers:
		return sandbox.RequireAll
	case o.Unconfined || IsBuiltin(path):
		return sandbox.RequireNothing
	}
	return sandbox.RequireOne
}

// grant returns the Grant for the module at path. It follows links each time, since they may have changed.
func (o *Options) grant(path string) (Grant, bool) {
	if g, ok := o.Grants[path]; ok {
		return g, true
	}
	real := Real(path)
	for at, g := range o.Grants {
		if Real(at) == real {
			return g, true
		}
	}
	return Grant{}, false
}

// Grant overrides the general settings for one module.
type Grant struct {
	Sum    string // sha256 that the module must have, in hex; "" for any
	Limits sandbox.Limits
	Roots  *files.Roots // where its documents may be opened and saved; nil for the general roots
}

// Plugin is one loaded module.
type Plugin struct {
	Path   string // path of its file, "builtin:NAME" or "added:NAME"
	Sum    string // sha256, hex
	Domain *domain.Domain
}

// Problem says in one line why a module is not served.
type Problem struct {
	Path string // or the name that could not be resolved
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("plugin %s: %v", reply.Line(p.Path), p.Err) }

// Real returns the absolute path of a file with symbolic links resolved as far as the path exists, since a Grant
// applies to a file by any of its paths. Paths of built-in and added plugins stay unchanged.
func Real(path string) string {
	if IsBuiltin(path) || IsAdded(path) {
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

// read reads a candidate's module and looks up what is cached about it.
func (s *Set) read(c *candidate) error {
	m, manifest, err := s.o.Library.open(c.path, c.pin)
	if err != nil {
		return err
	}
	c.sum = hex.EncodeToString(m.Sum[:])
	p := &Plugin{Path: c.path, Sum: c.sum}
	c.limits = s.o.Limits
	g, ok := s.o.grant(c.path)
	c.roots = g.Roots
	if s.o.OnlyPinned && g.Sum == "" && c.pin == nil && !IsBuiltin(c.path) {
		return fmt.Errorf("it is not pinned, and only pinned plugins are loaded; its sha256 is %s: look at it, and write that into the configuration, or add it: fcp-host plugin add", p.Sum)
	}
	if ok {
		if g.Sum != "" && g.Sum != p.Sum {
			return fmt.Errorf("its sha256 is %s, and the configuration wants %s: somebody changed it; look at it before you trust it", p.Sum, g.Sum)
		}
		c.limits = g.Limits
	}
	if c.limits.Parallel == 0 {
		c.limits.Parallel = s.o.Parallel
	}
	box, err := sandbox.NewPlugin(sandbox.Config{
		Name: filepath.Base(c.path), Module: m, Command: s.o.Command, CacheDir: cacheDir(s.o.CacheDir, "modules"),
		Limits: c.limits, Workers: s.o.Workers, Require: s.o.require(c.path), Log: s.o.Log, Interim: !s.o.Brief,
	})
	if err != nil {
		return plain(err)
	}
	if err := exports(box.Info()); err != nil {
		return err
	}
	c.box, c.plugin = box, p
	for i := range s.o.Library.Builtin {
		if b := &s.o.Library.Builtin[i]; manifest == nil && b.Module.Sum == m.Sum {
			manifest = b.Manifest // a copy of a built-in module
		}
	}
	if manifest != nil {
		d, err := describe(manifest, box)
		if err == nil {
			s.bind(c, d)
		}
		return err
	}
	if s.retry.Load() {
		s.memory.forget(p.Sum + failureFile)
	}
	if why := s.memory.failure(p.Sum, s.conditions(c)); why != "" {
		return errors.New(why + " (found at an earlier start; fcp-host doctor tries it again)")
	}
	if m := s.memory.manifest(p.Sum); m != nil {
		d, err := domain.New(m, box)
		if err != nil {
			s.memory.forget(p.Sum + manifestFile) // cached by an earlier build, which required less of a manifest
			return nil
		}
		s.bind(c, d)
	}
	return nil
}

func describe(raw []byte, box *sandbox.Plugin) (*domain.Domain, error) {
	m, err := domain.DecodeManifest(raw)
	if err != nil {
		return nil, err
	}
	return domain.New(m, box)
}

// exports checks that a module has the exports that every plugin needs.
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

// maxProblem bounds the text of a Problem, in bytes, since part of it is the plugin's.
const maxProblem = 600

// plain converts an error to one line, without the plugin's name, which the caller adds.
func plain(err error) error {
	text := err.Error()
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		text = e.Message
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), " ")
	if len(text) > maxProblem {
		text = strings.ToValidUTF8(text[:maxProblem], "") + "…"
	}
	return errors.New(text)
}
