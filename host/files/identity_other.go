//go:build !linux

package files

import "io/fs"

// IdentityOf returns the identity of the file that info describes.
func IdentityOf(info fs.FileInfo) Identity {
	return Identity{Size: info.Size(), Written: info.ModTime().UnixNano()}
}
