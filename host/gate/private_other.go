//go:build !unix

package gate

import "io/fs"

const nonBlock = 0

// checkPrivate leaves it to the system's access lists who may open the file.
func checkPrivate(fs.FileInfo) error { return nil }

// ownerOf is not asked for here.
func ownerOf(fs.FileInfo) uint32 { return 0 }
