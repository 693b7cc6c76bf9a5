package command

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// kernel returns the version of the running kernel, to be appended to a line; "" if it is unknown.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	release, _, _ := bytes.Cut(u.Release[:], []byte{0})
	return ", kernel " + string(release)
}
