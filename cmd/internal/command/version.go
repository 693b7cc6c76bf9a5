package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/fcp-host/fcp-host/host/domain"
)

const versionUsage = `usage: fcp-host version [--json]
  --json  version, commit, and each built-in domain with its version and sha256, as JSON
`

// build describes what this binary was built from.
type build struct {
	Version string        `json:"version"`
	Commit  string        `json:"commit,omitempty"` // of the sources
	Module  string        `json:"module,omitempty"` // checksum of the sources as the go command fetched them
	Go      string        `json:"go"`
	OS      string        `json:"os"`
	Arch    string        `json:"arch"`
	Domains []builtDomain `json:"domains"`
}

// builtDomain is a built-in domain.
type builtDomain struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	Remote  bool   `json:"remote"` // served only if it has a grant or is named
}

func hostVersion() string {
	if self.Version != "" {
		return self.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}

// thisBuild describes the running binary. The error is about its domains.
func thisBuild() (*build, error) {
	b := &build{Version: hostVersion(), Commit: self.Commit, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Domains: []builtDomain{}}
	if info, ok := debug.ReadBuildInfo(); ok && self.Commit == "" {
		b.Module = info.Main.Sum
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	all, err := builtin()
	if err != nil {
		return b, err
	}
	for _, d := range all {
		m, err := domain.DecodeManifest(d.Manifest)
		if err != nil {
			return b, fmt.Errorf("%s: %w", d.Path(), err)
		}
		b.Domains = append(b.Domains, builtDomain{m.Domain, m.Version, fmt.Sprintf("%x", d.Module.Sum), d.Remote})
	}
	return b, nil
}

func printVersion(_ context.Context, args []string, io stdio) int {
	f := newFlags()
	asJSON := f.Bool("json", false, "")
	words, err := parseInterspersed(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(io.out, versionUsage)
		return exitOK
	case err != nil:
		io.complain("%v", wrongFlag(err))
		return exitUsage
	case len(words) > 0:
		io.complain("version takes no %q", words[0])
		return exitUsage
	}
	b, err := thisBuild()
	if *asJSON && err == nil {
		enc := json.NewEncoder(io.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(b)
	} else if !*asJSON {
		b.print(io)
	}
	if err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	return exitOK
}

func (b *build) print(io stdio) {
	from := ""
	switch {
	case b.Commit != "":
		from = ", commit " + b.Commit
	case b.Module != "":
		from = ", module " + b.Module
	}
	fmt.Fprintf(io.out, "%s %s%s, %s %s/%s\n", self.Name, b.Version, from, b.Go, b.OS, b.Arch)
	for _, d := range b.Domains {
		served := ""
		if d.Remote {
			served = ", served only if it has a grant or is named"
		}
		fmt.Fprintf(io.out, "builtin:%s %s sha256 %s%s\n", d.Name, d.Version, d.SHA256, served)
	}
	if len(b.Domains) == 0 {
		fmt.Fprintln(io.out, "no built-in domains")
	}
}
