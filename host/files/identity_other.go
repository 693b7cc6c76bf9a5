//go:build !linux

package files

import "io/fs"

// IdentityOf is the identity of the file that info is about.
func IdentityOf(info fs.FileInfo) Identity {
	return Identity{Size: info.Size(), Written: info.ModTime().UnixNano()}
}
