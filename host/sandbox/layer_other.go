//go:build !linux

package sandbox

import "runtime"

// confineSelf does nothing here: a worker is a plain process.
func confineSelf(bool, bool) (layers []Layer) {
	for _, name := range []string{"limits", "namespaces", "root", "capabilities", "no_new_privs", "landlock", "seccomp"} {
		layers = append(layers, Layer{Name: name, Detail: "not on " + runtime.GOOS + ": a worker is a plain process of the user"})
	}
	return layers
}

// sealSelf does nothing here.
func sealSelf() error { return nil }
