package files_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/conformance/roots"
	"github.com/fcp-host/fcp-host/host/files"
)

func TestNoSpellingOfAPathLeadsOutOfATree(t *testing.T) {
	m := &roots.Memory{}
	r := m.Roots(t)
	for _, path := range []string{"../x", "%2e%2e/x", "a/%2E%2e/%2e%2e/x", "%252e%252e/x", "..%2fx", "a%2fb", "a%5c..%5cb", `..\x`, `a\b`, "a%00b", "a\nb", "a\x1bb", "a%0ab", "a\xffb",
		"mem://bucket/prefix/../x", "mem://bucket/prefixed/x", "mem://other/prefix/x", "mem:///bucket/x", "mem://bucket", "mem:/bucket/prefix/../../x", "./mem://x\\y", strings.Repeat("x/", 451)} {
		if real, err := r.Resolve(path); err == nil {
			t.Errorf("%q leads to %s", path, real)
		}
	}
	for path, want := range map[string]string{
		"a": "a", "./a//b/../c": "a/c", "mem:/bucket/prefix/a": "a", "mem://bucket/prefix//a/": "a", "100%": "100%", "a%20b": "a%20b", ".": "", "mem://bucket/prefix": "", "mem://bucket/x/../prefix/a": "a",
	} {
		want = strings.TrimSuffix("mem://bucket/prefix/"+want, "/")
		if real, err := r.Resolve(path); err != nil || real != want {
			t.Errorf("%q leads to %s, %v, and not to %s", path, real, err, want)
		}
	}
}

func TestFoldersAndTreesAreRootsSideBySide(t *testing.T) {
	m := &roots.Memory{}
	dir := t.TempDir()
	trees := files.Trees{Open: map[string]func(string) (files.Tree, error){"mem": func(string) (files.Tree, error) { return m, nil }}}
	r, err := trees.NewRoots(dir, "mem://bucket/prefix/")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.All()) != 2 || len(r.Dirs()) != 1 || r.Folder() != r.Dirs()[0] {
		t.Errorf("the roots are %q, and paths start in %s", r.All(), r.Folder())
	}
	is := put(t, r, "mem://bucket/prefix/a", "there")
	put(t, r, "a", "here")
	if data, _ := m.Get(t, "a"); string(data) != "there" {
		t.Errorf("there is %q", data)
	}
	if data, _, err := r.Read(at(t, r, "a")); string(data) != "here" {
		t.Errorf("here is %q, %v", data, err)
	}
	if show := r.Show("mem://bucket/prefix/a"); show != "mem://bucket/prefix/a" {
		t.Errorf("it is shown as %s", show)
	}
	other, err := r.ReadOnly().Instead("mem://bucket/prefix")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write(at(t, other, "a"), nil, known(is)); err == nil {
		t.Error("it is written, though it may only be read")
	}
	if _, err := other.Resolve(dir + "/a"); !errors.Is(err, files.ErrOutside) {
		t.Errorf("the folder is still a root: %v", err)
	}
	for what, err := range map[string]error{
		"a folder to work in":   second(r.OpenDir(at(t, r, "mem://bucket/prefix/folder"))),
		"a folder that is made": second(r.MakeDir(at(t, r, "mem://bucket/prefix/folder"))),
	} {
		if err == nil || !strings.Contains(err.Error(), "a folder of this machine") {
			t.Errorf("%s: it is told %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestTheErrorOfAnInvalidRootHidesItsSecrets(t *testing.T) {
	open := func(string) (files.Tree, error) { return nil, errors.New("no such bucket") }
	trees := files.Trees{Open: map[string]func(string) (files.Tree, error){"mem": open}}
	for root, want := range map[string]string{
		"s3://bucket/prefix":            "fcp-hostd",
		"mem://key:hunter2@bucket/x":    "without a name, a password",
		"mem://bucket/x?secret=hunter2": "without a name, a password",
		"mem://":                        "mem://BUCKET/PREFIX",
		"mem://bucket/../x":             "mem://BUCKET/PREFIX",
		"mem://bucket//x":               "mem://BUCKET/PREFIX",
		"mem://bucket/x":                "no such bucket",
	} {
		if _, err := trees.NewRoots(root); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: it is told %v", root, err)
		}
	}
}
