package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/conformance/guest"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// doctor shows and tests how plugins are isolated on this machine, and checks the folders that the
// host uses. It fails if a layer that is on does not work.
func doctor(ctx context.Context, args []string, io stdio) int {
	io = io.shown()
	s, rest, code := flags("doctor", args, io)
	if s == nil {
		return code
	}
	if len(rest) > 0 {
		io.complain("doctor takes no %q", rest[0])
		return exitUsage
	}
	fmt.Fprintf(io.out, "fcp-host %s, built with %s, %s/%s%s\n", hostVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel())
	ok := s.checkWorkers(io)
	ok = s.checkPrograms(ctx, io) && ok
	ok = s.checkFolders(ctx, io) && ok
	if !ok {
		fmt.Fprintln(io.out, "\nthere are problems: see the lines with !")
		return exitFailed
	}
	fmt.Fprintln(io.out, "\nno problems found")
	return exitOK
}

// checkWorkers starts a worker of each kind and has it attempt forbidden operations.
func (s *settings) checkWorkers(io stdio) bool {
	l := s.limits.sandbox
	fmt.Fprintf(io.out, "\nlimits of a plugin\n")
	fmt.Fprintf(io.out, "  a call %v, a start %v, compiling %v\n", l.Call, l.Start, l.Compile)
	fmt.Fprintf(io.out, "  memory of an instance %d MiB, of a worker %d MiB%s, address space %d MiB%s\n", l.Memory>>20,
		l.Resident>>20, onLinux("watched"), l.AddressSpace>>20, onLinux("enforced"))
	ok := true
	for _, kind := range []struct {
		title    string
		compiles bool
	}{{"a worker that runs a plugin", false}, {"a worker that compiles one", true}} {
		fmt.Fprintf(io.out, "\n%s\n", kind.title)
		report, err := selfTest(l, kind.compiles)
		if err != nil {
			fmt.Fprintf(io.out, "! %v\n", err)
			ok = false
			continue
		}
		ok = printAttempts(io, report.Layers, report.Attempts) && ok
	}
	return ok
}

// printAttempts prints the layers that confine a process and the attempts that succeeded. It reports
// whether every layer that is on works.
func printAttempts(io stdio, layers []confine.Layer, attempts []confine.Attempt) (ok bool) {
	ok = true
	held := false // seccomp alone refuses all attempts
	for _, layer := range layers {
		state := "on "
		if !layer.On {
			state = "off"
		}
		held = held || layer.On && layer.Name == "seccomp"
		fmt.Fprintf(io.out, "  %-13s %s  %s\n", layer.Name, state, layer.Detail)
	}
	blocked := 0
	for _, a := range attempts {
		if a.Blocked {
			blocked++
			continue
		}
		mark := " "
		if held {
			mark, ok = "!", false
		}
		fmt.Fprintf(io.out, "%s not refused: %s (%s)\n", mark, a.What, a.Result)
	}
	fmt.Fprintf(io.out, "  self-test     attempted %d forbidden operations, %d were refused\n", len(attempts), blocked)
	return ok
}

