package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Stale reports why a call on a folder was rolled back, or its file not written: somebody changed a file that it would
// have written since the document last read it.
type Stale struct {
	Path             string // relative, with slashes
	Expected, Actual string // SHA-256 in hex; "" if there is no file
	Kept             string // where the content that was not written is kept; "" if the call was rolled back
}

func (s *Stale) Error() string { return s.Path + " was changed by somebody else" }

// Locked reports why a call on a folder was rolled back: another program is saving the folder at this moment.
type Locked struct {
	Path   string // what is locked
	Holder int    // its process id; 0 if unknown
}

func (l *Locked) Error() string { return l.Path + " is locked" }

// conflict is err, because of a *Stale or *Locked if somebody else's change to the folder caused it.
func (f *dir) conflict(d *Document, err error) error {
	var changed *folder.ChangedError
	switch {
	case errors.As(err, &changed) && len(changed.Paths) > 0:
		return &reply.Refusal{Text: err.Error(), Cause: f.stale(d, changed.Paths[0])}
	case errors.Is(err, files.ErrBusy):
		at := filepath.Join(f.path, d.Domain().Manifest.Folder.Marker)
		l := &Locked{Path: d.roots.Show(at)}
		if f, err := os.Open(at); err == nil {
			l.Holder = filelock.Holder(f)
			f.Close()
		}
		return &reply.Refusal{Text: err.Error(), Cause: l}
	}
	return err
}

// blocked is the conflict as callers must know it.
func (f *dir) blocked(d *Document, c folder.Conflict) *Stale {
	s := f.stale(d, c.Path)
	s.Kept = c.Kept
	return s
}

// stale compares the document's content of a file with the one on the disk.
func (f *dir) stale(d *Document, name string) *Stale {
	s := &Stale{Path: name, Expected: sum(f.Content(name))}
	if data, _, err := d.roots.Read(filepath.Join(f.path, filepath.FromSlash(name))); err == nil {
		s.Actual = sum(nonNil(data))
	}
	return s
}

// sum is the SHA-256 of a file's bytes in hex, "" if there is no file.
func sum(data []byte) string {
	if data == nil {
		return ""
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
