package program

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program is a program that may run: Find looked it up and checked it.
type Program struct {
	Name  string   // the name in grants and domains
	Path  string   // absolute, symbolic links resolved
	Reads []string // folders and files it needs besides the system's libraries and fonts, for example its own libraries
}

// Finder says where programs are looked up.
type Finder struct {
	Paths map[string]string // absolute paths by program name, from the configuration; they win over PATH
	Roots func() []string   // folders that domains may write to, symbolic links resolved: no program is taken from there; nil for none
}

// Known lists the programs that need no configuration.
func Known() []string { return []string{"ffmpeg", "ffprobe"} }

// Find looks up a program. It refuses one that a user other than root and this one could have changed.
func (f Finder) Find(name string) (Program, error) {
	path, named := f.Paths[name]
	switch {
	case named && !filepath.IsAbs(path):
		return Program{}, fmt.Errorf("program %s: the configuration names %q, which is not an absolute path", name, path)
	case !named && !slices.Contains(Known(), name):
		return Program{}, fmt.Errorf("program %q is not one that the host knows (%s); the configuration can name its path", name, strings.Join(Known(), ", "))
	case !named:
		var err error
		if path, err = exec.LookPath(name); err != nil || !filepath.IsAbs(path) {
			return Program{}, fmt.Errorf("program %s is not installed, or not in a folder of PATH: the package ffmpeg has it (apt-get install ffmpeg, brew install ffmpeg)", name)
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Program{}, fmt.Errorf("program %s: %w", name, err)
	}
	if err := f.check(real); err != nil {
		return Program{}, fmt.Errorf("program %s: %s %w", name, real, err)
	}
	return Program{Name: name, Path: real}, nil
}

// check returns why the file at real must not run.
func (f Finder) check(real string) error {
	info, err := os.Lstat(real)
	switch {
	case err != nil:
		return fmt.Errorf("is gone: %w", err)
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("is not executable")
	}
	var roots []string
	if f.Roots != nil {
		roots = f.Roots()
	}
	for _, root := range roots {
		if below(real, root) {
			return fmt.Errorf("lies in %s, where domains may write", root)
		}
	}
	for path := real; ; path = filepath.Dir(path) {
		if info, err = os.Lstat(path); err != nil {
			return err
		}
		if why := changeable(info); why != "" {
			return fmt.Errorf("can be changed by others: %s %s", path, why)
		}
		if path == filepath.Dir(path) {
			break
		}
	}
	return isBinary(real)
}

// isBinary refuses scripts: their interpreter is not in the cage.
func isBinary(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	defer file.Close()
	var head [4]byte
	if _, err := file.Read(head[:]); err != nil || !bytes.Equal(head[:], []byte("\x7fELF")) {
		return errors.New("is not a binary program of Linux; scripts cannot be run")
	}
	return nil
}

// below reports whether path is dir or lies in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// writable reports whether users other than the owner may change a file or a folder's entries. In a sticky folder they
// cannot replace entries.
func writable(info fs.FileInfo) bool {
	return info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0
}
