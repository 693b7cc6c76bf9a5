//go:build unix

package gate

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// nonBlock keeps an open from waiting for the other end of a FIFO.
const nonBlock = syscall.O_NONBLOCK

// checkPrivate refuses a file with secrets that others can open.
func checkPrivate(info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("others may open it; run chmod 600 on it")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return errors.New("it belongs to another user")
	}
	return nil
}

// ownerOf returns the uid of a file's owner.
func ownerOf(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Uid
	}
	return 0
}
