//go:build unix

package worker

import (
	"os"
	"os/exec"
)

// codeFileDescriptor is the descriptor of the code file in a worker.
const codeFileDescriptor = 3

// inheritCodeFile makes a process inherit f, unless f is nil.
func inheritCodeFile(cmd *exec.Cmd, f *os.File) {
	if f != nil {
		cmd.ExtraFiles = []*os.File{f}
	}
}

// codeFileName returns what openCodeFile needs to find the file in the worker, "" for nil.
func codeFileName(f *os.File) string {
	if f == nil {
		return ""
	}
	return "inherited"
}

// openCodeFile returns the file that the worker inherited, nil for the name "".
func openCodeFile(name string, _ bool) (*os.File, error) {
	if name == "" {
		return nil, nil
	}
	return os.NewFile(codeFileDescriptor, name), nil
}
