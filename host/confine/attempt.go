package confine

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Attempt is something forbidden that a process tried in a self-test.
type Attempt struct {
	What    string // "open a file"
	Blocked bool
	Result  string // the system's answer, one line
}

// Forbidden says what to try.
type Forbidden struct {
	File     string // an existing file
	Host     int    // the host's process
	Compiles bool   // the process compiles modules, so it may make memory executable
	Program  bool   // a program in its cage, which may execute, start threads, make memory executable and stat files
}

// Try tries one more thing and reports the result. In a program's cage, whose root has few files and may be read-only,
// a missing file or read-only file system counts as refused.
func (f Forbidden) Try(what string, do func() error) Attempt {
	err := do()
	blocked := errors.Is(err, fs.ErrPermission) || f.Program && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EROFS))
	a := Attempt{What: what, Blocked: blocked, Result: "it could"}
	switch {
	case a.Blocked:
		a.Result = "refused: " + answer(err)
	case err != nil:
		a.Result = "failed, but was not refused: " + answer(err)
	}
	return a
}

// Attempts tries what a confined process must not do. Attempts that succeed leave nothing behind. Call it in a process
// of its own without any of the user's data.
func (f Forbidden) Attempts() (out []Attempt) {
	try := func(what string, do func() error) { out = append(out, f.Try(what, do)) }
	create := func(dir string) func() error {
		return func() error {
			file, err := os.CreateTemp(dir, "fcp-self-test-*")
			if err == nil {
				err = errors.Join(file.Close(), os.Remove(file.Name()))
			}
			return err
		}
	}
	try("read a file", func() error {
		file, err := os.Open(f.File)
		if err == nil {
			file.Close()
		}
		return err
	})
	try("list a folder", func() error { _, err := os.ReadDir(filepath.Dir(f.File)); return err })
	if !f.Program {
		try("see whether a file exists", func() error { _, err := os.Stat(f.File); return err })
	}
	try("write a file", create(os.TempDir()))
	// A file that does not exist, so that attempts that are allowed change nothing.
	none := filepath.Join(os.TempDir(), "fcp-self-test-none")
	could := func(err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	try("delete a file", func() error { return could(os.Remove(none)) })
	try("change a file's mode", func() error { return could(os.Chmod(none, 0o600)) })
	try("connect to a network address", func() error {
		c, err := net.Dial("udp", "127.0.0.1:9")
		if err == nil {
			c.Close()
		}
		return err
	})
	try("listen on a network address", func() error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			l.Close()
		}
		return err
	})
	try("connect to another program", func() error {
		c, err := net.ListenPacket("unixgram", "@fcp-self-test")
		if err == nil {
			c.Close()
		}
		return err
	})
	try("start a program", func() error { return exec.Command(f.File, "version").Run() })
	f.attemptSystem(try)
	return out
}

// answer returns the last part of an error: the system's message.
func answer(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}
