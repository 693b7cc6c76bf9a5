//go:build !unix

package sandbox

import (
	"errors"
	"os"
)

// checkPrivate refuses what is not a folder. Who may write to it is the business of its access list.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	return err
}
