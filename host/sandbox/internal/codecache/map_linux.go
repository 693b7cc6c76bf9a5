package codecache

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapCode maps f from the offset at over the whole pages of p, readable and executable. p must lie in a mapping of its own. It returns how
// many bytes it mapped: 0 when p is small or not aligned to a page, when f is too short, or when the system refuses, for instance because
// the file system is mounted noexec.
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
