package plugin

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

// How long a file has to stay as it is before it is believed to be whole.
const (
	quiet   = 100 * time.Millisecond // before it is read, and what comes at once is looked at once
	settled = time.Second            // before it is called broken: writers pause
)

// doubt is a file that changed and may not be whole yet.
type doubt struct {
	is    files.Identity
	since time.Time // when it was first seen so
}

// look finds out which modules there are now. What did not change stays as it is; what changed is read, and asked in the
// background what it serves. A look that is not sure leaves files alone that may still be written, and reports that there are
// some; one that is sure takes all as they are.
func (s *Set) look(sure bool) (again bool) {
	s.looking.Lock()
	defer s.looking.Unlock()
	before, failed := map[string]*candidate{}, map[string]bool{}
	s.mu.Lock()
	for _, c := range s.found {
		before[c.path], failed[c.path] = c, c.err != nil
	}
	s.mu.Unlock()
	doubts := map[string]doubt{}
	found := s.identify(before, failed, sure, doubts)
	s.doubts = doubts

	s.mu.Lock()
	defer s.mu.Unlock()
	changed := len(found) != len(s.found)
	for i, c := range found {
		changed = changed || c != s.found[i]
	}
	if s.ctx.Err() != nil || !changed && s.state.Load() != nil {
		return len(doubts) > 0
	}
	s.found = found
	s.uncopied()
	for _, c := range found {
		if c.box == nil || s.loaded[c] {
			continue
		}
		s.loaded[c] = true
		switch {
		case c.pending() && s.o.CacheDir != "" && !c.ready:
			s.ask = append(s.ask, c)
		case c.pending():
			s.slow = append(s.slow, c)
		}
	}
	s.place()
	s.clear()
	s.publish()
	s.kick()
	return len(doubts) > 0
}

// identify gives the candidates of what is found now: those of before for what did not change, and new ones, which are read.
// failed are the paths of those of before that cannot be served.
func (s *Set) identify(before map[string]*candidate, failed map[string]bool, sure bool, doubts map[string]doubt) (found []*candidate) {
	reading := make(chan struct{}, runtime.GOMAXPROCS(0))
	var read sync.WaitGroup
	listed, fresh := map[string]bool{}, map[*candidate]bool{}
	for _, f := range find(s.o) {
		if listed[f.path] {
			continue
		}
		listed[f.path] = true
		prev := before[f.path]
		c := &candidate{path: f.path, own: f.own, pin: f.pin, err: f.err}
		file := f.file()
		switch id := identity(file); {
		case c.err != nil:
		case prev != nil && prev.seen == id && !prev.blurred && samePin(prev.pin, f.pin) && id != (files.Identity{}) && !(sure && failed[f.path]):
			c = prev
		case !sure && id != (files.Identity{}) && !s.rests(f.path, id, quiet, doubts):
			c = prev
		default:
			c.seen = id
			fresh[c] = true
			read.Go(func() {
				reading <- struct{}{}
				defer func() { <-reading }()
				if c.err = s.read(c); c.err == nil {
					c.ready = s.o.CacheDir != "" && c.box.Cached()
				}
				c.blurred = identity(file) != id || recent(id)
			})
		}
		if c != nil {
			found = append(found, c)
		}
	}
	read.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := found[:0]
	for _, c := range found {
		prev := before[c.path]
		switch {
		case c == prev:
		case prev != nil && c.err != nil && prev.err != nil && prev.err.Error() == c.err.Error():
			prev.seen, prev.blurred, prev.pin = c.seen, c.blurred, c.pin
			c = prev
		case fresh[c] && c.err != nil && !errors.Is(c.err, fs.ErrNotExist) && !sure && !s.rests(c.path, c.seen, settled, doubts):
			c = prev
		case prev == nil:
		case c.err == nil && c.sum == prev.sum && (prev.err == nil || !sure && samePin(prev.pin, c.pin)):
			prev.seen, prev.blurred, prev.pin = c.seen, c.blurred, c.pin
			c = prev
		case fresh[c] && !errors.Is(c.err, fs.ErrNotExist): // what is there now is to take its place, and may be unable to
			if c.was = prev.proven(); c.err != nil {
				c.was = prev.standing()
			}
		}
		if c != nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// rests reports whether a file has been the same for so long, and notes a doubt where it was not.
func (s *Set) rests(path string, id files.Identity, long time.Duration, doubts map[string]doubt) bool {
	d := s.doubts[path]
	if d.is != id || d.since.IsZero() {
		d = doubt{id, time.Now()}
	}
	if time.Since(d.since) >= long {
		return true
	}
	doubts[path] = d
	return false
}

// samePin reports whether a file has to be the same module as before.
func samePin(a, b *Pinned) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Sum == b.Sum && a.Err == nil && b.Err == nil
}

// identity tells the file at a path, behind links, from what it was or will be. It is zero where there is none, and that of a
// built-in module is always the same.
func identity(path string) files.Identity {
	if IsBuiltin(path) {
		return files.Identity{Size: -1}
	}
	info, err := os.Stat(path)
	if err != nil {
		return files.Identity{}
	}
	return files.IdentityOf(info)
}

// recent reports whether a file was written so lately that it could be written again and look the same: clocks of file systems
// tick every few milliseconds, some every other second.
func recent(id files.Identity) bool {
	return id.Size >= 0 && time.Since(time.Unix(0, max(id.Written, id.Changed))) < 20*time.Millisecond
}

// uncopied notes which candidates hold the same bytes as one before them, or as a built-in module that nobody asks for. The
// caller holds mu.
func (s *Set) uncopied() {
	first, unasked := map[string]bool{}, map[string]bool{} // by sha256
	for i := range s.o.Library.Builtin {
		b := &s.o.Library.Builtin[i]
		unasked[hex.EncodeToString(b.Module.Sum[:])] = s.o.unasked(b)
	}
	for _, c := range s.found {
		if c.copied = false; c.box != nil && c.err == nil {
			c.copied = first[c.sum] || c.own && unasked[c.sum]
			first[c.sum] = true
		}
	}
}
