package folder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/fcp-host/fcp-host/host/files"
)

// rename gives a file of a folder another name there.
type rename func(at *os.Root, from, to string) error

// exchange swaps two files of a folder, where the system can: then nobody ever
// misses the second. Else the first replaces it.
func exchange(at *os.Root, from, to string) error {
	if err := inFolder(at, exchangeNames, from, to); !unsupported(err) {
		return err
	}
	return replace(at, from, to)
}

// replace is what every system can.
func replace(at *os.Root, from, to string) error { return files.Reason(at.Rename(from, to)) }

// publish gives a file a name that no other has, or fails with fs.ErrExist.
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
	// A file system without links, or a folder.
	if _, err := at.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return files.Reason(at.Rename(from, to))
}

// inFolder calls what needs the folder's descriptor.
func inFolder(at *os.Root, rename func(dir *os.File, from, to string) error, from, to string) error {
	dir, err := at.Open(".")
	if err != nil {
		return files.Reason(err)
	}
	defer dir.Close()
	return rename(dir, from, to)
}

// unsupported: an old kernel, or a file system that knows only the plain rename.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}
