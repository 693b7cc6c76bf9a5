// Package testwasm builds the plugins that tests run, once for each test process, and finds test data.
package testwasm

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var builds sync.Map // package path → func() (string, error)

// Build compiles a main package of this module, by its path below the module's root ("plugins/midi"), to wasm and
// returns the file. If the folder FCP_WASM has a file named after the package's last element, Build returns that: the
// Makefile builds them once for all test processes.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	once, _ := builds.LoadOrStore(pkg, sync.OnceValues(func() (string, error) { return build(pkg) }))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// List builds the plugin of the host's own tests.
func List(t testing.TB) string { t.Helper(); return Build(t, "internal/testwasm/testdata/list") }

// World builds the plugin that reaches the world in every way.
func World(t testing.TB) string { t.Helper(); return Build(t, "internal/testwasm/testdata/world") }

// Shelf builds the plugin for folders.
func Shelf(t testing.TB) string { t.Helper(); return Build(t, "internal/testwasm/testdata/shelf") }

// Deck builds the plugin for tests of folder documents and remote documents.
func Deck(t testing.TB) string { t.Helper(); return Build(t, "internal/testwasm/testdata/deck") }

func build(pkg string) (string, error) {
	name := filepath.Base(pkg) + ".wasm"
	if file, ok := prebuilt(name); ok {
		return file, nil
	}
	return goBuild(name, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"),
		"-trimpath", "-buildmode=c-shared", "-ldflags=-s -w", "./"+pkg)
}

// prebuilt returns the file of that name in the folder FCP_WASM, if it exists.
func prebuilt(name string) (file string, ok bool) {
	dir := os.Getenv("FCP_WASM")
	file = filepath.Join(dir, name)
	_, err := os.Stat(file)
	return file, dir != "" && err == nil
}

// goBuild runs go build in this module and returns the resulting file. Test processes of one checkout share it.
func goBuild(name string, env []string, args ...string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(root))
	dir := filepath.Join(cache, "build-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "tmp-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command("go", append([]string{"build", "-o", filepath.Join(tmp, name)}, args...)...)
	cmd.Dir, cmd.Env = root, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &buildError{args[len(args)-1], string(out), err}
	}
	file := filepath.Join(dir, name)
	return file, os.Rename(filepath.Join(tmp, name), file)
}

type buildError struct {
	pkg, out string
	err      error
}

func (e *buildError) Error() string { return "build " + e.pkg + ": " + e.err.Error() + "\n" + e.out }

// Root returns the module's root: the nearest folder above with a go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}

// DataDir returns the folder of real files of one format ("midi", "drawio"): below FCP_SHARED or beside the repository,
// otherwise in the repository. If there is none, it skips the test.
func DataDir(t testing.TB, sub string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	shared := os.Getenv("FCP_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	for _, dir := range []string{filepath.Join(shared, "data", sub), filepath.Join(root, "internal", "testwasm", "testdata", sub)} {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	t.Skipf("no real files of %s; set FCP_SHARED to the folder that holds data/%s", sub, sub)
	return ""
}

// Data lists the files in DataDir and its subfolders.
func Data(t testing.TB, sub string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(DataDir(t, sub), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "LICENSE" && e.Name() != "README.md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
