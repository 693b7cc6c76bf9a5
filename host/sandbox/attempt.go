package sandbox

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// attempts tries what no worker may do and reports how it ended. It leaves nothing behind where it succeeds. It runs in a
// process of its own that holds nothing of a plugin. exe is a file that is there, host the process of the host.
// What compiles makes code, and is not tried for it.
func attempts(exe string, host int, compiles bool) []Attempt {
	var out []Attempt
	try := func(what string, f func() error) {
		err := f()
		a := Attempt{What: what, Blocked: errors.Is(err, fs.ErrPermission), Result: "it could"}
		switch {
		case a.Blocked:
			a.Result = "refused: " + answer(err)
		case err != nil:
			a.Result = "failed, but was not refused: " + answer(err)
		}
		out = append(out, a)
	}
	create := func(dir string) func() error {
		return func() error {
			f, err := os.CreateTemp(dir, "fcp-self-test-*")
			if err == nil {
				err = errors.Join(f.Close(), os.Remove(f.Name()))
			}
			return err
		}
	}
	try("read a file", func() error {
		f, err := os.Open(exe)
		if err == nil {
			f.Close()
		}
		return err
	})
	try("list a folder", func() error { _, err := os.ReadDir(filepath.Dir(exe)); return err })
	try("see whether a file exists", func() error { _, err := os.Stat(exe); return err })
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
	try("start a program", func() error { return exec.Command(exe, "version").Run() })
	attemptSystem(host, compiles, try)
	return out
}

// answer is an error's last part: what the system said.
func answer(err error) string {
	text := firstLine(err)
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}
