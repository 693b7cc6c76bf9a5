//go:build unix && !linux

package confine

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// SelfCommand returns the command that starts this binary again with arg.
func SelfCommand(arg string) ([]string, error) {
	exe, err := os.Executable()
	return []string{exe, arg}, err
}

// Start shields a process from the terminal's signals: the host decides when it ends. If the host dies, the process
// ends at the end of its input, or by its own timer.
func Start(cmd *exec.Cmd, _ Namespaces) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Lower lowers the priority of a process of Start.
func Lower(pid, nice int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, pid, nice) }

// Kinds lists the namespaces that a process may be started in.
func Kinds() []Namespaces { return []Namespaces{Shared} }

// Activity always returns zeros on this OS.
func Activity(int) (spent time.Duration, threads int) { return 0, 0 }
