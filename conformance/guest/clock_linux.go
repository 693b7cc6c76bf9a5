package guest

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of a process, and whether it is known on this OS.
func processorTime(pid int) (time.Duration, bool) {
	var t unix.Timespec
	const ofProcess = 2 // CPUCLOCK_SCHED: the scheduler's count, of all threads
	if pid <= 0 || unix.ClockGettime(int32(^pid<<3|ofProcess), &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
