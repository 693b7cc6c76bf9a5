//go:build !unix

package program

import "io/fs"

// changeable is not known here, where no program is run.
func changeable(info fs.FileInfo) string {
	if writable(info) {
		return "may be written by all users"
	}
	return ""
}
