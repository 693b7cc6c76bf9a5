//go:build !unix

package gate

import "io/fs"

const nonBlock = 0

// ownerOf is not used on this system.
func ownerOf(fs.FileInfo) uint32 { return 0 }
