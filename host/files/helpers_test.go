package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place is a root "in" and, beside it, a folder "out" that is not a root.
type place struct {
	t       testing.TB
	in, out string
	*Roots
}

func newPlace(t testing.TB) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, in: filepath.Join(base, "in"), out: filepath.Join(base, "out")}
	for _, dir := range []string{filepath.Join(p.in, "sub"), p.out} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if p.Roots, err = NewRoots(p.in); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) put(path, text string) string {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.in, path)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) link(target, name string) {
	p.t.Helper()
	if err := os.Symlink(target, filepath.Join(p.in, name)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) text(path string) string {
	p.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// names lists the files in a folder, to find leftover ones.
func (p *place) names(dir string) string {
	p.t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		p.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
