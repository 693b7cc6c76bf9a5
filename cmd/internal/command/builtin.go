package command

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
)

// packed contains domains.zip, written by internal/pack, if the binary is built with domains.
// Without that file the program builds, too. Hidden files are not embedded, since pack's temporary
// file can vanish while the go command reads the folder.
//
//go:embed builtin
var packed embed.FS

// builtin returns the domains that are part of the binary.
var builtin = sync.OnceValues(func() ([]plugin.Builtin, error) {
	f, err := packed.Open("builtin/domains.zip")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	all, err := plugin.Unpack(f.(io.ReaderAt), info.Size())
	if err != nil {
		return nil, fmt.Errorf("the built-in domains: %w", err)
	}
	return all, nil
})

// referredDomains lists the domains that have a grant, offered typed tools, or a [[plugin]] in the
// configuration.
func (s *settings) referredDomains() (domains []string) {
	for _, tool := range s.tools {
		name, _, _ := strings.Cut(tool, "/")
		domains = append(domains, name)
	}
	for _, text := range s.grantFlags {
		name, _, _ := broker.ParseGrant(text) // flags has parsed it
		domains = append(domains, name)
	}
	for _, p := range s.plugins {
		domains = append(domains, plugin.BuiltinName(p.File))
	}
	if path, err := grantsFile(); err == nil {
		granted, _ := broker.NewFile(path).Entries() // an unreadable file grants nothing, and the first refusal says why
		for _, e := range granted {
			domains = append(domains, e.Domain)
		}
	}
	return domains
}

// library returns where plugins are looked up by name.
func (s *settings) library() (plugin.Library, error) {
	l := plugin.Library{Added: s.pinnedPlugins, Dirs: slices.Concat(s.dirs, s.configDirs, plugin.DefaultDirs())}
	if s.NoBuiltin {
		return l, nil
	}
	var err error
	l.Builtin, err = builtin()
	return l, err
}

// options returns the loader's options for the plugins that the settings name.
func (s *settings) options(cache string, roots *files.Roots, log *slog.Logger) (o plugin.Options, err error) {
	s.memory = session.Memory{Histories: budget.New(s.limits.histories), Workers: sandbox.NewWorkers(s.limits.workers)}
	o = plugin.Options{Files: s.files, Dirs: s.dirs, Defaults: plugin.DefaultDirs(),
		CacheDir: cache, Limits: s.limits.sandbox, Workers: s.memory.Workers, Wait: s.limits.listWait, HeadStart: time.Second, Log: log,
		RequireLayers: s.RequireLayers, Unconfined: s.Unconfined, OnlyPinned: s.OnlyPinned}
	if s.web.addr != "" {
		o.Parallel = runtime.NumCPU()
	}
	if folder := addedFolder(); folder.Dir() != "" {
		o.Lists = []string{folder.Lock()}
	}
	if o.Grants, err = s.pluginGrants(roots); err != nil {
		return o, err
	}
	o.Remote = s.referredDomains()
	o.Library, err = s.library()
	return o, err
}

// elsewhere lists the built-in domains with what would have them served.
func (s *settings) elsewhere() (list []session.Elsewhere) {
	all, _ := builtin() // an error was reported at the start
	for _, b := range all {
		m, err := domain.DecodeManifest(b.Manifest)
		if err != nil {
			continue
		}
		advice := "start fcp-host with --plugin " + b.Name + ", too, or without --plugin"
		switch named := len(s.files)+len(s.dirs) > 0; {
		case s.NoBuiltin:
			advice = "start fcp-host without --no-builtin"
		case !named && b.Remote:
			advice = "it works with a server: grant it one (fcp-host grants), or start fcp-host with --plugin " + b.Name
		}
		list = append(list, session.Elsewhere{Name: b.Name, Extensions: m.Extensions, Advice: advice})
	}
	return list
}

// read returns the module that a word of the command line names: a file, else the plugin of that
// name in the library.
func read(name string) (path string, wasm []byte, err error) {
	l, err := new(settings).library()
	if err != nil {
		return name, nil, err
	}
	path = name
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		if path, err = l.Find(name); err != nil {
			return name, nil, err
		}
	}
	wasm, err = l.Read(path)
	return path, wasm, err
}

// withoutDomains returns a remark if the binary was built without domains, else "".
func withoutDomains() string {
	if all, err := builtin(); err != nil || len(all) > 0 {
		return ""
	}
	return ": this fcp-host was built without domains (make builds it with them)"
}
