package journal

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// lock takes the file's lock, exclusive or shared, without waiting, and
// reports whether it could. It lasts until the file is closed. Locks bind
// reads and writes here, so it is on a byte that no file reaches.
func lock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// publish gives the new file its name, and returns it opened and locked again:
// a file that is open can be neither renamed nor replaced here.
func publish(n, old *os.File, from, to string) (*os.File, error) {
	n.Close()
	if old != nil {
		old.Close()
	}
	if err := os.Rename(from, to); err != nil {
		return nil, err
	}
	n, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if locked, err := lock(n, true); err != nil || !locked {
		n.Close()
		return nil, errors.Join(ErrTaken, err)
	}
	return n, nil
}

func remove(f *os.File, path string) error {
	f.Close()
	return os.Remove(path)
}

// syncDir has nothing to do: the system keeps names safe by itself.
func syncDir(string) error { return nil }

// checkPrivate leaves the access list to the system.
func checkPrivate(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder; name another folder")
	}
	return nil
}

func checkOwner(fs.FileInfo) error { return nil }
