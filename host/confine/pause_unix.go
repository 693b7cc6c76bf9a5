//go:build unix

package confine

import (
	"os"
	"syscall"
)

// Pause stops a process of Start until Resume. An error means that it has ended.
func Pause(p *os.Process) { _ = p.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func Resume(p *os.Process) { _ = p.Signal(syscall.SIGCONT) }
