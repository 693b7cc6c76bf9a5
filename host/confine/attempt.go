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

// Attempt is something forbidden that a process tried for a self-test.
type Attempt struct {
	What    string // "open a file"
	Blocked bool
	Result  string // the system's answer; one line
}

// Forbidden says what there is to try.
type Forbidden struct {
	File     string // one that is there
	Host     int    // the process of the host
	Compiles bool   // what compiles makes code, and is not tried for it
	Program  bool   // a program in its cage: it has become another, starts threads, makes code and asks whether files exist
}

// Try tries one thing more and reports how it ended. For a program, whose root may hold less and be read-only, that counts as refused.
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

// Attempts tries what no confined process may do. It leaves nothing behind where it succeeds. It runs in a process of its own that holds
// nothing of a user.
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
	// Of a file that is not there, so that the attempts do nothing.
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

// answer is an error's last part: what the system said.
func answer(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}
