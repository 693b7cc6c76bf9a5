package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a dependency in the binary or in one of its domains.
type module struct {
	path, version, dir string
	licences           []string // paths of files below dir
}

// builds lists the platforms and packages that go into our binaries.
var builds = []struct{ goos, goarch, pkg string }{
	{"linux", "amd64", "./cmd/fcp-host"}, {"linux", "arm64", "./cmd/fcp-host"}, {"darwin", "amd64", "./cmd/fcp-host"},
	{"darwin", "arm64", "./cmd/fcp-host"}, {"windows", "amd64", "./cmd/fcp-host"}, {"windows", "arm64", "./cmd/fcp-host"},
	{"wasip1", "wasm", "./plugins/..."},
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// modules lists the modules in any binary or domain, or only in the domains, with their licences.
func modules(domainsOnly bool) ([]module, error) {
	found := map[string]*module{}
	for _, b := range builds {
		if domainsOnly && b.goos != "wasip1" {
			continue
		}
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", b.pkg)
		cmd.Env = append(os.Environ(), "GOOS="+b.goos, "GOARCH="+b.goarch, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s for %s/%s: %w", b.pkg, b.goos, b.goarch, err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) < 4 {
				continue
			}
			m := found[f[0]]
			if m == nil {
				m = &module{path: f[0], version: f[1], dir: f[2]}
				found[f[0]] = m
			}
			if err := m.addLicences(f[3]); err != nil {
				return nil, err
			}
		}
	}
	var list []module
	for _, path := range slices.Sorted(maps.Keys(found)) {
		m := found[path]
		if len(m.licences) == 0 {
			return nil, fmt.Errorf("%s %s has no file with its licence", m.path, m.version)
		}
		slices.Sort(m.licences)
		list = append(list, *m)
	}
	return list, nil
}

// addLicences adds the licence files in a package's folder and in the folders above it in the module.
func (m *module) addLicences(dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			rel, err := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if e.Type().IsRegular() && licenceName.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") && !slices.Contains(m.licences, rel) {
				m.licences = append(m.licences, rel)
			}
		}
		if dir == m.dir {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// otherParts lists parts of domains that are not Go modules.
var otherParts = []struct{ title, file string }{
	{"Shapes and icons of draw.io, in the domain drawio", "plugins/drawio/internal/stencil/data/README.md"},
	{"Nodes of Flowise, in the domain flowise", "plugins/flowise/internal/catalogue/NOTICE"},
}

// notices returns the text that goes with each binary.
func notices() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("fcp-host is under the Apache License 2.0 (LICENSE). In it, and in the domains that are built in, is the work of others:\n")
	part := func(title string, files ...string) error {
		fmt.Fprintf(&b, "\n%s\n%s\n", strings.Repeat("=", 80), title)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n%s\n", bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
		}
		return nil
	}
	for _, c := range otherParts {
		if err := part(c.title, filepath.FromSlash(c.file)); err != nil {
			return nil, err
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	if err := part("The runtime and standard library of Go", filepath.Join(strings.TrimSpace(string(root)), "LICENSE")); err != nil {
		return nil, err
	}
	list, err := modules(false)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		var files []string
		for _, l := range m.licences {
			files = append(files, filepath.Join(m.dir, filepath.FromSlash(l)))
		}
		if err := part(m.path+" "+m.version, files...); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func writeNotices(file string) error {
	text, err := notices()
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
