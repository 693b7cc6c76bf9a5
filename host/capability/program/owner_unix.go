//go:build unix

package program

import (
	"io/fs"
	"os"
	"syscall"
)

// changeable says how a user other than root and this one can change a file or a folder's entries; "" if none can.
func changeable(info fs.FileInfo) string {
	owner := info.Sys().(*syscall.Stat_t)
	switch {
	case writable(info):
		return "may be written by all users"
	case info.Mode().Perm()&0o020 != 0 && owner.Gid != 0 && int(owner.Gid) != os.Getegid() && info.Mode()&fs.ModeSticky == 0:
		return "may be written by another group"
	case owner.Uid != 0 && int(owner.Uid) != os.Geteuid():
		return "belongs to another user"
	}
	return ""
}
