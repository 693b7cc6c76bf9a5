//go:build !linux && !darwin && !windows

package command

import (
	"errors"
	"os"
)

func isConsole(*os.File) bool { return false }

func rawTerminal(_, _ *os.File) (restore func(), err error) { return nil, errors.ErrUnsupported }

func terminalRows(*os.File) int { return 0 }
