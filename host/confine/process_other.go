//go:build !unix

package confine

import (
	"os"
	"os/exec"
	"time"
)

// SelfCommand returns how this binary is started again with arg.
func SelfCommand(arg string) ([]string, error) {
	exe, err := os.Executable()
	return []string{exe, arg}, err
}

// Start does nothing here: a process ends at the end of its input, or by its own clock.
func Start(*exec.Cmd, Namespaces) {}

// Kinds lists the namespaces that a process may be started in.
func Kinds() []Namespaces { return []Namespaces{Shared} }

// Activity is not measured here.
func Activity(int) (spent time.Duration, threads int) { return 0, 0 }
