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
)

// Stale is why a call on a folder was taken back, or its file not written: somebody changed a file that it would have written,
// after the document last looked.
type Stale struct {
	Path             string // relative, with slashes
	Expected, Actual string // SHA-256, hex; "" of no file
	Kept             string // where what was to be written is kept; "" for a call that was taken back
}

func (s *Stale) Error() string { return s.Path + " was changed by somebody else" }

// Locked is why a call on a folder was taken back: another program saves it this moment.
type Locked struct {
	Path   string // what is locked
	Holder int    // the process, 0 where the system does not tell
}

func (l *Locked) Error() string { return l.Path + " is locked" }

// conflict is what others do to the folder that makes a save fail, nil for another reason.
func (d *Document) conflict(err error) error {
	var changed *folder.ChangedError
	switch {
	case d.dir == nil:
		return nil
	case errors.As(err, &changed) && len(changed.Paths) > 0:
		return d.stale(changed.Paths[0])
	case errors.Is(err, files.ErrBusy):
		at := filepath.Join(d.path, d.Domain().Manifest.Folder.Marker)
		l := &Locked{Path: d.roots.Show(at)}
		if f, err := os.Open(at); err == nil {
			l.Holder = filelock.Holder(f)
			f.Close()
		}
		return l
	}
	return nil
}

// stale compares what the document holds of a file with what is there.
func (d *Document) stale(name string) *Stale {
	s := &Stale{Path: name, Expected: sum(d.dir.Content(name))}
	if data, _, err := d.roots.Read(filepath.Join(d.path, filepath.FromSlash(name))); err == nil {
		s.Actual = sum(there(data))
	}
	return s
}

// sum is the hash of a file's bytes, "" of none.
func sum(data []byte) string {
	if data == nil {
		return ""
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
