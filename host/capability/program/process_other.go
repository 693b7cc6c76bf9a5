//go:build !linux

package program

import (
	"fmt"
	"os"
	"runtime"
)

const firstInput = 0

const cageFolder = "/.run"

// Available returns why programs cannot run: this system has no cage.
func Available() error {
	return fmt.Errorf("%w: they can be confined on Linux only, not on %s", ErrUnconfined, runtime.GOOS)
}

// RunCage is never called on this OS.
func RunCage() int { return 1 }

func (p *Process) run(_ *Runner, _ *Run, started chan<- error) { started <- Available() }

func readOnly(*os.File) bool { return false }