// checkPrograms lists the programs found, and has a caged process attempt forbidden operations.
func (s *settings) checkPrograms(ctx context.Context, io stdio) bool {
	fmt.Fprintf(io.out, "\na program of the system, such as ffmpeg\n")
	report, err := cagedTest(ctx)
	if err != nil {
		fmt.Fprintf(io.out, "  none is run: %v\n", err) // not a problem: nothing runs uncaged
		return true
	}
	ok := printAttempts(io, report.Layers, report.Attempts)
	names := slices.Concat(program.Known(), slices.Collect(maps.Keys(s.programPaths)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if p, err := s.programs.Finder.Find(name); err != nil {
			fmt.Fprintf(io.out, "  %v\n", err)
		} else {
			fmt.Fprintf(io.out, "  %-13s %s\n", name, p.Path)
		}
	}
	return ok
}

func cagedTest(ctx context.Context) (*program.Report, error) {
	dir, err := os.MkdirTemp("", "fcp-doctor-*")
	if err != nil {
		return nil, fmt.Errorf("cannot create a folder in the temporary folder (TMPDIR): %w", err)
	}
	defer os.RemoveAll(dir)
	r, err := program.NewRunner(dir)
	if err != nil {
		return nil, err
	}
	return r.SelfTest(ctx)
}

// selfTest has a worker attempt forbidden operations. A compiling worker gets a file to write to.
func selfTest(l sandbox.Limits, compiles bool) (*sandbox.Report, error) {
	var fill *os.File
	if compiles {
		var err error
		if fill, err = os.CreateTemp("", "fcp-doctor-*"); err != nil {
			return nil, fmt.Errorf("cannot create a file in the temporary folder (TMPDIR): %w", err)
		}
		defer os.Remove(fill.Name())
		defer fill.Close()
	}
	return sandbox.SelfTest(sandbox.Config{Name: "self-test", Limits: l}, fill)
}

func onLinux(word string) string {
	if runtime.GOOS == "linux" {
		return " (" + word + ")"
	}
	return " (not " + word + " on " + runtime.GOOS + ")"
}

// checkFolders checks the cache, the plugin folders, and the plugins that would be loaded.
func (s *settings) checkFolders(ctx context.Context, io stdio) bool {
	ok := true
	fmt.Fprintln(io.out, "\nfolders")
	cache, err := s.cacheDir()
	switch {
	case err != nil:
		fmt.Fprintf(io.out, "! cache: none (%v); every start compiles the plugins: name a folder with --cache\n", err)
		ok = false
	case cache == "":
		fmt.Fprintln(io.out, "  cache: off; every start compiles the plugins")
	default:
		entries, size, err := cacheSize(cache)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(io.out, "  cache: %s, created at the first start\n", cache)
		case err != nil:
			fmt.Fprintf(io.out, "! cache: %s: %v\n", cache, err)
			ok = false
		default:
			fmt.Fprintf(io.out, "  cache: %s, %d modules, %d MB\n", cache, entries, (size+500_000)/1_000_000)
			if err := sandbox.CheckPrivate(filepath.Join(cache, "modules")); err != nil && !errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(io.out, "! it is not used: %v\n", err)
				ok = false
			}
		}
	}
	dirs, named := []string(s.dirs), len(s.dirs)+len(s.files) > 0
	if !named {
		dirs = plugin.DefaultDirs()
	}
	for _, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			mark := " "
			if named {
				mark, ok = "!", false
			}
			fmt.Fprintf(io.out, "%s plugins: %s: %v\n", mark, dir, files.Reason(err))
			continue
		}
		fmt.Fprintf(io.out, "  plugins: %s\n", dir)
	}
	if list, err := addedFolder().Plugins(); err == nil && len(list) > 0 { // errors are among the problems below
		fmt.Fprintf(io.out, "  added: %s, %d plugins\n", addedFolder().Dir(), len(list))
	}
	set, err := s.loadAll(ctx, cache, io)
	if err != nil {
		fmt.Fprintf(io.out, "! %v\n", err)
		return false
	}
	defer set.Close()
	fmt.Fprintln(io.out, "\nplugins")
	for _, p := range set.Plugins() {
		m := p.Domain.Manifest
		fmt.Fprintf(io.out, "  %s %s  %s  sha256 %s\n", m.Domain, m.Version, p.Path, p.Sum)
		// Its manifest may come from the cache, so the module may never have run.
		// It must not be interpreted now, but compiled.
		err := p.Domain.Plugin().Warm(ctx)
		var i *sandbox.Instance
		if err == nil {
			i, err = p.Domain.Plugin().NewInstance(ctx, 0)
		}
		if err != nil {
			fmt.Fprintf(io.out, "! no instance of it starts: %v\n", err)
			ok = false
			continue
		}
		i.Close()
		if s.deep {
			ok = s.checkEngines(ctx, p, cache, io) && ok
		}
	}
	for _, p := range set.Problems() {
		fmt.Fprintf(io.out, "! %v\n", p)
		ok = false
	}
	if len(set.Plugins())+len(set.Problems()) == 0 {
		fmt.Fprintln(io.out, "  none")
	}
	return ok
}

// checkEngines runs a plugin's examples compiled and interpreted, and reports whether all answers are the same.
func (s *settings) checkEngines(ctx context.Context, p *plugin.Plugin, cache string, io stdio) bool {
	if cache != "" {
		cache = filepath.Join(cache, "modules") // as serve does
	}
	path, wasm, err := read(p.Path)
	var c *guest.Check
	if err == nil {
		c, err = guest.Engines(ctx, path, wasm, guest.Options{CacheDir: cache, Limits: s.limits.sandbox})
	}
	switch {
	case err != nil:
		fmt.Fprintf(io.out, "! its engines cannot be compared: %v\n", err)
	case !c.OK():
		fmt.Fprintf(io.out, "! %s\n", strings.ReplaceAll(c.Problems[0], "\n", "\n  "))
	default:
		fmt.Fprintf(io.out, "    %d answers are the same compiled and interpreted\n", c.Looked)
		return true
	}
	return false
}

// loadAll loads the plugins that would be served, including those that failed at an earlier
// start.
func (s *settings) loadAll(ctx context.Context, cache string, io stdio) (*plugin.Set, error) {
	roots, err := s.newRoots()
	if err != nil {
		return nil, err
	}
	o, err := s.options(cache, roots, s.log(io))
	if err != nil {
		return nil, err
	}
	o.Retry = true
	return plugin.Load(ctx, o)
}

// cacheSize counts the modules in a cache folder and the bytes of all its files.
func cacheSize(cache string) (modules int, size int64, err error) {
	if _, err := os.ReadDir(cache); err != nil {
		return 0, 0, files.Reason(err)
	}
	entries, _ := os.ReadDir(filepath.Join(cache, "modules")) // none yet
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), "tmp-") {
			modules++
		}
	}
	err = filepath.WalkDir(cache, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return modules, size, err
}
