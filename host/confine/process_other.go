//go:build !unix

package confine

import (
	"os"
	"os/exec"
	"time"
)

// SelfCommand returns the command that starts this binary again with arg.
func SelfCommand(arg string) ([]string, error) {
	exe, err := os.Executable()
	return []string{exe, arg}, err
}

// Start does nothing on this OS: a process ends at the end of its input, or by its own timer.
func Start(*exec.Cmd, Namespaces) {}

// Lower does nothing on this OS.
func Lower(pid, nice int) {}

// Pause does nothing on this OS.
func Pause(*os.Process) {}

// Resume does nothing on this OS.
func Resume(*os.Process) {}

// Kinds lists the namespaces that a process may be started in.
func Kinds() []Namespaces { return []Namespaces{Shared} }

// Activity always returns zeros on this OS.
func Activity(int) (spent time.Duration, threads int) { return 0, 0 }
