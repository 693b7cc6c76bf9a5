package files

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"time"
)

// area is what roots allow at one moment. It is immutable.
type area struct {
	cwd     string   // where relative paths start
	dirs    []string // absolute, symbolic links resolved
	missing []string // why roots grant nothing, one line each
	advice  string   // how a person allows another folder; "" for the usual way
}

// shared is the area of roots and of all copies of them.
type shared struct {
	given   bool // by the user, so that no client replaces them
	area    atomic.Pointer[area]
	pending atomic.Pointer[question]
}

// question is an unanswered question to a client for its roots.
type question struct {
	answered chan struct{}
	until    time.Time // calls wait for the answer until then
}

// answerTime is how long calls that need files wait for a client that was asked for its roots. Its answer counts
// whenever it comes.
const answerTime = 30 * time.Second

func newShared(given bool, a *area) *shared {
	s := &shared{given: given}
	s.area.Store(a)
	return s
}

// now returns the area, after the client has answered which roots it has.
func (r *Roots) now() *area {
	if q := r.shared.pending.Load(); q != nil {
		late := time.NewTimer(time.Until(q.until))
		defer late.Stop()
		select {
		case <-q.answered:
		case <-late.C:
		case <-r.context().Done():
		}
	}
	return r.shared.area.Load()
}

// workingFolder returns the process's working directory; the root of the file system if that was removed.
func workingFolder() string {
	cwd, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator)
	}
	return cwd
}

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
