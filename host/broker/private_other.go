//go:build !unix

package broker

import "io/fs"

// CheckPrivate accepts any file: here the user's folder is private by default.
func CheckPrivate(fs.FileInfo) error { return nil }
