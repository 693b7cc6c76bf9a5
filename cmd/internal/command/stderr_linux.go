package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownStderr returns stderr. If stderr is a pipe, ownStderr makes descriptor 2 non-blocking: a write to a full pipe then fails
// instead of waiting. Otherwise Go's runtime, which prints to descriptor 2 before it exits, could wait forever for a reader.
// The pipe is reopened, because other processes share the inherited file description.
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
