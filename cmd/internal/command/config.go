package command

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/signature"
)

// configName is the configuration file in the user's configuration folder. It is not read from the
// working directory: whoever can put a file into a project could then choose plugins and roots.
const configName = "fcp-host.toml"

// config is the configuration file. Paths in it are relative to its folder. Flags override it.
type config struct {
	switches
	Roots         []string       `toml:"roots"`
	PluginFolders []string       `toml:"plugin-folders"`
	Plugins       []pluginConfig `toml:"plugin"`
	Tools         []string       `toml:"tools"` // offered typed tools: DOMAIN or DOMAIN/TOOL
	LogLevel      string         `toml:"log-level"`
	Journal       struct {
		Folder string `toml:"folder"`
		Off    bool   `toml:"off"`
	} `toml:"journal"`
	Open      map[string]string `toml:"open"`      // domains by file extension
	Variables map[string]string `toml:"variables"` // files that contain their values, instead of the environment
	Limits    map[string]any    `toml:"limits"`

	TrustedKeys map[string]string `toml:"trusted-keys"` // a public key, or its file, by a name for it

	Programs       map[string]string `toml:"programs"` // absolute paths by name
	RequestTimeout string            `toml:"request-timeout"`
}

// switches are the settings that are the same in the configuration file and as flags.
type switches struct {
	NoBuiltin     bool   `toml:"no-builtin"`
	Backup        bool   `toml:"backup"`
	OnlyPinned    bool   `toml:"only-pinned"`
	OnlySigned    bool   `toml:"require-signature"` // load added plugins only if a trusted key signed them
	RequireLayers bool   `toml:"require-layers"`
	Unconfined    bool   `toml:"unconfined-plugins"`
	Unified       bool   `toml:"unified"`
	Structured    bool   `toml:"structured"`      // serve
	WriteThrough  bool   `toml:"write-through"`   // serve over stdio
	View          bool   `toml:"view"`            // show the documents in a browser, serve
	Literal       bool   `toml:"literal-schemas"` // publish the domains' own schemas
	Unrated       bool   `toml:"no-rate-limits"`  // do not limit how often typed tools are called
	Cache         string `toml:"cache"`
	HTTPGrants    bool   `toml:"http-grants"` // clients on other machines may use grants, too
}

// pluginConfig is a [[plugin]] of the configuration: one plugin with its settings and grants.
type pluginConfig struct {
	File   string         `toml:"file"`   // or the name of a built-in or added domain
	Domain string         `toml:"domain"` // instead of File: a built-in or added domain; does not change whether it is served
	SHA256 string         `toml:"sha256"` // load only this module
	Roots  []string       `toml:"roots"`  // instead of the general ones
	Write  *bool          `toml:"write"`  // false: its documents can be read but not saved
	Limits map[string]any `toml:"limits"`
	Grant  []any          `toml:"grant"` // wants, as KIND:NAME or written out as a table

	grants []broker.Grant // parsed from Grant
}

