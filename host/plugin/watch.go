package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/fcp-host/fcp-host/host/files"
)

// most is how long a stream of events can delay a look.
const most = time.Second

// watch looks again when something changes where modules come from, until the set is closed.
func (s *Set) watch() {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		s.publishWatched(nil, err)
		return
	}
	defer w.Close()
	at := spots{}
	renew := func() (changed bool) {
		want := s.spots()
		changed, err := at.update(want, w)
		s.publishWatched(s.places(), err)
		return changed
	}
	renew()
	timer := time.NewTimer(0) // fires at once: something may have changed before the folders were watched
	defer timer.Stop()
	var first time.Time // first event since the last look
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if !at.matters(e.Name) {
				continue
			}
		case err, ok := <-w.Errors: // events may have been lost
			if !ok {
				return
			}
			s.o.Log.Debug("changes in the plugin folders may have been missed", "error", err)
		case <-timer.C:
			first = time.Time{}
			moved := renew()
			if doubtful := s.look(false); moved || renew() || doubtful {
				timer.Reset(quiet)
			}
			continue
		case <-s.ctx.Done():
			return
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(max(0, min(quiet, most-time.Since(first))))
	}
}

// publishWatched publishes what is watched, and why something is not.
func (s *Set) publishWatched(places []string, why error) {
	text := ""
	if why != nil {
		text = why.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(places, s.watched) && text == s.unwatched {
		return
	}
	if text != "" && text != s.unwatched {
		s.o.Log.Warn("plugins are not watched; the session action reload reads them again", "error", why)
	}
	s.watched, s.unwatched = places, text
	s.publish()
}

// places lists the folders and files that modules come from.
func (s *Set) places() (out []string) {
	dirs, _ := s.o.folders()
	out = append(out, dirs...)
	for _, name := range s.o.Files {
		if path, err := s.o.Library.Find(name); err == nil && !IsBuiltin(path) {
			out = append(out, s.o.Library.place(path))
		}
	}
	return out
}

// spots are the folders to watch, by real path.
type spots map[string]*spot

// spot says which changes in a folder matter.
type spot struct {
	all   bool // all of them
	names map[string]bool
	is    files.Identity // the identity of the watched folder, as far as one can be told from another
}

// spots lists the folders that must be watched to notice every change of a module: the modules' folders, those of all
// links on the way, or the existing part of a path.
func (s *Set) spots() spots {
	out := spots{}
	dirs, must := s.o.folders()
	for _, dir := range dirs {
		out.follow(dir, true)
		paths, err := modules(dir)
		if err != nil {
			continue
		}
		for _, path := range paths {
			if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
				out.follow(path, false)
			}
		}
	}
	single := slices.Clone(s.o.Lists)
	for _, name := range s.o.Files {
		if path, err := s.o.Library.Find(name); err == nil && !IsBuiltin(path) {
			single = append(single, s.o.Library.place(path))
		}
	}
	if !must {
		for _, p := range s.o.Library.added() {
			single = append(single, s.o.Library.place(p.Path))
		}
	}
	for _, path := range single {
		out.follow(path, false)
	}
	return out
}

// maxLinks is the number of links that a path may lead through.
const maxLinks = 40

// follow adds the folders in which a change could affect path; with all, everything in the folder at path matters,
// otherwise only path itself.
func (m spots) follow(path string, all bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return
	}
	top := filepath.VolumeName(path) + string(filepath.Separator)
	split := func(path string) []string {
		return slices.DeleteFunc(strings.Split(strings.TrimPrefix(path, top), string(filepath.Separator)), func(s string) bool { return s == "" })
	}
	at, rest, links := top, split(path), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil { // it may be created later
			m.at(at).names[name] = true
			return
		}
		if info.Mode()&os.ModeSymlink != 0 {
			m.at(at).names[name] = true
			target, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks {
				return
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(at, target)
			}
			at, rest = top, append(split(filepath.Clean(target)), rest...)
			continue
		}
		if len(rest) == 0 && !all {
			m.at(at).names[name] = true
			return
		}
		at = next
	}
	m.at(at).all = true
}

func (m spots) at(dir string) *spot {
	if m[dir] == nil {
		m[dir] = &spot{names: map[string]bool{}}
	}
	return m[dir]
}

// update makes the watcher watch exactly what is wanted, and reports whether it must look again: it started to watch a
// folder, or one is gone. The error says what is not watched.
func (m spots) update(want spots, w *fsnotify.Watcher) (changed bool, err error) {
	for dir, spot := range want {
		if info, err := os.Stat(dir); err == nil {
			id := files.IdentityOf(info)
			spot.is = files.Identity{Device: id.Device, Number: id.Number}
		}
		if has := m[dir]; has == nil || has.is != spot.is {
			if has != nil {
				_ = w.Remove(dir) // the path now names another folder, and the watch of the old one may be gone
			}
			switch e := w.Add(dir); {
			case errors.Is(e, fs.ErrNotExist): // it was removed meanwhile, so something else must be watched
				changed = true
				continue
			case e != nil:
				err = fmt.Errorf("%s: %w", dir, files.Reason(e))
				continue
			}
			changed = true
		}
		m[dir] = spot
	}
	for dir := range m {
		if want[dir] == nil {
			_ = w.Remove(dir)
			delete(m, dir)
		}
	}
	return changed, err
}

// matters reports whether a change of the file at path matters.
func (m spots) matters(path string) bool {
	if m[path] != nil { // a watched folder was removed or renamed
		return true
	}
	s := m[filepath.Dir(path)]
	return s != nil && (s.all || s.names[filepath.Base(path)])
}
