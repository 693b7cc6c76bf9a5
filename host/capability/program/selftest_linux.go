package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/fcp-host/fcp-host/host/confine"
	"golang.org/x/sys/unix"
)

// RunSelfTest is the main function of a process whose first argument is SelfTestArg. It returns an exit code.
func RunSelfTest() int {
	if len(os.Args) != 5 {
		return 2
	}
	in, out := os.Args[2], os.Args[3]
	host, err := strconv.Atoi(os.Args[4])
	if err != nil {
		return 2
	}
	f := confine.Forbidden{File: "/etc/passwd", Host: host, Program: true}
	attempts := f.Attempts()
	try := func(what string, do func() error) { attempts = append(attempts, f.Try(what, do)) }
	closed := func(fd int, err error) error {
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
	open := func(path string, flags int) func() error {
		return func() error { return closed(unix.Open(path, flags, 0o600)) }
	}
	try("write to its input", open(in, unix.O_WRONLY))
	try("write to the descriptor of its input", func() error {
		_, err := unix.Write(firstInput, []byte("x"))
		if errors.Is(err, unix.EBADF) { // it is open read-only
			err = unix.EACCES
		}
		return err
	})
	try("cut off its input", open(in, unix.O_RDONLY|unix.O_TRUNC))
	try("cut off its input by its name", func() error { return unix.Truncate(in, 0) })
	try("change its input's mode", func() error { return unix.Chmod(in, 0o777) })
	try("change its input's times", func() error { return unix.Utimes(in, make([]unix.Timeval, 2)) })
	try("make a file beside its output", open("more.bin", unix.O_WRONLY|unix.O_CREAT))
	try("make a folder", func() error { return unix.Mkdir("folder", 0o700) })
	try("make a link", func() error { return unix.Symlink("/etc/passwd", "link") })
	try("link its input", func() error { return unix.Link(in, "link") })
	try("rename its output", func() error { return unix.Rename(out, "other.bin") })
	try("remove its output", func() error { return unix.Unlink(out) })
	try("list its folder", open(".", unix.O_RDONLY|unix.O_DIRECTORY))
	try("list the root", open("/", unix.O_RDONLY|unix.O_DIRECTORY))
	try("climb out of its folder", open("../../../../../../../../etc/passwd", unix.O_RDONLY))
	try("write to a library's folder", open("/usr/lib/fcp-self-test", unix.O_WRONLY|unix.O_CREAT))
	try("read what the kernel tells of the host", open(fmt.Sprintf("/proc/%d/environ", host), unix.O_RDONLY))
	try("open the terminal", open("/dev/tty", unix.O_RDWR))
	try("make a pair of sockets", func() error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(pair[0])
			unix.Close(pair[1])
		}
		return err
	})
	try("make a file in memory", func() error { return closed(unix.MemfdCreate("x", 0)) })
	try("fork", func() error {
		pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, unix.CLONE_VFORK|uintptr(unix.SIGCHLD), 0, 0)
		switch {
		case errno != 0:
			return errno
		case pid == 0:
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	})
	if json.NewEncoder(os.Stdout).Encode(attempts) != nil {
		return 1
	}
	return 0
}
