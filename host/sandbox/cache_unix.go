//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// CheckPrivate refuses a folder that somebody else could put code into.
func CheckPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return errors.New("it is not a folder; name another folder")
	case ok && int(stat.Uid) != os.Geteuid():
		return errors.New("it belongs to another user; name another folder")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it; run chmod go-w on it")
	}
	return nil
}
