//go:build linux && !race

package layer

import "golang.org/x/sys/unix"

// LimitAddressSpace limits the address space of this process to size bytes, so that a huge allocation fails at once. A lower limit stays.
func LimitAddressSpace(size uint64) error {
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &have); err != nil {
		return err
	}
	size = min(size, have.Cur, have.Max)
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: size, Max: size})
}
