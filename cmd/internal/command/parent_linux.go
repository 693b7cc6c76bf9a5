package command

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// waitForEnd waits until the parent pid has ended, and reports that.
func waitForEnd(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if os.Getppid() != pid { // it has ended meanwhile, and fd may be another process
		if err == nil {
			unix.Close(fd)
		}
		return true
	}
	if err == nil {
		defer unix.Close(fd)
		for {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if err == nil {
				return true
			}
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
	}
	pollForEnd(pid) // an old kernel, or one that does not allow it
	return true
}
