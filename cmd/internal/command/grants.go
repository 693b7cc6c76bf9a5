package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// grantsForm lists and changes the grants in the grants file.
func grantsForm() form {
	var config string
	return form{
		usage: `usage: fcp-host grants [list]
       fcp-host grants add PLUGIN KIND:NAME…
       fcp-host grants revoke PLUGIN [KIND:NAME…]
`,
		flags: []option{
			{"PLUGIN", "", nil, pluginWord + "; revoke also takes the domain or the sha256 that list shows"},
			{"KIND:NAME", "", nil, "a want of the plugin, as fcp-host inspect lists it: http:api, program:ffmpeg, folder. If its headers use " +
				"variables that do not begin with the domain's name, a grant has to name them: http:api,OTHER_KEY"},
			{"config", "FILE", &config, "the configuration file, as for serve"},
		},
		notes: "A grant applies to exactly this module; a grant of http also only to the server and the variables that add shows.\n",
		complete: func(before []string) []candidate {
			switch len(before) {
			case 0:
				return subcommands("grants", "list", "add", "revoke")
			case 1:
				return builtinNames()
			}
			return nil
		},
		run: func(ctx context.Context, in input, io stdio) int { return grants(ctx, config, in.words, io.shown()) },
	}
}

func grants(ctx context.Context, config string, words []string, io stdio) int {
	path, err := grantsFile()
	if err != nil {
		io.complain("no folder for the grants file: %v", err)
		return exitFailed
	}
	file := broker.NewFile(path)
	file.Others = addedGrants(addedFolder())
	do := ""
	if len(words) > 0 {
		do = words[0]
	}
	switch {
	case len(words) == 0, do == "list" && len(words) == 1:
		err = listGrants(file, io)
	case do == "add" && len(words) > 2:
		err = addGrants(ctx, file, config, words[1], words[2:], io)
	case do == "revoke" && len(words) > 1:
		err = revokeGrants(ctx, file, words[1], words[2:], io)
	default:
		return wrongUsage
	}
	if err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	return exitOK
}

// grantsFile returns the path of the file in which `fcp-host grants` stores grants.
func grantsFile() (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, "grants.json"), err
}

func listGrants(file *broker.File, io stdio) error {
	shipped, err := defaultGrants()
	if err != nil {
		return err
	}
	return printGrants(file, shipped, io.out)
}

// printGrants prints the grants that built-in domains ship with, then those in the file.
func printGrants(file *broker.File, shipped []broker.Entry, out io.Writer) error {
	list, err := file.All()
	if err != nil {
		return err
	}
	for _, e := range shipped {
		how := "shipped with fcp-host"
		if revoked, _ := file.Revokes(e.Domain, e.Want); revoked { // the file was read a moment ago
			how += ", and revoked"
		}
		fmt.Fprintf(out, "%s %s\n  sha256 %s, %s\n", e.Domain, e.Want, e.Module, how)
	}
	if len(list)+len(shipped) == 0 {
		fmt.Fprintf(out, "nothing is granted in %s\n", file.Path())
	}
	for _, e := range list {
		fmt.Fprintf(out, "%s %s%s\n  sha256 %s, added %s\n", e.Domain, e.Want, grantScope(e), e.Module, e.Added)
	}
	return nil
}

// isDefault reports whether a built-in domain is granted a want by default: that of folders, if only folders are its documents.
func isDefault(m *abi.Manifest, want string) bool {
	return want == abi.WantFolder && m.Folder != nil && len(m.Extensions) == 0
}

// defaultGrants returns the default grants of this binary's domains.
func defaultGrants() ([]broker.Entry, error) {
	all, err := builtin()
	return defaultGrantsOf(all), err
}

func defaultGrantsOf(all []plugin.Builtin) (list []broker.Entry) {
	for _, b := range all {
		if m, err := domain.DecodeManifest(b.Manifest); err == nil {
			for _, w := range m.Wants {
				if isDefault(m, w.Key()) {
					list = append(list, broker.Entry{Module: hex.EncodeToString(b.Module.Sum[:]), Domain: m.Domain, Want: w.Key()})
				}
			}
		}
	}
	return list
}

