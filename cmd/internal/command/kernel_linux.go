package command

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// kernel names the running kernel.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	release, _, _ := bytes.Cut(u.Release[:], []byte{0})
	return ", kernel " + string(release)
}
