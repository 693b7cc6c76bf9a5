//go:build !linux

package sandbox

import "runtime"

// confineSelf does nothing here: a worker is a plain process.
func confineSelf(string, bool) []Layer {
	why := "not on " + runtime.GOOS + ": a worker is a plain process of the user"
	return []Layer{{Name: "limits", Detail: why}, {Name: "no_new_privs", Detail: why}, {Name: "landlock", Detail: why}, {Name: "seccomp", Detail: why}}
}

// sealSelf does nothing here.
func sealSelf() error { return nil }
