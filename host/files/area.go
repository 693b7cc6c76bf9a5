package files

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// area is what roots allow at one moment. It is immutable.
type area struct {
	cwd     string   // where relative paths start
	dirs    []string // absolute, symbolic links resolved
	missing []string // why roots grant nothing, one line each
	client  bool     // a client answers for it
}

// shared is the area of roots and of all copies of them.
type shared struct {
	given bool  // by the user, so that no client replaces them
	usual *area // unless a client has roots
	area  atomic.Pointer[area]
	asked atomic.Pointer[Question] // nil: none is open

	changing sync.Mutex // held to set area and asked
}

func newShared(given bool, a *area) *shared {
	s := &shared{given: given, usual: a}
	s.area.Store(a)
	return s
}

// now returns the area, after a client that was asked for its roots has answered.
func (r *Roots) now() *area {
	for q := r.asked.Load(); q != nil; q = r.asked.Load() {
		late := time.NewTimer(time.Until(q.until))
		select {
		case <-q.answered:
			late.Stop()
			continue
		case <-late.C:
		case <-r.context().Done():
			late.Stop()
		}
		break
	}
	return r.area.Load()
}

// workingFolder returns the process's working directory; the root of the file system if that was removed.
func workingFolder() string {
	cwd, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator)
	}
	return cwd
}

// isTop reports whether a folder is the root of a file system.
func isTop(dir string) bool { return filepath.Dir(dir) == dir }

// areaOf returns the area of folders; inside reports whether the working directory lies in one. A folder that cannot be
// used grants nothing.
func areaOf(dirs []string) (a *area, inside bool) {
	cwd := workingFolder()
	a = &area{cwd: cwd}
	for _, d := range dirs {
		real, why := usable(d)
		if why != "" {
			a.missing = append(a.missing, why)
			continue
		}
		a.dirs = append(a.dirs, real)
	}
	if len(a.dirs) == 0 {
		return a, false
	}
	a.cwd = a.dirs[0]
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		if _, inside = a.within(real); inside {
			a.cwd = real
		}
	}
	return a, inside
}

var variable = regexp.MustCompile(`\$\{[^}]*\}`)

// usable returns a folder with symbolic links resolved, or why it grants nothing.
func usable(dir string) (real, why string) {
	if dir == "" {
		return "", "a root is empty and grants nothing: name a folder"
	}
	refuse := func(format string, args ...any) (string, string) {
		return "", fmt.Sprintf("root %s grants nothing: ", cut(dir)) + fmt.Sprintf(format, args...)
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(abs)
	}
	if name := variable.FindString(dir); err != nil && name != "" {
		return refuse("the program that started fcp-host did not replace %s", name)
	}
	if err != nil {
		return refuse("%v", Reason(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return refuse("it is not a folder")
	}
	return real, ""
}
