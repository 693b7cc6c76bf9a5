//go:build unix

// Package filelock locks files against other processes of the same machine.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Lock tries to lock the file, exclusive or shared, without waiting, and reports whether it did. The lock lasts until
// the file is closed.
func Lock(f *os.File, exclusive bool) (bool, error) {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
