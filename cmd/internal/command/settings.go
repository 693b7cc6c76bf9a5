package command

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/resource"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/signature"
)

// settings holds the configuration file and the flags of serve, exec, view and doctor.
type settings struct {
	switches
	files, dirs, roots list
	configDirs         list            // of the configuration, even if flags replace them
	trusted            []signature.Key // keys whose signatures are trusted
	plugins            []pluginConfig
	open               map[string]string // domains by file extension
	otel               bool              // serve
	tools              list              // offered typed tools, serve
	limits             limits
	memory             session.Memory // derived from limits by load
	level              slog.Level
	journalDir         string
	noJournal          bool

	store    stored   // serve, if the program has stores
	rootHost RootHost // if the program has roots other than folders

	web   web  // serve
	watch bool // reload plugins when their files change, serve
	brief bool // compile modules only when a call needs them

	deep      bool // doctor
	keepGoing bool // exec
	batch     bool // exec
	json      bool // exec
	lines     list // of the script, exec
	session   string
	sessions  bool   // list them, exec
	pictures  string // folder, exec

	grantFlags     list              // DOMAIN=KIND:NAME
	variables      map[string]string // files that contain their values, by name
	requestTimeout time.Duration
	stamp          func() (int, []byte) // nil for the real clock
	broker         *broker.Broker

	programPaths map[string]string // by name
	programs     *program.Set
	probes       *resource.Probes

	pprof string // address of the profiles, "" for none
}

type list []string

func (l *list) String() string { return strings.Join(*l, ", ") }

func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// newSettings returns the defaults.
func newSettings() *settings {
	return &settings{limits: defaultLimits(), level: slog.LevelWarn, requestTimeout: domain.DefaultRequests, web: web{idle: 30 * time.Minute},
		store: stored{lease: defaultLease, wait: 5 * time.Second}, rootHost: RootHost{Wait: 10 * time.Second}}
}

// flags parses args into settings and the remaining words. It reads the configuration file first; a
// list given by flags replaces the file's list.
func flags(name string, args []string, io stdio) (*settings, []string, int) {
	s, err := readConfig(configFlag(args))
	fail := func(err error) (*settings, []string, int) {
		io.complain("%v", err)
		return nil, nil, exitUsage
	}
	if err != nil {
		return fail(err)
	}
	if name == "serve" && self.Stores != nil {
		s.store.url = os.Getenv(storeVariable)
	}
	given := &flagLists{}
	in, err := parseFlags(s.flagsOf(name, given), args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(io.out, knownCommands())
		return nil, nil, exitOK
	case err != nil:
		return fail(err)
	}
	for _, l := range []list{given.files, given.dirs, given.roots} {
		for i := range l {
			l[i] = expandHome(l[i])
		}
	}
	for _, path := range []*string{&s.Cache, &s.journalDir, &s.web.tokens, &s.web.cert, &s.web.key, &s.web.audit, &s.store.authorities, &s.pictures} {
		*path = expandHome(*path)
	}
	if len(given.files)+len(given.dirs) > 0 {
		s.files, s.dirs = given.files, given.dirs
	}
	if len(given.roots) > 0 {
		s.roots = given.roots
	}
	if len(given.tools) > 0 {
		s.tools = given.tools
	}
	if in.given["journal-dir"] && !in.given["no-journal"] {
		s.noJournal = false
	}
	s.programs, s.probes = s.newPrograms(), &resource.Probes{}
	s.broker = s.newBroker()
	return s, append(in.words, in.rest...), exitOK
}

// isOffer reports whether s names a domain, or one of its typed tools.
func isOffer(s string) bool {
	dom, tool, one := strings.Cut(s, "/")
	return dom != "" && (tool != "" || !one) && !strings.ContainsAny(tool, "/ ")
}

// setLevel parses a log level.
func setLevel(l *slog.Level, text string) error {
	if slices.Contains([]string{"debug", "info", "warn", "error"}, text) {
		return l.UnmarshalText([]byte(text))
	}
	return fmt.Errorf("log-level %q: use debug, info, warn or error", text)
}

// configFlag returns the value of --config, which is needed before the other flags are parsed.
func configFlag(args []string) string {
	value := ""
	for i, a := range args {
		if a == "--" {
			break
		}
		name := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
		if name == a {
			continue
		}
		if v, ok := strings.CutPrefix(name, "config="); ok {
			value = v
		} else if name == "config" && i+1 < len(args) {
			value = args[i+1]
		}
	}
	return value
}

func (s *settings) log(io stdio) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.err, &slog.HandlerOptions{Level: s.level}))
}

// load starts the plugins that the settings name, and reports broken ones, now and later. It
// returns nil if the settings are wrong.
func (s *settings) load(io stdio, log *slog.Logger) (*plugin.Set, *files.Roots) {
	roots, err := s.newRoots()
	if err != nil {
		io.complain("%v", err)
		return nil, nil
	}
	if s.Backup {
		roots = roots.Backup()
	}
	for _, line := range roots.Missing() {
		io.complain("%s", line)
	}
	if len(roots.All()) == 0 && len(s.roots) == 0 {
		log.Warn("the working directory is the root of the file system, so no files can be opened unless the client names its folders; allow a folder with --root DIR")
	}
	cache, err := s.cacheDir()
	if err != nil {
		log.Warn("no cache folder, so every start compiles the plugins", "error", err)
	}
	o, err := s.options(cache, roots, log)
	if err != nil {
		io.complain("%v", err)
		return nil, nil
	}
	for _, p := range s.plugins {
		if own := o.Grants[p.File].Roots; own != nil && len(p.Roots) > 0 {
			for _, line := range own.Missing() {
				io.complain("plugin %s: %s", p.File, line)
			}
		}
	}
	o.World, o.Requests, o.Stamp, o.Watch, o.Brief = s.worlds(io), s.requestTimeout, s.stamp, s.watch, s.brief
	s.preparePrograms(roots)
	o.Report = func(p plugin.Problem) { io.complain("%v", p) }
	set := plugin.Start(o)
	switch none := len(set.Catalog().Domains)+len(set.Catalog().Absent) == 0; {
	case none && s.watch && len(s.dirs) > 0:
		io.complain("no plugin found; plugins added to %s will be served", strings.Join(s.dirs, " or "))
	case none:
		io.complain("no plugin found%s; name one with --plugin FILE.wasm, or put it into %s", withoutDomains(), strings.Join(plugin.DefaultDirs(), " or "))
	}
	return set, roots
}

// cacheDir returns the cache folder of the settings, or the default one; "" for none.
func (s *settings) cacheDir() (string, error) {
	switch s.Cache {
	case "off":
		return "", nil
	case "":
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, "fcp-host"), nil
	}
	return s.Cache, nil
}
