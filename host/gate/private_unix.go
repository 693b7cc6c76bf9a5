//go:build unix

package gate

import (
	"io/fs"
	"syscall"
)

// nonBlock keeps an open from waiting for the other end of a FIFO.
const nonBlock = syscall.O_NONBLOCK

// ownerOf returns the uid of a file's owner.
func ownerOf(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Uid
	}
	return 0
}
