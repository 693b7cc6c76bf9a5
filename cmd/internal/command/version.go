package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/fcp-host/fcp-host/host/domain"
)

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

func versionForm() form {
	var asJSON bool
	return form{
		usage: "usage: fcp-host version [--json]\n",
		flags: []option{{"json", "", &asJSON, "version, commit, and each built-in domain with its version and sha256, as JSON"}},
		run: func(_ context.Context, in input, io stdio) int {
			if len(in.words) > 0 {
				io.complain("version takes no %q", in.words[0])
				return exitUsage
			}
			b, err := thisBuild()
			if asJSON && err == nil {
				err = writeJSON(io.out, b)
			} else if !asJSON {
				b.print(io)
			}
			if err != nil {
				io.complain("%v", err)
				return exitFailed
			}
			return exitOK
		},
	}
}

// writeJSON prints a value for people and programs.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
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
