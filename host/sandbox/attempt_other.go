//go:build !linux

package sandbox

// attemptSystem has nothing to try here.
func attemptSystem(func(string, func() error)) {}
