package testwasm

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Worker is the command that starts a worker: nil, for the test binary itself,
// which its TestMain has to allow for; under the race detector, where an engine
// takes ten times as long to start and a minute to compile, a binary without it.
func Worker(t testing.TB) []string {
	t.Helper()
	if !Raced {
		return nil
	}
	once, _ := builds.LoadOrStore("worker", sync.OnceValues(buildWorker))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return []string{file}
}

func buildWorker() (string, error) {
	return goBuild("worker", os.Environ(), "./internal/testwasm/testdata/worker")
}

// CacheDir is a folder for compiled modules that all test processes of this
// user share, so that a plugin is compiled once a machine and not once a
// package. What lies in it is verified by the host before it is used.
func CacheDir(t testing.TB) string {
	t.Helper()
	dir, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func cacheDir() (string, error) {
	name := "fcp-host-test-" + strconv.Itoa(os.Getuid())
	if Raced {
		name += "-race" // another binary compiles, and reads nothing but its own
	}
	dir := filepath.Join(os.TempDir(), name)
	return dir, os.MkdirAll(dir, 0o700)
}
