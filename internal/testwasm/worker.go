package testwasm

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Unraced skips a test under the race detector: one in which nothing happens at
// once and whose guests would be compiled and run ten times as slowly. Such a
// test is called TestUnraced…, and make test runs it without the detector.
func Unraced(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("nothing here happens at once")
	}
}

// Worker is the command that starts a worker: a small binary that is built without the race detector, under which
// an engine takes ten times as long to start and a minute to compile. With FCP_WASM set it is the one of that folder.
func Worker(t testing.TB) []string {
	t.Helper()
	once, _ := builds.LoadOrStore("worker", sync.OnceValues(buildWorker))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return []string{file}
}

func buildWorker() (string, error) {
	if file, ok := prebuilt("worker"); ok {
		return file, nil
	}
	return goBuild("worker", os.Environ(), "./internal/testwasm/testdata/worker")
}

// CacheDir is a folder for compiled modules that all test processes of this
// user share, raced or not, so that a plugin is compiled once a machine:
// FCP_CACHE, or one in the user's cache folder. What lies in it is verified by
// the host before it is used.
func CacheDir(t testing.TB) string {
	t.Helper()
	dir, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Modules is where an fcp-host keeps compiled modules below CacheDir: what one compiles there, a sandbox alone need not compile again.
func Modules(t testing.TB) string {
	t.Helper()
	return filepath.Join(CacheDir(t), "modules")
}

func cacheDir() (string, error) {
	dir := os.Getenv("FCP_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = os.TempDir()
		}
		dir = filepath.Join(base, "fcp-host-test-"+strconv.Itoa(os.Getuid()))
	}
	return dir, os.MkdirAll(dir, 0o700)
}
