package files

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/fcp-host/fcp-host/host/filelock"
)

// Write replaces the file at real (from Resolve) by data, where it holds what
// over says: a temporary file in the same folder, synced, then renamed over it,
// so that at any instant either the old or the new content is there. Of two
// hosts that write one file at once, one is refused: a lock beside the file
// holds from the look at it to the rename. The mode of an old file is kept. On an
// error the old file is as it was and the temporary one is gone; only an error
// with a Stamp means that the new content is there, but might not survive a
// loss of power.
func (r *Roots) Write(real string, data []byte, over Over) (Stamp, error) {
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
	case err == nil:
		if err := replaceable(old, show); err != nil {
			return Stamp{}, err
		}
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
	release, err := hold(root, rel)
	if err != nil {
		return fail(err)
	}
	defer release()
	if err := over.check(root, rel, show, stampOf(data)); err != nil {
		root.Remove(tmp)
		return Stamp{}, err
	}
	if old != nil && r.backup {
		if err := keep(root, rel); err != nil {
			return fail(err)
		}
	}
	if err := root.Rename(tmp, rel); err != nil {
		return fail(err)
	}
	if err := syncDir(root, filepath.Dir(rel)); err != nil {
		return stampOf(data), fmt.Errorf("%s is written, but its folder could not be synced: %w", show, reason(err))
	}
	return stampOf(data), nil
}

// replaceable says why what is there cannot be replaced by a file.
func replaceable(there fs.FileInfo, show string) error {
	switch {
	case there.IsDir():
		return fmt.Errorf("%s is a folder", show)
	case !there.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", show)
	case there.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is write-protected; save it under another name, or make it writable", show)
	}
	return nil
}

// errBusy is told of a file that another process writes this moment.
var errBusy = errors.New("another program saves it this moment; try again")

// hold takes the lock of the file at rel, which is one of its own beside it:
// the file itself is replaced. It does not wait.
func hold(root *os.Root, rel string) (release func(), err error) {
	sum := sha256.Sum256([]byte(filepath.Base(rel))) // as long as a name can be, with no more to it
	name := filepath.Join(filepath.Dir(rel), ".fcp-"+hex.EncodeToString(sum[:6])+".lock")
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("its lock %s is no file; remove it", name)
	}
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|nonBlock, 0o600)
	if err != nil {
		return nil, fmt.Errorf("its lock %s: %w", name, reason(err))
	}
	release = func() { f.Close() }
	locked, err := filelock.Lock(f, true)
	if err == nil && !locked {
		err = errBusy
	}
	if err == nil {
		// Whoever had it before may have taken the name away since.
		var mine, there fs.FileInfo
		if mine, err = f.Stat(); err == nil {
			if there, err = root.Lstat(name); err != nil || !os.SameFile(mine, there) {
				err = errBusy
			}
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	return func() {
		if runtime.GOOS == "windows" { // where an open file keeps its name
			f.Close()
		}
		root.Remove(name) // before the lock goes, so that nobody finds it without an owner
		f.Close()
	}, nil
}

// keep gives the file at rel a second name, NAME.bak, which it keeps when the
// first goes to another.
func keep(root *os.Root, rel string) error {
	bak := rel + ".bak"
	var salt [6]byte
	rand.Read(salt[:])
	tmp := filepath.Join(filepath.Dir(rel), ".fcp-"+hex.EncodeToString(salt[:])+".bak")
	err := root.Link(rel, tmp)
	if err != nil { // a file system without links
		err = copyFile(root, rel, tmp)
	}
	if err == nil {
		err = root.Rename(tmp, bak)
	}
	if err != nil {
		root.Remove(tmp)
		return fmt.Errorf("its backup: %w", reason(err))
	}
	return nil
}

func copyFile(root *os.Root, from, to string) error {
	in, err := root.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
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
