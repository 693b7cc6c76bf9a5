//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
	"time"
)

// selfCommand returns how this binary is started again.
func selfCommand() ([]string, error) {
	exe, err := os.Executable()
	return []string{exe, WorkerArg}, err
}

// confine does nothing here: a worker ends at the end of its input, or by its own clock.
func confine(*exec.Cmd, namespaces) {}

// kinds lists the namespaces that a worker may be started in.
func kinds() []namespaces { return []namespaces{shared} }

// residentBytes is not measured here.
func residentBytes(int) uint64 { return 0 }

// activity is not measured here.
func activity(int) (spent time.Duration, threads int) { return 0, 0 }

// widen does nothing here.
func widen(*os.File) {}
