package files

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the file at real (from Resolve) by data: a temporary file in
// the same folder, synced, then renamed over it, so that at any instant either
// the old or the new content is there. The mode of an old file is kept. On an
// error the old file is as it was and the temporary one is gone; only an error
// with a Stamp means that the new content is there, but might not survive a
// loss of power.
func (r *Roots) Write(real string, data []byte) (Stamp, error) {
	show := r.Show(real)
	if r.readOnly {
		return Stamp{}, fmt.Errorf("%s cannot be written: the configuration does not grant its plugin to write", show)
	}
	root, rel, err := r.open(real)
	if err != nil {
		return Stamp{}, err
	}
	defer root.Close()

	mode := fs.FileMode(0o666) // less the umask
	old, err := root.Stat(rel)
	switch {
	case err == nil && old.IsDir():
		return Stamp{}, fmt.Errorf("%s is a folder", show)
	case err == nil && !old.Mode().IsRegular():
		return Stamp{}, fmt.Errorf("%s is not a regular file", show)
	case err == nil && old.Mode().Perm()&0o200 == 0:
		return Stamp{}, fmt.Errorf("%s is write-protected; save it under another name, or make it writable", show)
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return Stamp{}, fmt.Errorf("%s: %w", show, reason(err))
	}

	var salt [6]byte
	rand.Read(salt[:])
	// Not made of the file's name, which may be as long as a name can be.
	tmp := filepath.Join(filepath.Dir(rel), ".fcp-"+hex.EncodeToString(salt[:])+".tmp")
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return Stamp{}, fmt.Errorf("%s cannot be written: %w", show, reason(err))
	}
	fail := func(err error) (Stamp, error) {
		f.Close()
		root.Remove(tmp)
		return Stamp{}, fmt.Errorf("%s cannot be written: %w; the file on disk is as it was", show, reason(err))
	}
	if _, err := f.Write(data); err != nil {
		return fail(err)
	}
	if old != nil {
		if err := f.Chmod(mode); err != nil {
			return fail(err)
		}
	}
	if err := f.Sync(); err != nil {
		return fail(err)
	}
	if err := f.Close(); err != nil {
		return fail(err)
	}
	if err := root.Rename(tmp, rel); err != nil {
		return fail(err)
	}
	if err := syncDir(root, filepath.Dir(rel)); err != nil {
		return stampOf(data), fmt.Errorf("%s is written, but its folder could not be synced: %w", show, reason(err))
	}
	return stampOf(data), nil
}

// syncDir makes the rename durable, where the system can sync a folder.
func syncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some file systems refuse to sync a folder; the data itself is safe.
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !isInvalid(err) {
		return err
	}
	return nil
}
