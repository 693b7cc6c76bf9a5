//go:build !linux

package program

import (
	"fmt"
	"os"
	"runtime"
)

const firstInput = 0

const cageFolder = "/.run"

// Available says why no program can be run: there is no cage on this system.
func Available() error {
	return fmt.Errorf("%w: they are confined on Linux alone, not on %s", ErrUnconfined, runtime.GOOS)
}

// RunCage is never asked for here.
func RunCage() int { return 1 }

func (p *Process) run(_ *Runner, _ *Run, started chan<- error) { started <- Available() }

func readOnly(*os.File) bool { return false }
