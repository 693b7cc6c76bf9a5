//go:build unix

package added

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// own refuses a file or folder that other users may change.
func own(info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others may write to %s; run chmod go-w on it", info.Name())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return fmt.Errorf("%s belongs to another user", info.Name())
	}
	return nil
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
