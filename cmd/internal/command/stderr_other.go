//go:build !linux

package command

import "os"

func ownStderr() *os.File { return os.Stderr }
