package folder

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonBlock keeps open from waiting if a FIFO appeared meanwhile.
const nonBlock = syscall.O_NONBLOCK

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), written: info.ModTime().UnixNano()}
	s.changed = s.written
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed, s.device, s.number = st.Ctim.Nano(), uint64(st.Dev), st.Ino
	}
	return s
}

func exchangeNames(dir *os.File, a, b string) error {
	return unix.Renameat2(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_EXCHANGE)
}

func renameNew(dir *os.File, from, to string) error {
	return unix.Renameat2(int(dir.Fd()), from, int(dir.Fd()), to, unix.RENAME_NOREPLACE)
}
