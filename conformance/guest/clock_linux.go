package guest

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what a process has used of the processors, and whether that is known here.
func processorTime(pid int) (time.Duration, bool) {
	var t unix.Timespec
	const ofProcess = 2 // the clock that a scheduler keeps, of all threads
	if pid <= 0 || unix.ClockGettime(int32(^pid<<3|ofProcess), &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
