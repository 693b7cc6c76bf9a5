// Package testwasm builds the plugins that tests run, once per test process,
// and finds the data they read.
package testwasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var builds sync.Map // package path → func() (string, error)

// Build compiles a main package of this module, by its path below the module's
// root ("plugins/midi"), to wasm and returns the file. With FCP_WASM set, a
// file of that folder that is called like the package's last element is taken
// instead: the Makefile builds them once for all test processes.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	once, _ := builds.LoadOrStore(pkg, sync.OnceValues(func() (string, error) { return build(pkg) }))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// List is the plugin of the host's own tests.
func List(t testing.TB) string { t.Helper(); return Build(t, "internal/testwasm/testdata/list") }

func build(pkg string) (string, error) {
	name := filepath.Base(pkg) + ".wasm"
	if dir := os.Getenv("FCP_WASM"); dir != "" {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "fcp-wasm-*")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w", "-o", file, "./"+pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &buildError{pkg, string(out), err}
	}
	return file, nil
}

type buildError struct {
	pkg, out string
	err      error
}

func (e *buildError) Error() string { return "build " + e.pkg + ": " + e.err.Error() + "\n" + e.out }

// Root is the module's root: the nearest folder above with a go.mod.
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

// Data lists the shared data files below sub ("midi", "drawio"). The test is
// skipped where they are absent.
func Data(t testing.TB, sub string) []string {
	t.Helper()
	shared := os.Getenv("FCP_SHARED")
	if shared == "" {
		root, err := Root()
		if err != nil {
			t.Fatal(err)
		}
		shared = filepath.Join(root, "..", "shared")
	}
	entries, err := os.ReadDir(filepath.Join(shared, "data", sub))
	if err != nil {
		t.Skipf("no shared data (%v); set FCP_SHARED to the folder that holds data/%s", err, sub)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(shared, "data", sub, e.Name()))
		}
	}
	return files
}

// Cache is a folder for compiled modules that all tests of this user share,
// so that each module is compiled once. The host verifies what it loads from
// there.
func Cache(t testing.TB) string {
	t.Helper()
	base, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(base, "fcp-host-test")
}

// CacheDir is a folder for compiled modules that all test processes of this
// user share, so that a plugin is compiled once a machine and not once a
// package. What lies in it is verified by the host before it is used.
func CacheDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "fcp-host-test-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
