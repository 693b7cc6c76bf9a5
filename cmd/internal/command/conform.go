package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/conformance/guest"
	"github.com/fcp-host/fcp-host/conformance/server"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// conformFlags are the flags of conform.
type conformFlags struct {
	fixtures, ops list
	samples       list
	scale         int
	html          string
	suite         string
	server        string
	domain        string
	wait          time.Duration
	count         int
	length        time.Duration
	seed          uint64
	timeout       time.Duration
	cache         string
	json          bool
}

func conformForm() form {
	c := conformFlags{wait: 30 * time.Second, count: 150, scale: 3000, length: 30 * time.Second, seed: 1, timeout: 10 * time.Second}
	return form{
		usage: `usage:
  fcp-host conform                            the fixtures, against this host's own packages
  fcp-host conform --fixtures FILE|DIR        other fixtures (repeatable)
  fcp-host conform --server 'CMD …'           any FCP server, against M1–M7, S1–S7, O1–O6
  fcp-host conform --server 'CMD …' --fixtures builtin --domain names
                                              the fixtures that need a server
  fcp-host conform PLUGIN…                    a plugin, against the promises of the ABI: a .wasm file, or the name of
                                              one that is built in, was added or is in a plugin folder

flags:
`,
		flags: []option{
			{"fixtures", "FILE|DIR", &c.fixtures, "fixtures, builtin for those of this program (repeatable)"},
			{"server", "'CMD …'", &c.server, "the command that starts the server"},
			{"suite", "NAME", &c.suite, "the suite of fixture files that do not name one"},
			{"domain", "D", &c.domain, "the domain of the server's tools, or of its documents if it has fcp_ tools (default: detected)"},
			{"op", "'OP'", &c.ops, "an operation that works on a new document of the server (repeatable, in order)"},
			{"wait", "D", &c.wait, "how long the server may take for one answer (default 30s)"},
			{"for", "D", &c.length, "how long to keep checking a plugin while no problem is found: rounds of random operations, each with twice as " +
				"many as the one before (default 30s, or 0 with --ops: only the first round)"},
			{"ops", "N", &c.count, "operations of the first round, in addition to the examples (default 150)"},
			{"file", "SAMPLE", &c.samples, "a file of the plugin's format, or a folder of them, to open, save, damage and edit (repeatable). For a " +
				"domain with folder documents, a folder is one document"},
			{"scale", "N", &c.scale, "elements of the largest generated document (default 3000)"},
			{"html", "FILE", &c.html, "also write the report as an HTML page to FILE"},
			{"seed", "N", &c.seed, "seed of the generated operations (default 1)"},
			{"timeout", "D", &c.timeout, "how long one call of a plugin may take (default 10s)"},
			{"cache", "DIR", &c.cache, `folder of compiled plugins ("off" for none)`},
			{"json", "", &c.json, "print the report as JSON"},
		},
		notes:    "\nexit codes: 0 conforms, 1 does not, 2 wrong usage\n",
		complete: func([]string) []candidate { return pluginNames() },
		run:      func(ctx context.Context, in input, io stdio) int { return c.start(ctx, in, io) },
	}
}

func (c *conformFlags) start(ctx context.Context, in input, io stdio) int {
	files, given := in.words, in.given
	switch {
	case len(files) > 0 && (c.server != "" || len(c.fixtures) > 0):
		io.complain("conform checks plugins, a server or fixtures, one at a time")
		return exitUsage
	case given["server"] && strings.TrimSpace(c.server) == "":
		io.complain("--server is empty: give the command that starts the server")
		return exitUsage
	case c.server == "" && (given["domain"] || given["op"] || given["wait"]):
		io.complain("--domain, --op and --wait need --server")
		return exitUsage
	case len(files) == 0 && (given["file"] || given["scale"] || given["html"]):
		io.complain("--file, --scale and --html need a plugin, as in conform todo.wasm --file sample.todo")
		return exitUsage
	case c.count < 1 || c.scale < 1 || c.wait <= 0 || c.timeout <= 0 || c.length < 0:
		io.complain("--ops, --scale, --wait and --timeout must be more than 0, and --for at least 0")
		return exitUsage
	case len(files) > 0:
		if given["ops"] && !given["for"] {
			c.length = 0
		}
		return c.plugins(ctx, files, io)
	case c.server != "" && len(c.fixtures) == 0:
		return c.judge(ctx, io)
	}
	return c.run(ctx, io)
}

