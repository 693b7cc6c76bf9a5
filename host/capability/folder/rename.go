package folder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/fcp-host/fcp-host/host/files"
)

// rename renames a file within a folder.
type rename func(at *os.Root, from, to string) error

// exchange swaps two files of a folder if the system supports it, so that the second one always exists. Otherwise it
// replaces the second by the first.
func exchange(at *os.Root, from, to string) error {
	if err := inFolder(at, exchangeNames, from, to); !unsupported(err) {
		return err
	}
	return replace(at, from, to)
}

// replace works on every system.
func replace(at *os.Root, from, to string) error { return files.Reason(at.Rename(from, to)) }

// publish gives a file an unused name, or fails with fs.ErrExist.
func publish(at *os.Root, from, to string) error {
	if err := inFolder(at, renameNew, from, to); !unsupported(err) {
		return err
	}
	return link(at, from, to)
}

func link(at *os.Root, from, to string) error {
	err := at.Link(from, to)
	if err == nil {
		return files.Reason(at.Remove(from))
	}
	if errors.Is(err, fs.ErrExist) {
		return files.Reason(err)
	}
	// The file system has no hard links, or from is a folder.
	if _, err := at.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return files.Reason(at.Rename(from, to))
}

// inFolder calls a function that needs the folder's descriptor.
func inFolder(at *os.Root, rename func(dir *os.File, from, to string) error, from, to string) error {
	dir, err := at.Open(".")
	if err != nil {
		return files.Reason(err)
	}
	defer dir.Close()
	return rename(dir, from, to)
}

// unsupported reports an old kernel, or a file system that has only the plain rename.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}
