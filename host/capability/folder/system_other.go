//go:build !linux && !darwin

package folder

import (
	"errors"
	"io/fs"
	"os"
)

const nonBlock = 0

func stampOf(info fs.FileInfo) stamp {
	at := info.ModTime().UnixNano()
	return stamp{size: info.Size(), written: at, changed: at}
}

func exchangeNames(*os.File, string, string) error { return errors.ErrUnsupported }

func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
