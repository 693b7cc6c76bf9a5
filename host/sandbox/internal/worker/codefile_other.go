//go:build !unix

package worker

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"io"
	"os"
	"os/exec"
)

// inheritCodeFile does nothing here: the worker opens the file itself.
func inheritCodeFile(*exec.Cmd, *os.File) {}

// codeFileName returns the path that openCodeFile opens, "" for nil.
func codeFileName(f *os.File) string {
	if f == nil {
		return ""
	}
	return f.Name()
}

// openCodeFile opens the file and moves to its content, behind the checksum; nil for the name "". With fill it may be written.
func openCodeFile(name string, fill bool) (*os.File, error) {
	if name == "" {
		return nil, nil
	}
	flags := os.O_RDONLY
	if fill {
		flags = os.O_RDWR
	}
	f, err := os.OpenFile(name, flags, 0)
	if err == nil {
		_, err = f.Seek(codecache.CodeOffset, io.SeekStart)
	}
	return f, err
}
