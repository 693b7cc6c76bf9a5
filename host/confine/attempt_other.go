//go:build !linux

package confine

// attemptSystem has nothing to try here.
func (Forbidden) attemptSystem(func(string, func() error)) {}
