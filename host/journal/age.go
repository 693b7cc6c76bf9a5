package journal

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// listed ends the name of an empty file that says when a user was shown a file
// that had expired.
const listed = ".listed"

func (d *Dir) mark(id string) string { return filepath.Join(d.path, id+listed) }

// Expired reports whether a file was left for so long that it may go.
func (d *Dir) Expired(l Left) bool { return time.Since(l.Time) > d.limits.Age }

// Age is how long a file that was left is kept.
func (d *Dir) Age() time.Duration { return d.limits.Age }

// List notes that a user was shown an expired file with its date.
func (d *Dir) List(l Left) error {
	if !d.shown(l).IsZero() {
		return nil
	}
	os.Remove(d.mark(l.ID)) // it is of an earlier life
	f, err := os.OpenFile(d.mark(l.ID), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return reason(err)
	}
	return f.Close()
}

// Listed reports whether that was before this host opened the folder.
func (d *Dir) Listed(l Left) bool {
	at := d.shown(l)
	return !at.IsZero() && at.Before(d.opened)
}

// shown is when an expired file was shown, after it had expired.
func (d *Dir) shown(l Left) time.Time {
	info, err := os.Lstat(d.mark(l.ID))
	if err != nil || !info.ModTime().After(l.Time.Add(d.limits.Age)) {
		return time.Time{}
	}
	return info.ModTime()
}

// Renew makes a file that had expired young again: somebody wants it.
func (f *File) Renew() {
	info, err := f.f.Stat()
	if err != nil || time.Since(info.ModTime()) <= f.dir.limits.Age {
		return
	}
	// Where that fails, it is shown once more before it goes.
	now := time.Now()
	_ = os.Chtimes(f.dir.file(f.id), now, now)
	_ = os.Remove(f.dir.mark(f.id))
}

// sweep removes what hosts left that died while they made a file, damaged files
// that have expired, and marks of files that are gone.
func (d *Dir) sweep() {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	// The journals themselves, which may be many, are not looked at: a start waits
	// for this.
	older := func(e os.DirEntry, age time.Duration) bool {
		info, err := e.Info()
		return err == nil && time.Since(info.ModTime()) > age
	}
	for _, e := range entries {
		gone := false
		switch name := e.Name(); {
		case !e.Type().IsRegular():
		case strings.HasSuffix(name, fresh):
			gone = older(e, stale)
		case strings.HasSuffix(name, aside):
			gone = older(e, d.limits.Age)
		case strings.HasSuffix(name, listed):
			_, err := os.Lstat(d.file(strings.TrimSuffix(name, listed)))
			gone = os.IsNotExist(err)
		}
		if gone {
			os.Remove(filepath.Join(d.path, e.Name()))
		}
	}
}
