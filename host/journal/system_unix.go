//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noFollow refuses a symbolic link, and does not wait for the other end of a FIFO.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// publish gives the new file, which is locked, its name, and closes the file that had it before (nil for none). It
// returns the file to use from now on.
func publish(n, old *os.File, from, to string) (*os.File, error) {
	if err := os.Rename(from, to); err != nil {
		n.Close()
		return nil, err
	}
	if old != nil {
		old.Close()
	}
	return n, nil
}

// remove removes the name before releasing the lock, so that nobody finds the file without an owner.
func remove(f *os.File, path string) error {
	err := os.Remove(path)
	f.Close()
	return err
}

// syncDir makes the names in a folder durable, if the system supports that.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// checkPrivate refuses a folder that somebody else could write to.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder; name another folder")
	}
	if err := checkOwner(info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("others may write to it; run chmod 700 on it, or name another folder")
	}
	return nil
}

func checkOwner(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user; name another folder")
	}
	return nil
}
