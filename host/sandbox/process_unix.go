//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// selfCommand returns how this binary is started again.
func selfCommand() ([]string, error) {
	exe, err := os.Executable()
	return []string{exe, WorkerArg}, err
}

// confine keeps the terminal's signals from a worker: the host decides when it ends. A worker whose host died ends at the end
// of its input, or by its own clock.
func confine(cmd *exec.Cmd, _ namespaces) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kinds lists the namespaces that a worker may be started in.
func kinds() []namespaces { return []namespaces{shared} }

// residentBytes is not measured here.
func residentBytes(int) uint64 { return 0 }

// activity is not measured here.
func activity(int) (spent time.Duration, threads int) { return 0, 0 }

// widen does nothing here.
func widen(*os.File) {}