// grantScope describes the server and the variables that a grant is limited to.
func grantScope(e broker.Entry) string {
	s := ""
	if e.Origin != "" {
		s = ": " + e.Origin
	}
	if len(e.Variables) > 0 {
		s += ", with " + strings.Join(e.Variables, ", ")
	}
	return s
}

func addGrants(ctx context.Context, file *broker.File, config string, name string, wants []string, io stdio) error {
	s, err := readConfig(config)
	if err != nil {
		return err
	}
	path, wasm, err := read(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m, err := s.describe(ctx, path, wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sum := sha256.Sum256(wasm)
	b := s.newBroker()
	fmt.Fprintf(io.out, "%s %s, %s\nsha256 %x\n", m.Domain, m.Version, path, sum)
	for _, want := range wants {
		e, err := b.Entry(m, hex.EncodeToString(sum[:]), want)
		if err != nil {
			return err
		}
		keep := file.Add
		if plugin.IsAdded(path) {
			keep = grantAdded(ctx)
		}
		if plugin.IsBuiltin(path) && isDefault(m, e.Want) {
			keep = file.Restore
		}
		if err := keep(e); err != nil {
			return err
		}
		i := slices.IndexFunc(m.Wants, func(w abi.Want) bool { return w.Key() == e.Want })
		fmt.Fprintf(io.out, "granted %s\n", b.Words(m, &m.Wants[i], nil))
	}
	return nil
}

func revokeGrants(ctx context.Context, file *broker.File, name string, wants []string, io stdio) error {
	sum := ""
	if _, wasm, err := read(name); err == nil {
		hash := sha256.Sum256(wasm)
		sum = hex.EncodeToString(hash[:])
	}
	shipped, err := defaultGrants()
	if err != nil {
		return err
	}
	matches := func(e broker.Entry) bool {
		return (e.Module == sum || e.Domain == name || len(name) >= 8 && strings.HasPrefix(e.Module, strings.ToLower(name))) &&
			(len(wants) == 0 || slices.Contains(wants, e.Want))
	}
	gone, err := file.Revoke(matches, shipped)
	if err != nil {
		return err
	}
	of, err := revokeAdded(ctx, matches)
	if err != nil {
		return err
	}
	gone = append(gone, of...)
	if len(gone) == 0 {
		return fmt.Errorf("no such grant in %s; fcp-host grants lists them", file.Path())
	}
	for _, e := range gone {
		fmt.Fprintf(io.out, "revoked %s %s%s\n", e.Domain, e.Want, grantScope(e))
	}
	return nil
}

// readConfig returns the defaults with the configuration file at path; "" is the user's, "off" is none.
func readConfig(path string) (*settings, error) {
	s := newSettings()
	path = expandHome(path)
	if path == "" {
		path = defaultConfig()
	}
	if path == "" || path == "off" {
		return s, nil
	}
	return s, s.configure(path)
}

// interpretFor limits the processor time of each step of interpreting a module for its manifest.
// Compiling takes several times as long.
const interpretFor = 10 * time.Second

// describe runs a module for its manifest. It interprets a module that is not in the cache, and
// compiles it into the cache if that fails.
func (s *settings) describe(ctx context.Context, path string, wasm []byte) (*abi.Manifest, error) {
	cache, err := s.cacheDir()
	if err == nil && cache != "" { // the cache only saves time
		cache = filepath.Join(cache, "modules")
	}
	box, err := sandbox.NewPlugin(sandbox.Config{Name: filepath.Base(path), Wasm: wasm, CacheDir: cache, Limits: sandbox.DefaultLimits(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer box.Close()
	var m *abi.Manifest
	err = errors.New("it was compiled")
	if !box.Cached() {
		var raw []byte
		if raw, err = box.Interpret(ctx, abi.ExportManifest, interpretFor); err == nil {
			m, err = domain.DecodeManifest(raw)
		}
	}
	if err != nil {
		if m, err = domain.Describe(ctx, box); err != nil {
			return nil, err
		}
	}
	_, err = domain.New(m, box)
	return m, err
}

// maxVariable limits the size of a variable's file, in bytes.
const maxVariable = 64 << 10
