// Package plugin finds .wasm files, identifies them by their sha256 and gives
// the domains in them. What a module says of itself is asked once and cached,
// so that a start answers without running anything.
package plugin

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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
	Files    []string // modules, as Library.Find takes them
	Dirs     []string // folders of .wasm files
	Defaults []string // folders used, behind what is built in, when there are neither; missing ones are passed over
	Library  Library  // what is built in, and where Files are looked for
	Remote   []string // built-in domains that work with a server, of which only these are served when nothing is named
	CacheDir string   // for manifests and compiled modules; "" for none
	Command  []string // starts a worker; nil for this binary
	Limits   sandbox.Limits
	Workers  *sandbox.Workers // what the workers of all modules may take, nil for no bound
	Parallel int              // workers of a module where its limits do not say; 0 for one
	Grants   map[string]Grant // of single modules, by their paths; each holds for the same file by another path, too
	Log      *slog.Logger

	RequireLayers bool // run nothing where a layer of the system's confinement is missing
	Unconfined    bool // run what is not built in even where the system confines nothing
	OnlyPinned    bool // load nothing that is not built in, was not added and has no Grant with a Sum

	World    func(*Plugin) domain.World // what a domain that is served may ask for; nil for nothing
	Requests time.Duration              // how long the requests of one call may take together; 0 for the default
	Stamp    func() (int, []byte)       // the time and the nonce that domains are told: see domain.Domain

	Watch  bool          // look anew when files come, change or go
	Lists  []string      // files beside the modules whose change may mean other modules: see Library.Added
	Wait   time.Duration // how long, after Start, a client waits for the manifests of new modules; 0 for DefaultWait
	Brief  bool          // compile a module when a call needs it, and none ahead: what serves them ends soon
	Retry  bool          // try again what failed at an earlier start
	Report func(Problem) // told of each problem once, one at a time; nil for none
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

// grant is what holds for the module at path. Links are followed each time: they may lead elsewhere by now.
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

// Grant is what holds for one module instead of what holds for all.
type Grant struct {
	Sum    string // sha256 that the module has to have, hex; "" for any
	Limits sandbox.Limits
	Roots  *files.Roots // where its documents may lie; nil for the general roots
}

// Plugin is one loaded module.
type Plugin struct {
	Path   string // of its file, of a built-in module, or of what was added
	Sum    string // sha256, hex
	Domain *domain.Domain
}

// Problem is a module that is not served, and why, in one line.
type Problem struct {
	Path string // or the name that has none
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("plugin %s: %v", reply.Line(p.Path), p.Err) }

// Real is the absolute path of a file with symbolic links resolved, as far as
// it has one: what is granted to a file holds by whatever path it is loaded.
// That of a built-in module or an added plugin stays as it is.
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

// read reads the module of a candidate, and looks up what is known of it.
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
		Limits: c.limits, Workers: s.o.Workers, Require: s.o.require(c.path), Log: s.o.Log, Compiling: s.compiler.forCall,
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
			manifest = b.Manifest // a copy of one that is known
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
			s.memory.forget(p.Sum + manifestFile) // this build asks more of it
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
