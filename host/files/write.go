package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/fcp-host/fcp-host/host/filelock"
)

// Write replaces the file at real (from Resolve) by data, if over allows its content. It writes and syncs a temporary
// file in the same folder and renames it, so that at any instant either the old or the new content exists. It holds a
// lock beside the file, so of two hosts that write one file at once, one is refused. The new file has the old one's
// mode. After an error the old file is unchanged and the temporary one removed; only an error with a Stamp means that
// the new content is in place, but may not survive a power loss.
func (r *Roots) Write(real string, data []byte, over Over) (Stamp, error) {
	return r.WriteFrom(real, bytes.NewReader(data), over)
}

// WriteFrom is Write for a reader of any size.
func (r *Roots) WriteFrom(real string, from io.Reader, over Over) (Stamp, error) {
	show := r.Show(real)
	if err := r.Writable(real); err != nil {
		return Stamp{}, err
	}
	if m, name := r.mountAt(real); m != nil {
		return m.write(r.context(), name, show, from, over, r.backups)
	}
	root, rel, err := r.open(real)
	if err != nil {
		return Stamp{}, err
	}
	defer root.Close()

	release, err := Hold(root, rel)
	if err != nil {
		return Stamp{}, fmt.Errorf("%s cannot be written: %w", show, err)
	}
	defer release()
	mode := fs.FileMode(0o666) // subject to the umask
	old, err := root.Lstat(rel)
	switch {
	case err == nil:
		if err := replaceable(old, show); err != nil {
			return Stamp{}, err
		}
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	// A host that died may have left one. We hold the lock, so no other host uses it.
	tmp := hidden(rel) + ".tmp"
	root.Remove(tmp)
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return Stamp{}, fmt.Errorf("%s cannot be written: %w", show, Reason(err))
	}
	fail := func(err error) (Stamp, error) {
		f.Close()
		root.Remove(tmp)
		return Stamp{}, fmt.Errorf("%s cannot be written: %w; the file on disk is as it was", show, Reason(err))
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), from)
	if err != nil {
		return fail(err)
	}
	now := Stamp{Size: size, Sum: [sha256.Size]byte(sum.Sum(nil))}
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
	if err := over.check(root, rel, show, now); err != nil {
		root.Remove(tmp)
		return Stamp{}, err
	}
	if old != nil && r.backups != nil {
		if err := r.backups.backUp(root, rel); err != nil {
			return fail(err)
		}
	}
	if err := root.Rename(tmp, rel); err != nil {
		return fail(err)
	}
	if err := SyncDir(root, filepath.Dir(rel)); err != nil {
		return now, fmt.Errorf("%s is written, but its folder could not be synced: %w", show, Reason(err))
	}
	return now, nil
}

// replaceable returns why what exists cannot be replaced by a file.
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

// ErrBusy: another process is writing the file.
var ErrBusy = errors.New("another program is saving it; try again")

// Hold locks the file at rel by a lock file beside it, since the file itself gets replaced. It does not wait: if
// another process has the lock, it fails with ErrBusy.
func Hold(root *os.Root, rel string) (release func(), err error) {
	name := hidden(rel) + ".lock"
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("its lock %s is not a file; remove it", name)
	}
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|nonBlock, 0o600)
	if err != nil {
		if _, there := root.Lstat(name); there == nil {
			return nil, fmt.Errorf("its lock %s: %w", name, Reason(err))
		}
		return nil, Reason(err)
	}
	release = func() { f.Close() }
	locked, err := filelock.Lock(f, true)
	if err == nil && !locked {
		err = ErrBusy
	}
	if err == nil {
		// The previous holder may have removed the lock file after we opened it.
		var mine, there fs.FileInfo
		if mine, err = f.Stat(); err == nil {
			if there, err = root.Lstat(name); err != nil || !os.SameFile(mine, there) {
				err = ErrBusy
			}
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	return func() {
		if runtime.GOOS == "windows" { // an open file cannot be removed
			f.Close()
		}
		root.Remove(name) // before unlocking, so that nobody locks a file that is about to be removed
		f.Close()
	}, nil
}

// maxBackups is how many backups of one file there may be.
const maxBackups = 1000

// backups records the last backup of each file that Write made. Write replaces no others.
type backups struct {
	mu   sync.Mutex
	last map[string]backup
}

type backup struct {
	rel   string
	stamp Stamp
}

func (b *backups) of(file string) (last backup, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, ok = b.last[file]
	return last, ok
}

func (b *backups) made(file string, last backup) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last[file] = last
}

// backUp gives the file at rel a second name, which remains when the first is replaced: that of the previous backup, if
// it is unchanged, or else a free one of NAME.bak, NAME.bak.1, NAME.bak.2 and so on. The caller holds the file's lock.
func (b *backups) backUp(root *os.Root, rel string) error {
	// A host that died may have left one. We hold the lock, so no other host uses it.
	tmp := hidden(rel) + ".bak"
	root.Remove(tmp)
	defer root.Remove(tmp)
	if root.Link(rel, tmp) != nil { // the file system has no hard links
		if err := copyFile(root, rel, tmp); err != nil {
			return fmt.Errorf("its backup %s.bak: %w", filepath.Base(rel), Reason(err))
		}
	}
	file := filepath.Join(root.Name(), rel)
	bak, ok := "", false
	if last, made := b.of(file); made {
		bak, ok = last.rel, holds(root, last)
	}
	for n := 0; !ok && n < maxBackups; n++ {
		bak = rel + ".bak"
		if n > 0 {
			bak += "." + strconv.Itoa(n)
		}
		_, err := root.Lstat(bak)
		ok = err != nil // for other errors than "does not exist", let the rename report the reason
	}
	if !ok {
		return tooManyBackups(filepath.Base(rel), maxBackups)
	}
	if err := root.Rename(tmp, bak); err != nil {
		return fmt.Errorf("its backup %s: %w", filepath.Base(bak), Reason(err))
	}
	// One that is too large to read cannot be compared later, and so is never replaced.
	_, stamp, _ := read(root, bak, bak)
	b.made(file, backup{bak, stamp})
	return nil
}

// tooManyBackups is the error for a file that has the most backups that there may be.
func tooManyBackups(name string, most int) error {
	return fmt.Errorf("its backup: there are %[1]s.bak to %[1]s.bak.%[2]d already; remove some", name, most-1)
}

// holds reports whether a backup has the content that was stored in it.
func holds(root *os.Root, b backup) bool {
	info, err := root.Lstat(b.rel)
	if err != nil || !info.Mode().IsRegular() || info.Size() != b.stamp.Size {
		return false
	}
	_, now, err := read(root, b.rel, b.rel)
	return err == nil && now == b.stamp
}

// hidden returns the prefix for names of temporary files that belong to rel, in the same folder. It hashes the file's
// name, which may already have the maximum length.
func hidden(rel string) string {
	sum := sha256.Sum256([]byte(filepath.Base(rel)))
	return filepath.Join(filepath.Dir(rel), ".fcp-"+hex.EncodeToString(sum[:6]))
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

// SyncDir syncs a folder, so that the names in it survive a power loss, if the system supports that.
func SyncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some file systems cannot sync a folder; the files' data is safe anyway.
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !isInvalid(err) {
		return err
	}
	return nil
}
