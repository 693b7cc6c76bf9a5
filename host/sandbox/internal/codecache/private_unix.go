//go:build unix

package codecache

import (
	"errors"
	"os"
	"syscall"
)

// CheckPrivate returns an error unless dir is a folder that only this user can write to.
func CheckPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder; name another folder")
	}
	return private(info)
}

// private returns an error when a file or folder belongs to another user or others may write to it.
func private(info os.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	what := map[bool]string{true: "folder", false: "file"}[info.IsDir()]
	switch {
	case ok && int(stat.Uid) != os.Geteuid():
		return errors.New("it belongs to another user; name another " + what)
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it; run chmod go-w on it")
	}
	return nil
}
