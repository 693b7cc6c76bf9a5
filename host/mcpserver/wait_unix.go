//go:build unix

package mcpserver

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// waitUnread waits until nobody reads a pipe or socket any more, which it reports as gone, or the other end of woken is
// closed.
func waitUnread(f, woken *os.File) (gone bool) {
	wait := func(out, wake uintptr) {
		list := []unix.PollFd{{Fd: int32(out)}, {Fd: int32(wake)}} // POLLERR and POLLHUP are reported without being requested
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
	// If one of them is closed already there is nothing to wait for.
	_ = out.Control(func(o uintptr) { _ = wake.Control(func(w uintptr) { wait(o, w) }) })
	return gone
}
