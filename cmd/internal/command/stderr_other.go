//go:build !linux

package command

import "os"

// ownStderr returns stderr as it is: only on Linux can it be reopened non-blocking.
func ownStderr() *os.File { return os.Stderr }
