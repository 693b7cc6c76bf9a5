//go:build unix

package codecache

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
	if !info.IsDir() {
		return errors.New("it is not a folder; name another folder")
	}
	return private(info)
}

// private refuses what belongs to somebody else or what others may write to.
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
