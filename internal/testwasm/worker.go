package testwasm

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Unraced skips a test under the race detector. Use it for tests without concurrency, whose guests would compile and
// run ten times as slowly. They are named TestUnraced…, and make test runs them without the detector.
func Unraced(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("nothing here happens at once")
	}
}

// Worker returns the command that starts a worker: a small binary without the race detector, under which an engine
// takes ten times as long to start and a minute to compile. If FCP_WASM is set, it is the one in that folder.
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

// CacheDir returns a folder for compiled modules that all test processes of this user share, raced or not, so that a
// plugin is compiled once on a machine: FCP_CACHE, or a folder in the user's cache folder. The host verifies its
// content before use.
func CacheDir(t testing.TB) string {
	t.Helper()
	dir, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Modules returns the folder below CacheDir where fcp-host stores compiled modules, so that a sandbox without a host
// can use them.
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
