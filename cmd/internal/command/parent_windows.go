package command

import (
	"golang.org/x/sys/windows"
)

// waitForEnd waits until the parent pid has ended, and reports that; false at once if it is not there. Windows keeps the
// number of a parent that has ended, and may give it to a process that is younger than this one.
func waitForEnd(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	began, ok := beginning(h)
	own, known := beginning(windows.CurrentProcess())
	if !ok || !known || began > own {
		return false
	}
	ended, err := windows.WaitForSingleObject(h, windows.INFINITE)
	return err == nil && ended == windows.WAIT_OBJECT_0
}

// beginning returns when a process began, in 100 ns.
func beginning(h windows.Handle) (at int64, ok bool) {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return 0, false
	}
	return int64(created.HighDateTime)<<32 | int64(created.LowDateTime), true
}
