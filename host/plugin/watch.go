package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/fcp-host/fcp-host/host/files"
)

// most is how long events that do not end put a look off.
const most = time.Second

// watch looks anew when something changes where modules come from, until the set is closed.
func (s *Set) watch() {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		s.watches(nil, err)
		return
	}
	defer w.Close()
	at := spots{}
	renew := func() (changed bool) {
		want := s.spots()
		changed, err := at.become(want, w)
		s.watches(s.places(), err)
		return changed
	}
	renew()
	timer := time.NewTimer(0) // what changed before the folders were watched
	defer timer.Stop()
	var first time.Time // of the events since the last look
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if !at.concern(e.Name) {
				continue
			}
		case err, ok := <-w.Errors: // events may be lost
			if !ok {
				return
			}
			s.o.Log.Debug("what changes in the plugin folders may have been missed", "error", err)
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

// watches publishes what is watched, and why something is not.
func (s *Set) watches(places []string, why error) {
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
		s.o.Log.Warn("plugins are not watched; the session action reload looks at them anew", "error", why)
	}
	s.watched, s.unwatched = places, text
	s.publish()
}

// places are the folders and files that modules come from.
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

// spots are folders to be watched, by their real paths.
type spots map[string]*spot

// spot is what matters of a folder.
type spot struct {
	all   bool // everything in it
	names map[string]bool
	is    files.Identity // of the folder that is watched, as far as it tells one from another
}

// spots lists what has to be watched to hear of every change of the modules: their folders, and those of all links that lead to
// them, or of the part of a path that is there.
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

// maxLinks is how many links a path may lead through.
const maxLinks = 40

// follow adds the folders in which something on the way to path may change; of path itself, all that is in it, or itself alone.
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
		if err != nil { // it may come
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

// become has the watcher watch what is wanted and nothing else, and reports whether it began to watch a folder. The error says
// what is not watched.
func (m spots) become(want spots, w *fsnotify.Watcher) (changed bool, err error) {
	for dir, spot := range want {
		if info, err := os.Stat(dir); err == nil {
			id := files.IdentityOf(info)
			spot.is = files.Identity{Device: id.Device, Number: id.Number}
		}
		if has := m[dir]; has == nil || has.is != spot.is {
			if has != nil {
				_ = w.Remove(dir) // the folder that had the path is gone, and its watch perhaps too
			}
			if e := w.Add(dir); e != nil {
				err = fmt.Errorf("%s: %w", dir, cause(e))
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

// concern reports whether what happened to the file at path matters.
func (m spots) concern(path string) bool {
	if m[path] != nil { // a folder that is watched is gone, or has another name
		return true
	}
	s := m[filepath.Dir(path)]
	return s != nil && (s.all || s.names[filepath.Base(path)])
}
