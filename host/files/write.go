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

// Write replaces the file at real (from Resolve) by data, where it holds what
// over says: a temporary file in the same folder, synced, then renamed over it,
// so that at any instant either the old or the new content is there. Of two
// hosts that write one file at once, one is refused: all of it is done under a
// lock beside the file. The mode of an old file is kept. On an
// error the old file is as it was and the temporary one is gone; only an error
// with a Stamp means that the new content is there, but might not survive a
// loss of power.
func (r *Roots) Write(real string, data []byte, over Over) (Stamp, error) {
	return r.WriteFrom(real, bytes.NewReader(data), over)
}

// WriteFrom is Write for what is read to its end, of any size.
func (r *Roots) WriteFrom(real string, from io.Reader, over Over) (Stamp, error) {
	show := r.Show(real)
	if err := r.Writable(real); err != nil {
		return Stamp{}, err
	}
	if m, name := r.mounted(real); m != nil {
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
	mode := fs.FileMode(0o666) // less the umask
	old, err := root.Stat(rel)
	switch {
	case err == nil:
		if err := replaceable(old, show); err != nil {
			return Stamp{}, err
		}
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	// A host that died may have left one, and by the lock nobody else has one.
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
		if err := r.backups.keep(root, rel); err != nil {
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

// ErrBusy is told of what another process writes this moment.
var ErrBusy = errors.New("another program saves it this moment; try again")

// Hold takes the lock of the file at rel, which is one of its own beside it:
// the file itself is replaced. It does not wait: where another process has the
// lock, it fails with ErrBusy.
func Hold(root *os.Root, rel string) (release func(), err error) {
	name := hidden(rel) + ".lock"
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("its lock %s is no file; remove it", name)
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
		// Whoever had it before may have taken the name away since.
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
		if runtime.GOOS == "windows" { // where an open file keeps its name
			f.Close()
		}
		root.Remove(name) // before the lock goes, so that nobody finds it without an owner
		f.Close()
	}, nil
}

// maxBackups is how many backups of one file there may be beside it.
const maxBackups = 1000

// backups are the last ones that Write made, by the files they are of: it
// replaces none but these.
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

// keep gives the file at rel a second name, which it keeps when the first goes
// to another: that of the backup that was made before, where this is still what
// it was, or else a free one of NAME.bak, NAME.bak.1, NAME.bak.2 and so on. The
// caller holds the file's lock.
func (b *backups) keep(root *os.Root, rel string) error {
	// A host that died may have left one, and by the lock nobody else has one.
	tmp := hidden(rel) + ".bak"
	root.Remove(tmp)
	defer root.Remove(tmp)
	if root.Link(rel, tmp) != nil { // a file system without links
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
		ok = err != nil // where it is another than that there is none, it is told of the rename
	}
	if !ok {
		return fmt.Errorf("its backup: there are %[1]s.bak to %[1]s.bak.%[2]d already; remove some", filepath.Base(rel), maxBackups-1)
	}
	if err := root.Rename(tmp, bak); err != nil {
		return fmt.Errorf("its backup %s: %w", filepath.Base(bak), Reason(err))
	}
	// One that is too large to be read is not known again, and so is not replaced.
	_, stamp, _ := read(root, bak, bak)
	b.made(file, backup{bak, stamp})
	return nil
}

// holds reports whether a backup is still what was put there.
func holds(root *os.Root, b backup) bool {
	info, err := root.Lstat(b.rel)
	if err != nil || !info.Mode().IsRegular() || info.Size() != b.stamp.Size {
		return false
	}
	_, now, err := read(root, b.rel, b.rel)
	return err == nil && now == b.stamp
}

// hidden starts the names of what belongs to the file at rel, beside it. It is
// not made of the file's name, which may be as long as a name can be.
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

// SyncDir makes the names in a folder durable, where the system can sync one.
func SyncDir(root *os.Root, dir string) error {
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
