package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/plugin"
)

// isPassing reports whether a program's path lies where runners of packages (npx, pnpm dlx, bunx, go run) keep programs
// for a while.
func isPassing(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(dir string) bool {
		return dir == "_npx" || dir == "dlx" || strings.HasPrefix(dir, "dlx-") || strings.HasPrefix(dir, "bunx-") || strings.HasPrefix(dir, "go-build")
	})
}

// startCommand returns the path by which clients start this program. passing is the program itself if it will not stay
// where it is, so that the path is that of a copy: see keepCopy.
func startCommand() (command, passing string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	if isPassing(self) {
		data := plugin.DataDir()
		if data == "" {
			return "", "", errors.New("no folder for a copy of this program: set HOME, or install fcp-host (npm install -g fcp-host) and run its setup")
		}
		return filepath.Join(data, "bin", filepath.Base(self)), self, nil
	}
	// Prefer a link on PATH that leads to this program: it stays in place when the program is
	// upgraded.
	if found, err := exec.LookPath(filepath.Base(self)); err == nil && filepath.IsAbs(found) {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return found, "", nil
		}
	}
	return self, "", nil
}

// keepCopy copies a program to a path, and reports whether it was not there yet. It replaces another version, which
// running servers keep.
func keepCopy(from, to string) (copied bool, err error) {
	program, err := os.ReadFile(from)
	if err != nil {
		return false, err
	}
	if has, err := os.ReadFile(to); err == nil && bytes.Equal(has, program) {
		return false, nil
	}
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	f, err := os.CreateTemp(dir, ".fcp-host-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(program)
	if err := errors.Join(err, f.Chmod(0o755), f.Sync(), f.Close()); err != nil {
		return false, err
	}
	if err := os.Rename(f.Name(), to); err != nil { // Windows does not replace a running program
		return false, fmt.Errorf("%w; quit the clients that run it, and try again", err)
	}
	return true, nil
}