// defaultConfig returns the path of the user's configuration file, or "" if it does not exist.
func defaultConfig() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(dir, "fcp-host", configName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// configure reads the file at path into settings that contain the defaults. Every error names the
// file, and the line if it is known.
func (s *settings) configure(path string) error {
	var c config
	meta, err := toml.DecodeFile(path, &c)
	if err != nil {
		if pe := new(toml.ParseError); errors.As(err, pe) {
			return fmt.Errorf("%s: line %d: %s", path, pe.Position.Line, pe.Message)
		}
		return fmt.Errorf("%s: %s", path, wrongType(files.Reason(err)))
	}
	ofGrants := func(k toml.Key) bool { return len(k) > 2 && k[0] == "plugin" && k[1] == "grant" } // tableGrants checks these
	if unknown := slices.DeleteFunc(meta.Undecoded(), ofGrants); len(unknown) > 0 {
		return fmt.Errorf("%s: unknown setting %s; docs/operations.md lists them", path, unknown[0])
	}
	base, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("%s: %w", path, err) }
	if err := s.limits.setAll(c.Limits, false); err != nil {
		return fail(err)
	}
	s.roots = expand(base, c.Roots)
	s.dirs = expand(base, c.PluginFolders)
	s.configDirs, s.switches = s.dirs, c.switches
	if s.trusted, err = trustedKeys(base, c.TrustedKeys); err != nil {
		return fail(err)
	}
	for _, offer := range c.Tools {
		if !isOffer(offer) {
			return fail(fmt.Errorf("tools: %q: write it as \"DOMAIN\" or \"DOMAIN/TOOL\"", offer))
		}
	}
	s.tools = c.Tools
	if s.Cache != "" && s.Cache != "off" {
		s.Cache = expandOne(base, s.Cache)
	}
	if c.LogLevel != "" {
		if err := setLevel(&s.level, c.LogLevel); err != nil {
			return fail(err)
		}
	}
	if s.open, err = checkOpen(c.Open); err != nil {
		return fail(err)
	}
	if s.programPaths, err = programsAt(base, c.Programs); err != nil {
		return fail(err)
	}
	s.noJournal = c.Journal.Off
	if c.Journal.Folder != "" {
		s.journalDir = expandOne(base, c.Journal.Folder)
	}
	if c.RequestTimeout != "" {
		if err := setRequestTimeout(&s.requestTimeout, c.RequestTimeout); err != nil {
			return fail(fmt.Errorf("request-timeout: %w", err))
		}
	}
	s.variables = map[string]string{}
	for name, file := range c.Variables {
		s.variables[name] = expandOne(base, file)
	}
	for i, p := range c.Plugins {
		if err := s.addPlugin(base, i, p); err != nil {
			return fail(err)
		}
	}
	return nil
}

// trustedKeys reads the public keys of the setting trusted-keys, in the order of their names.
func trustedKeys(base string, keys map[string]string) (trusted []signature.Key, err error) {
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		k, err := publicKey(base, keys[name])
		if err != nil {
			return nil, fmt.Errorf("trusted-keys: %s: %w", name, err)
		}
		k.Name = name
		trusted = append(trusted, k)
	}
	return trusted, nil
}

// addPlugin adds the i-th [[plugin]] of the configuration in the folder base.
func (s *settings) addPlugin(base string, i int, p pluginConfig) error {
	name := cmp.Or(p.File, p.Domain)
	path := installedPath(p.Domain)
	switch {
	case name == "":
		return fmt.Errorf("plugin %d has no file", i+1)
	case p.File != "" && p.Domain != "":
		return fmt.Errorf("plugin %s has a file and a domain; give one of them", name)
	case p.File != "":
		path = pluginPath(base, p.File)
	case path == "":
		return fmt.Errorf("plugin %s: no built-in or added domain has this name; for a file use file instead of domain", name)
	}
	if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != 0 && len(sum) != 32 {
		return fmt.Errorf("plugin %s: sha256 must be 64 hexadecimal digits; fcp-host inspect prints them", name)
	}
	p.SHA256 = strings.ToLower(p.SHA256)
	// Only checked here; they are applied once the flags are known.
	probe := s.limits
	if err := probe.setAll(p.Limits, true); err != nil {
		return fmt.Errorf("plugin %s: %w", name, err)
	}
	p.File, p.Roots = path, expand(base, p.Roots)
	var err error
	if p.grants, err = tableGrants(base, p.Grant); err != nil {
		return fmt.Errorf("plugin %s: %w", name, err)
	}
	if slices.ContainsFunc(s.plugins, func(q pluginConfig) bool { return plugin.Real(q.File) == plugin.Real(p.File) }) {
		return fmt.Errorf("plugin %s is listed twice", p.File)
	}
	if p.Domain == "" {
		s.files = append(s.files, p.File)
	}
	s.plugins = append(s.plugins, p)
	return nil
}

// checkOpen checks the setting open: the domains for file extensions that several domains can open.
func checkOpen(open map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for _, ext := range slices.Sorted(maps.Keys(open)) {
		if !strings.HasPrefix(ext, ".") || open[ext] == "" {
			return nil, fmt.Errorf("open: %q = %q: write it as \".svg\" = \"drawio\"", ext, open[ext])
		}
		out[strings.ToLower(ext)] = strings.ToLower(open[ext])
	}
	return out, nil
}

