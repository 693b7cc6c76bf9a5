//go:build linux && !race

package layer

import "golang.org/x/sys/unix"

// LimitAddressSpace bounds what this process may map, so that one gigantic allocation fails at once. A limit that is
// already lower stays.
func LimitAddressSpace(size uint64) error {
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &have); err != nil {
		return err
	}
	size = min(size, have.Cur, have.Max)
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: size, Max: size})
}
