//go:build !unix

package codecache

import (
	"errors"
	"os"
)

// CheckPrivate refuses what is not a folder. Who may write to it is the business of its access list.
func CheckPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	return err
}

// private refuses nothing: who may write is the business of the access list.
func private(os.FileInfo) error { return nil }
