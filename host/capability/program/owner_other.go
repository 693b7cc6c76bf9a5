//go:build !unix

package program

import "io/fs"

// changeable is unused: no programs run on this OS.
func changeable(info fs.FileInfo) string {
	if writable(info) {
		return "may be written by all users"
	}
	return ""
}
