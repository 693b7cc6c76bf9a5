//go:build unix && !linux

package confine

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime is not known on this OS without cgo.
func ProcessorTime(int) (spent time.Duration, ok bool) { return 0, false }

// OwnProcessorTime returns the processor time that this process has used; ok is false if it cannot be read.
func OwnProcessorTime() (spent time.Duration, ok bool) {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		return 0, false
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), true
}