// wrongType rewrites the decoder's error for a value of the wrong type.
func wrongType(err error) string {
	m := regexp.MustCompile(`^toml: (line \d+) \(last key "([^"]*)"\): incompatible types: .* type (\w+)$`).FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	want, ok := map[string]string{"slice": "a list in brackets", "string": "text in quotes", "boolean": "true or false"}[m[3]]
	if !ok {
		want = "a table"
	}
	return fmt.Sprintf("%s: %s must be %s", m[1], m[2], want)
}

func (l *limits) setAll(values map[string]any, ofPlugin bool) error {
	// Use the table's order, so that the first error is always the same.
	left := len(values)
	for _, x := range limitTable() {
		v, ok := values[x.name]
		if !ok {
			continue
		}
		left--
		if err := l.set(x.name, fmt.Sprint(v), ofPlugin); err != nil {
			return err
		}
	}
	if left == 0 {
		return nil
	}
	for name, v := range values {
		if err := l.set(name, fmt.Sprint(v), ofPlugin); err != nil {
			return err
		}
	}
	return nil
}

func expand(base string, paths []string) list {
	var out list
	for _, p := range paths {
		out = append(out, expandOne(base, p))
	}
	return out
}

func expandOne(base, path string) string {
	path = expandHome(path)
	if files.IsURL(path) {
		return path
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// expandHome expands ~/ to the user's home folder, because no shell expands a client's settings, and reads file URIs.
func expandHome(path string) string {
	if named, _, err := files.FromURI(path); err == nil {
		path = named
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// pluginPath returns the path of a plugin in the configuration: a file relative to its folder, else the
// built-in or added domain of that name.
func pluginPath(base, name string) string {
	path := expandOne(base, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return cmp.Or(installedPath(name), path)
}

// installedPath returns the path of the built-in or added domain of a name, or "".
func installedPath(name string) string {
	if name == "" {
		return ""
	}
	all, err := builtin()
	if err != nil {
		return "" // loading reports this error
	}
	list, _ := addedFolder().Plugins() // loading reports this error, too
	own, err := plugin.Library{Builtin: all, Added: func() (pins []plugin.Pinned) {
		for _, p := range list {
			pins = append(pins, plugin.Pinned{Name: p.Name, Path: plugin.AddedPath(p.Name)})
		}
		return pins
	}}.Find(name)
	if err != nil || !plugin.IsBuiltin(own) && !plugin.IsAdded(own) {
		return ""
	}
	return own
}

// pluginGrants returns the settings of single plugins for the loader.
func (s *settings) pluginGrants(roots *files.Roots) (map[string]plugin.Grant, error) {
	out := map[string]plugin.Grant{}
	for _, p := range s.plugins {
		limits := s.limits
		if err := limits.setAll(p.Limits, true); err != nil {
			continue // cannot happen: configure has checked it
		}
		own, err := p.roots(roots)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", p.File, err)
		}
		out[p.File] = plugin.Grant{Sum: p.SHA256, Limits: limits.sandbox, Roots: own}
	}
	return out, nil
}

// configureSession passes the settings to the session.
func (s *settings) configureSession(sess *session.Session) {
	sess.SetLimits(s.limits.session)
	sess.Preferred = s.open
	sess.Others = s.elsewhere
	sess.SetTools(s.tools, s.Literal, !s.Unrated)
	sess.Memory = s.memory
	sess.SetPrograms(s.programs, s.probes, rand.Text())
}

// roots returns the roots of the plugin's documents, nil for the general ones.
func (p *pluginConfig) roots(general *files.Roots) (*files.Roots, error) {
	own := general
	if len(p.Roots) > 0 {
		var err error
		if own, err = general.Instead(p.Roots...); err != nil {
			return nil, err
		}
	}
	if p.Write != nil && !*p.Write {
		return own.ReadOnly(), nil
	}
	if own == general {
		return nil, nil
	}
	return own, nil
}
