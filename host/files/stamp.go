package files

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// Stamp identifies a file's content when it was read or written. The zero Stamp means "no file".
type Stamp struct {
	Size int64
	Sum  [sha256.Size]byte
}

// Identity identifies a version of a file without reading it: sufficient as a cache key, but not to decide whether to
// replace the file.
type Identity struct {
	Size             int64
	Written, Changed int64  // nanoseconds; Changed is the inode's change time, which nobody can set, or 0 if unknown
	Device, Number   uint64 // 0 if unknown
	Version          string // of a file on a server
}

// StampOf returns the stamp of a file with this content.
func StampOf(data []byte) Stamp { return stampOf(data) }

func stampOf(data []byte) Stamp { return Stamp{Size: int64(len(data)), Sum: sha256.Sum256(data)} }

// stampAt reads a file of any size and returns its stamp.
func stampAt(root *os.Root, rel, show string) (Stamp, error) {
	f, _, err := open(root, rel, show)
	if err != nil {
		return Stamp{}, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	return Stamp{Size: size, Sum: [sha256.Size]byte(sum.Sum(nil))}, nil
}