// run runs fixtures; if none are named, those of the binary.
func (c *conformFlags) run(ctx context.Context, io stdio) int {
	if len(c.fixtures) == 0 {
		c.fixtures = list{"builtin"}
	}
	var all []conformance.Fixture
	for _, path := range c.fixtures {
		if path == "builtin" {
			builtin := conformance.Builtin()
			for _, f := range builtin {
				if c.suite == "" || f.Suite == conformance.SuiteName(c.suite) {
					all = append(all, f)
				}
			}
			if len(all) == 0 {
				io.complain("unknown suite %q; there are %s", c.suite, strings.Join(conformance.Suites(), ", "))
				return exitUsage
			}
			continue
		}
		fixtures, err := conformance.Read(path, c.suite)
		if err != nil {
			io.complain("%v", err)
			return exitUsage
		}
		all = append(all, fixtures...)
	}
	adapters := conformance.Native()
	if c.server != "" {
		argv, err := server.Split(c.server)
		if err != nil {
			io.complain("--server: %v", err)
			return exitUsage
		}
		steps := conformance.Steps(ctx, func(ctx context.Context, dir string) (conformance.Tools, func(), error) {
			s, err := server.Start(ctx, server.Command{Argv: absolute(argv), Dir: dir, Domain: c.domain, Wait: c.wait})
			if err != nil {
				return nil, nil, err
			}
			return s, s.Close, nil
		})
		// The other suites test a library's functions, which a server does not expose.
		adapters = map[string]conformance.Adapter{}
		for _, suite := range conformance.StepSuites() {
			adapters[suite] = steps
		}
		all = slices.DeleteFunc(all, func(f conformance.Fixture) bool { return f.Err == nil && adapters[f.Suite] == nil })
		if len(all) == 0 {
			io.complain("none of these fixtures can be run against a server; those of %s can", strings.Join(conformance.StepSuites(), ", "))
			return exitUsage
		}
	}
	report := conformance.Run(all, adapters)
	if report.Total() == 0 {
		io.complain("these fixtures need a server of the domain \"names\": name one with --server")
		return exitUsage
	}
	if c.json {
		return c.print(io, report, report.OK())
	}
	report.Write(io.out)
	return verdict(report.OK())
}

// judge checks a server against the requirements.
func (c *conformFlags) judge(ctx context.Context, io stdio) int {
	argv, err := server.Split(c.server)
	if err != nil {
		io.complain("--server: %v", err)
		return exitUsage
	}
	report, err := server.Judge(ctx, server.Command{Argv: absolute(argv), Domain: c.domain, Wait: c.wait}, c.ops)
	if err != nil {
		io.complain("%s: %v", c.server, err)
		return exitFailed
	}
	if c.json {
		return c.print(io, report, report.OK())
	}
	report.Write(io.out)
	return verdict(report.OK())
}

// absolute makes paths in a command absolute, so that it works in another folder. It changes each
// word that names an existing file or folder, if it looks like a path or, after the program, like a
// file name (server.py).
func absolute(argv []string) []string {
	dir, err := os.Getwd()
	if err != nil {
		return argv
	}
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = a
		if strings.HasPrefix(a, "/") || strings.HasPrefix(a, "-") {
			continue
		}
		named := i > 0 && filepath.Ext(a) != ""
		if info, err := os.Stat(a); err == nil && (strings.Contains(a, "/") || named && info.Mode().IsRegular()) {
			out[i] = dir + string(os.PathSeparator) + a
		}
	}
	return out
}

// plugins checks .wasm files against the ABI.
func (c *conformFlags) plugins(ctx context.Context, files []string, io stdio) int {
	limits := sandbox.DefaultLimits()
	limits.Call = c.timeout
	cache := c.cache
	switch cache {
	case "off":
		cache = ""
	case "":
		if dir, err := os.UserCacheDir(); err == nil {
			cache = filepath.Join(dir, "fcp-host")
		}
	}
	if cache != "" {
		cache = filepath.Join(cache, "modules") // as serve does
	}
	var reports []*guest.Report
	ok := true
	for _, name := range files {
		path, wasm, err := read(name)
		if err != nil {
			io.complain("%s: %v", name, err)
			return exitUsage
		}
		if c.length > 0 {
			io.complain("checking %s for %v (--for)", path, c.length)
		}
		r, err := guest.Judge(ctx, path, wasm, guest.Options{Ops: c.count, For: c.length, Samples: c.samples, Scale: c.scale, Seed: c.seed, CacheDir: cache, Limits: limits})
		if err != nil {
			io.complain("%v", err)
			return exitFailed
		}
		reports, ok = append(reports, r), ok && r.OK()
		if !c.json {
			r.Write(io.out)
		}
	}
	if c.html != "" {
		if err := writeHTML(c.html, reports); err != nil {
			io.complain("--html: %v", err)
			return exitFailed
		}
	}
	if c.json {
		return c.print(io, reports, ok)
	}
	return verdict(ok)
}

// writeHTML writes the reports to a file as an HTML page.
func writeHTML(name string, reports []*guest.Report) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = guest.WriteHTML(f, reports)
	return errors.Join(err, f.Close())
}

func (c *conformFlags) print(io stdio, report any, ok bool) int {
	if err := writeJSON(io.out, report); err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	return verdict(ok)
}

func verdict(ok bool) int {
	if ok {
		return exitOK
	}
	return exitFailed
}
