//go:build unix

package worker

import (
	"os"
	"os/exec"
)

// givenFile is where a worker finds the file that it was given.
const givenFile = 3

// give makes f a worker's own, unless it is nil.
func give(cmd *exec.Cmd, f *os.File) {
	if f != nil {
		cmd.ExtraFiles = []*os.File{f}
	}
}

// given says for taken which file a worker was given; nil is none.
func given(f *os.File) string {
	if f == nil {
		return ""
	}
	return "given"
}

// taken is the file a worker was given, nil for none.
func taken(which string, _ bool) (*os.File, error) {
	if which == "" {
		return nil, nil
	}
	return os.NewFile(givenFile, which), nil
}
