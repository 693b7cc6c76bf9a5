//go:build unix && !linux

package command

// waitForEnd waits until the parent pid has ended, and reports that.
func waitForEnd(pid int) bool {
	pollForEnd(pid)
	return true
}
