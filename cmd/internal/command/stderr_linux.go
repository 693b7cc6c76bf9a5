package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownStderr gives a file for stderr that no write of this process waits for. Of a pipe, descriptor 2 becomes one that refuses
// what finds no room: Go's runtime writes to it when it gives up, and would wait for a reader for ever. The pipe is opened
// anew, since other processes share the one that was inherited.
func ownStderr() *os.File {
	var st unix.Stat_t
	if unix.Fstat(2, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return os.Stderr
	}
	fd, err := unix.Open("/proc/self/fd/2", unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.Stderr
	}
	if err := unix.Dup3(fd, 2, 0); err != nil {
		unix.Close(fd)
		return os.Stderr
	}
	return os.NewFile(uintptr(fd), "/dev/stderr")
}
