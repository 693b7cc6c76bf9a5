//go:build !unix

package plugin

import "os"

// private reports that dir is a folder; its access list is the system's.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}
