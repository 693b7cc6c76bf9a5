//go:build !linux

package layer

import "runtime"

// Confine does nothing here: a worker is a plain process.
func Confine(uint64, bool) (layers []Layer) {
	for _, name := range []string{"limits", "namespaces", "root", "capabilities", "no_new_privs", "landlock", "seccomp"} {
		layers = append(layers, Layer{Name: name, Detail: "not on " + runtime.GOOS + ": a worker is a plain process of the user"})
	}
	return layers
}

// Seal does nothing here.
func Seal() error { return nil }
