//go:build unix && !linux

package confine

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// SelfCommand returns how this binary is started again with arg.
func SelfCommand(arg string) ([]string, error) {
	exe, err := os.Executable()
	return []string{exe, arg}, err
}

// Start keeps the terminal's signals from a process: the host decides when it ends. One whose host died ends at the end
// of its input, or by its own clock.
func Start(cmd *exec.Cmd, _ Namespaces) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kinds lists the namespaces that a process may be started in.
func Kinds() []Namespaces { return []Namespaces{Shared} }

// Activity is not measured here.
func Activity(int) (spent time.Duration, threads int) { return 0, 0 }
