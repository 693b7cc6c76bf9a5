package codecache

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapCode puts what f holds from at on in the place of the whole pages of p, which must be memory of a mapping of its own, to read
// and to execute. It returns how many bytes it did so with: none where p is small, begins at no page or reaches beyond f, or where
// the system refuses, as it does where nothing of a file system may be executed.
func mapCode(f *os.File, at int64, p []byte) int {
	page := os.Getpagesize()
	n := len(p) &^ (page - 1)
	if n < codePage || at%int64(page) != 0 || uintptr(unsafe.Pointer(&p[0]))%uintptr(page) != 0 {
		return 0
	}
	var info unix.Stat_t
	if unix.Fstat(int(f.Fd()), &info) != nil || info.Size < at+int64(n) {
		return 0
	}
	flags := unix.MAP_PRIVATE | unix.MAP_FIXED | unix.MAP_POPULATE
	if _, err := unix.MmapPtr(int(f.Fd()), at, unsafe.Pointer(&p[0]), uintptr(n), unix.PROT_READ|unix.PROT_EXEC, flags); err != nil {
		return 0
	}
	return n
}
