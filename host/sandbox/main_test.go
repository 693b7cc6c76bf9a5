package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestMain makes the test binary its own worker, as a program that uses the package is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerArg {
		os.Exit(RunWorker())
	}
	if len(os.Args) > 1 && os.Args[1] == bareArg {
		os.Exit(bare())
	}
	if len(os.Args) > 1 && os.Args[1] == unofferedArg {
		os.Exit(unoffered())
	}
	if len(os.Args) > 2 && os.Args[1] == liarArg {
		os.Exit(lie(os.Args[2]))
	}
	if len(os.Args) > 2 && os.Args[1] == hostArg {
		os.Exit(host(os.Args[2]))
	}
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sharedDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// bareArg makes the test binary a worker that its system does not confine.
const bareArg = "__bare"

// unofferedArg makes the test binary a worker that the kernel does not end before its host.
const unofferedArg = "__unoffered"

// sharedDir is the run's own folder, where the guest is built once and its compiled code is kept.
var sharedDir string

var goGuest = sync.OnceValues(func() ([]byte, error) {
	out := filepath.Join(sharedDir, "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the guest: %w\n%s", err, text)
	}
	return os.ReadFile(out)
})

func guestWasm(t testing.TB) []byte {
	t.Helper()
	b, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
