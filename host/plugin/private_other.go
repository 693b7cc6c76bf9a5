//go:build !unix

package plugin

import "os"

// private reports that dir is a folder. ACLs are not checked on this OS.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}
