// Package filelock locks files against other processes of the same machine.
package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock tries to lock the file, exclusive or shared, without waiting, and reports whether it did. The lock lasts until
// the file is closed. Windows enforces locks on reads and writes, so Lock locks a byte far past the end of any file.
func Lock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
