package files

import (
	"errors"
	"io/fs"
	"os"
)

// What is at a name where something else is expected.
var (
	ErrSwapped = errors.New("it was replaced while it was opened")
	ErrFolder  = errors.New("it is a folder")
	ErrFile    = errors.New("it is a file")
	ErrLink    = errors.New("it is a symbolic link")
	ErrOther   = errors.New("it is not a regular file")
)

// Irregular returns the error that names what info describes.
func Irregular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrFolder
	case info.Mode().IsRegular():
		return ErrFile
	case info.Mode()&fs.ModeSymlink != 0:
		return ErrLink
	}
	return ErrOther
}

// Enter opens a folder in at, but not through a link: an os.Root follows links that stay inside.
func Enter(at *os.Root, name string) (*os.Root, error) {
	info, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, Irregular(info)
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = ErrSwapped
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}
