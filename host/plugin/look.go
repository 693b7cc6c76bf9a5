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

// How long a file must stay unchanged before it counts as complete.
const (
	quiet   = 100 * time.Millisecond // before it is read; also how long events are collected before a look
	settled = time.Second            // before it is reported as broken, since writers pause
)

// doubt is a changed file that may not be complete yet.
type doubt struct {
	is    files.Identity
	since time.Time // when this version was first seen
}

// look finds the modules that exist now. It keeps those that did not change, reads those that did, and asks new ones
// for their manifests in the background. If sure is false, it skips files that may still be written and returns true to
// be called again; if sure is true, it takes all files as they are.
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
	s.markCopies()
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
	s.choose()
	s.clear()
	s.publish()
	s.startJobs()
	return len(doubts) > 0
}

// identify returns the candidates for what is found now: the previous ones where nothing changed, and new ones, which
// it reads. failed are the paths of previous ones that cannot be served.
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
		case !sure && id != (files.Identity{}) && !s.unchangedFor(f.path, id, quiet, doubts):
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
		case fresh[c] && c.err != nil && !errors.Is(c.err, fs.ErrNotExist) && !sure && !s.unchangedFor(c.path, c.seen, settled, doubts):
			c = prev
		case prev == nil:
		case c.err == nil && c.sum == prev.sum && (prev.err == nil || !sure && samePin(prev.pin, c.pin)):
			prev.seen, prev.blurred, prev.pin = c.seen, c.blurred, c.pin
			c = prev
		case fresh[c] && !errors.Is(c.err, fs.ErrNotExist): // the file's new content replaces it, if it can be served
			if c.was = prev.lastServed(); c.err != nil {
				c.was = prev.servable()
			}
		}
		if c != nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// unchangedFor reports whether a file was unchanged for so long, and records a doubt otherwise.
func (s *Set) unchangedFor(path string, id files.Identity, long time.Duration, doubts map[string]doubt) bool {
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

// samePin reports whether two pins require the same module.
func samePin(a, b *Pinned) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Sum == b.Sum && a.Err == nil && b.Err == nil
}

// identity identifies the version of the file at a path, behind links. It is zero if there is no file, and constant for
// a built-in module.
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

// recent reports whether a file was written so recently that another write might leave its times unchanged: file
// systems' clocks tick every few milliseconds, some every two seconds.
func recent(id files.Identity) bool {
	return id.Size >= 0 && time.Since(time.Unix(0, max(id.Written, id.Changed))) < 20*time.Millisecond
}

// markCopies marks candidates with the same bytes as an earlier one, or as a built-in module that is not asked for. The
// caller holds mu.
func (s *Set) markCopies() {
	first, unasked := map[string]bool{}, map[string]bool{} // by sha256
	for i := range s.o.Library.Builtin {
		b := &s.o.Library.Builtin[i]
		unasked[hex.EncodeToString(b.Module.Sum[:])] = s.o.isUnrequested(b)
	}
	for _, c := range s.found {
		if c.copied = false; c.box != nil && c.err == nil {
			c.copied = first[c.sum] || c.own && unasked[c.sum]
			first[c.sum] = true
		}
	}
}
