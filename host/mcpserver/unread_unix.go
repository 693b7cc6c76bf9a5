//go:build unix

package mcpserver

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// unread waits until nobody reads a pipe or socket any more, or the other end of woken is closed, and reports whether it was the former.
func unread(f, woken *os.File) (gone bool) {
	wait := func(out, wake uintptr) {
		list := []unix.PollFd{{Fd: int32(out)}, {Fd: int32(wake)}} // that an end is closed is told without being asked for
		for {
			if _, err := unix.Poll(list, -1); errors.Is(err, unix.EINTR) {
				continue
			}
			gone = list[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
			return
		}
	}
	out, err := f.SyscallConn()
	if err != nil {
		return false
	}
	wake, err := woken.SyscallConn()
	if err != nil {
		return false
	}
	// Where one of them is closed already there is nothing to wait for.
	_ = out.Control(func(o uintptr) { _ = wake.Control(func(w uintptr) { wait(o, w) }) })
	return gone
}
