package journal

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

// listedSuffix ends the name of an empty file whose time says when a user was shown an expired journal.
const listedSuffix = ".listed"

func (d *Dir) markPath(id string) string { return filepath.Join(d.path, id+listedSuffix) }

// MarkListed records that a user was shown an expired journal with its date.
func (d *Dir) MarkListed(l Left) error {
	if !d.shownAt(l).IsZero() {
		return nil
	}
	os.Remove(d.markPath(l.ID)) // from before the journal was renewed
	f, err := os.OpenFile(d.markPath(l.ID), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return files.Reason(err)
	}
	return f.Close()
}

// Listed reports whether MarkListed was called before this host opened the folder.
func (d *Dir) Listed(l Left) bool {
	at := d.shownAt(l)
	return !at.IsZero() && at.Before(d.opened)
}

// shownAt is when an expired journal was shown, after it had expired; zero if it was not.
func (d *Dir) shownAt(l Left) time.Time {
	info, err := os.Lstat(d.markPath(l.ID))
	if err != nil || !info.ModTime().After(l.Time.Add(d.limits.Age)) {
		return time.Time{}
	}
	return info.ModTime()
}

// Renew resets the age of an expired journal, because somebody wants it.
func (f *File) Renew() {
	info, err := f.f.Stat()
	if err != nil || time.Since(info.ModTime()) <= f.dir.limits.Age {
		return
	}
	// If this fails, the journal is shown once more before it is removed.
	now := time.Now()
	_ = os.Chtimes(f.dir.file(f.id), now, now)
	_ = os.Remove(f.dir.markPath(f.id))
}

// sweep removes unfinished files of dead hosts, expired damaged files, and marks of journals that are gone.
func (d *Dir) sweep() {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	// Journals, which may be many, are not inspected here, since start-up waits for this.
	older := func(e os.DirEntry, age time.Duration) bool {
		info, err := e.Info()
		return err == nil && time.Since(info.ModTime()) > age
	}
	for _, e := range entries {
		gone := false
		switch name := e.Name(); {
		case !e.Type().IsRegular():
		case strings.HasSuffix(name, newSuffix):
			gone = older(e, staleAge)
		case strings.HasSuffix(name, damagedSuffix):
			gone = older(e, d.limits.Age)
		case strings.HasSuffix(name, listedSuffix):
			_, err := os.Lstat(d.file(strings.TrimSuffix(name, listedSuffix)))
			gone = os.IsNotExist(err)
		}
		if gone {
			os.Remove(filepath.Join(d.path, e.Name()))
		}
	}
}
