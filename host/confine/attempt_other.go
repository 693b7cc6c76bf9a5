//go:build !linux

package confine

// attemptSystem does nothing on this OS.
func (Forbidden) attemptSystem(func(string, func() error)) {}
