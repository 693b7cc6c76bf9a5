package confine

import (
	"time"

	"golang.org/x/sys/windows"
)

// ProcessorTime returns the processor time that the threads of a process have used; ok is false if it cannot be read.
func ProcessorTime(pid int) (spent time.Duration, ok bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer windows.CloseHandle(process)
	return timesOf(process)
}

// OwnProcessorTime is ProcessorTime of this process.
func OwnProcessorTime() (spent time.Duration, ok bool) { return timesOf(windows.CurrentProcess()) }

func timesOf(process windows.Handle) (spent time.Duration, ok bool) {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &ended, &kernel, &user); err != nil {
		return 0, false
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100, true // in units of 100 ns
}
