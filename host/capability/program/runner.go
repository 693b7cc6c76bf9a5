package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/filelock"
)

// CageArg is the first argument of a process that is a cage.
const CageArg = "__cage"

// Runner runs programs in private folders below its own folder.
type Runner struct {
	dir     string
	command []string             // the command that starts a cage
	kinds   []confine.Namespaces // namespaces to try, most confined first
}

// NewRunner creates dir, private to this user, and removes folders that dead hosts left there. It fails if programs
// cannot be confined.
func NewRunner(dir string) (*Runner, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	command, err := confine.SelfCommand(CageArg)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder for programs: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder for programs: %w", err)
	}
	r := &Runner{dir: dir, command: command, kinds: confine.Kinds()}
	return r, r.sweep()
}

const folderPrefix = "run-"

// sweep removes folders that no host holds.
func (r *Runner) sweep() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return fmt.Errorf("the folder for programs: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), folderPrefix) {
			continue
		}
		if f, err := openFolder(filepath.Join(r.dir, e.Name())); err == nil {
			f.remove()
		}
	}
	return nil
}

// folder is the private folder of one run, locked while in use.
type folder struct {
	path string
	lock *os.File
}

// errHeld: another host uses the folder.
var errHeld = errors.New("in use")

// openFolder locks the folder at path.
func openFolder(path string) (*folder, error) {
	lock, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &folder{path, lock}
	locked, err := filelock.Lock(lock, true)
	if err == nil && !locked {
		err = errHeld
	}
	if err == nil {
		// Another host's sweep may have removed it before it was locked.
		var mine, there os.FileInfo
		if mine, err = lock.Stat(); err == nil {
			if there, err = os.Lstat(path); err == nil && !os.SameFile(mine, there) {
				err = errHeld
			}
		}
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return f, nil
}

// newFolder creates a locked folder.
func (r *Runner) newFolder() (*folder, error) {
	var err error
	for range 3 { // another host's sweep may remove one before it is locked
		var path string
		if path, err = os.MkdirTemp(r.dir, folderPrefix); err != nil {
			break
		}
		var f *folder
		if f, err = openFolder(path); err == nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("a folder for the program: %w", err)
}

func (f *folder) remove() {
	_ = os.RemoveAll(f.path) // the next start sweeps what stays
	f.lock.Close()
}
