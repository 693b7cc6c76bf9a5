//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// CheckPrivate refuses a file with secrets that other users can open, or that belongs to another user.
func CheckPrivate(info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("others may open it; run chmod 600 on it")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return errors.New("it belongs to another user")
	}
	return nil
}
