package journal

import (
	"errors"
	"io/fs"
	"os"

	"github.com/fcp-host/fcp-host/host/filelock"
)

const noFollow = 0

// publish gives the new file its name, and returns it opened and locked again: on this system an open file can be
// neither renamed nor replaced.
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
	if locked, err := filelock.Lock(n, true); err != nil || !locked {
		n.Close()
		return nil, errors.Join(ErrTaken, err)
	}
	return n, nil
}

func remove(f *os.File, path string) error {
	f.Close()
	return os.Remove(path)
}

// syncDir does nothing: this system makes names durable by itself.
func syncDir(string) error { return nil }

// checkPrivate only checks that dir is a folder: access lists are not checked.
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
