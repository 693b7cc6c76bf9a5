//go:build !unix

package worker

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"io"
	"os"
	"os/exec"
)

// give does nothing here: a worker opens the file.
func give(*exec.Cmd, *os.File) {}

// given says for taken which file a worker is to open; nil is none.
func given(f *os.File) string {
	if f == nil {
		return ""
	}
	return f.Name()
}

// taken opens the file, nil for none, at its code.
func taken(which string, fill bool) (*os.File, error) {
	if which == "" {
		return nil, nil
	}
	flags := os.O_RDONLY
	if fill {
		flags = os.O_RDWR
	}
	f, err := os.OpenFile(which, flags, 0)
	if err == nil {
		_, err = f.Seek(codecache.CodeOffset, io.SeekStart)
	}
	return f, err
}
