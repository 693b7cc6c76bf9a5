package filelock

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Holder returns the process that holds the file's exclusive lock; 0 if there is none or the system does not say.
func Holder(f *os.File) int {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	locks, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer locks.Close()
	want := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	for lines := bufio.NewScanner(locks); lines.Scan(); {
		// A line of /proc/locks: 1: FLOCK ADVISORY WRITE 12345 08:01:131 0 EOF
		w := strings.Fields(lines.Text())
		if len(w) > 5 && w[1] == "FLOCK" && w[3] == "WRITE" && w[5] == want {
			pid, _ := strconv.Atoi(w[4])
			return max(pid, 0)
		}
	}
	return 0
}
