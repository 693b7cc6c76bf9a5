package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attemptSystem makes the attempts that exist on Linux only.
//
// Over 80 lines: a list of attempts.
func (f Forbidden) attemptSystem(try func(string, func() error)) {
	if !f.Program {
		try("replace itself by a program", func() error {
			// Execute something that is not a program: if exec is allowed, it fails instead of replacing this process.
			if err := unix.Exec("/dev/null", []string{"null"}, nil); err != nil && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.ENOEXEC) {
				return err
			}
			return nil
		})
	}
	try("signal another process", func() error { return unix.Kill(f.Host, 0) })
	try("have a pipe signal another process", func() error {
		var ends [2]int
		if err := unix.Pipe2(ends[:], 0); err != nil {
			return err
		}
		defer unix.Close(ends[0])
		defer unix.Close(ends[1])
		_, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETOWN, f.Host)
		if err == nil {
			_, err = unix.FcntlInt(uintptr(ends[0]), unix.F_SETOWN, 0)
		}
		return err
	})
	try("choose the signal of a pipe", func() error {
		_, err := unix.FcntlInt(0, unix.F_SETSIG, 0)
		return err
	})
	try("be told of a pipe by a signal", func() error {
		flags, err := unix.FcntlInt(0, unix.F_GETFL, 0)
		if err != nil {
			return err
		}
		if _, err = unix.FcntlInt(0, unix.F_SETFL, flags|unix.O_ASYNC); err == nil {
			_, err = unix.FcntlInt(0, unix.F_SETFL, flags)
		}
		return err
	})
	try("trace another process", func() error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := unix.PtraceAttach(f.Host)
		if err == nil {
			err = unix.PtraceDetach(f.Host)
		}
		return err
	})
	try("read another process's memory", func() error {
		mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", f.Host))
		if err == nil {
			mem.Close()
			return nil
		}
		var b [1]byte
		local := unix.Iovec{Base: &b[0], Len: 1}
		_, err = unix.ProcessVMReadv(f.Host, []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}}, 0)
		if errors.Is(err, unix.EFAULT) {
			return nil // allowed: only the address is invalid
		}
		return err
	})
	try("become root", func() error { return syscall.Setresuid(0, 0, 0) })
	try("get a capability", func() error {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		all := [2]unix.CapUserData{{Effective: 1 << unix.CAP_KILL, Permitted: 1 << unix.CAP_KILL}}
		return unix.Capset(&head, &all[0])
	})
	try("change how it is traced", func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })
	if !f.Compiles && !f.Program {
		try("make code that it can run", func() error {
			b, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err == nil {
				err = unix.Munmap(b)
			}
			return err
		})
	}
	try("poison a page of memory", func() error {
		page := make([]byte, os.Getpagesize())
		return unix.Madvise(page, unix.MADV_SEQUENTIAL) // a harmless call like any that is refused
	})
	try("start a process", func() error {
		pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
		switch {
		case errno != 0:
			return errno
		case pid == 0:
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	})
	if !f.Program {
		try("start a thread", func() error {
			// Invalid flags: if clone is allowed, it fails instead of making a thread.
			_, _, errno := unix.RawSyscall(unix.SYS_CLONE, unix.CLONE_THREAD, 0, 0)
			if errno == unix.EINVAL {
				return nil
			}
			return errno
		})
	}
	try("raise its limits", func() error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 4096, Max: 4096}) })
	try("make a namespace", func() error { return unix.Unshare(unix.CLONE_NEWUSER) })
	try("mount a file system", func() error { return unix.Mount("none", "/", "tmpfs", unix.MS_REMOUNT|unix.MS_BIND, "") })
	try("use io_uring", func() error {
		_, _, e := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		if e == 0 || e == unix.EFAULT {
			return nil // allowed: only the parameters are missing
		}
		return e
	})
	try("load a BPF program", func() error {
		_, _, e := unix.Syscall(unix.SYS_BPF, 0, 0, 0)
		if e == 0 || e == unix.EINVAL || e == unix.EFAULT {
			return nil
		}
		return e
	})
}
