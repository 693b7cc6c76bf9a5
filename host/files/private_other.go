//go:build !unix

package files

import "io/fs"

// CheckPrivate accepts any file: this system protects it by access lists, which are not checked.
func CheckPrivate(fs.FileInfo) error { return nil }
