package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// selfCommand returns how this binary is started again. /proc/self/exe names the running binary even after its file was
// replaced by an update.
func selfCommand() ([]string, error) {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return []string{"/proc/self/exe", WorkerArg}, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("/proc is needed, and not mounted: %w", err)
	}
	return []string{exe, WorkerArg}, nil
}

// confine makes a worker die with its host, and keeps the terminal's signals from it: the host decides when it ends.
// Descriptors that this process was itself started with would reach the worker, so they are marked to be closed.
func confine(cmd *exec.Cmd, own namespaces) {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // before Linux 5.11 they stay as they are
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if own == shared {
		return
	}
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	if own == ownUser {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
}

// kinds lists the namespaces that a worker may be started in, the narrowest first. Only root may make those of the system's users,
// and only there does it find a user to become who owns nothing.
func kinds() []namespaces {
	if os.Geteuid() == 0 {
		return []namespaces{ownAll, ownUser, shared}
	}
	return []namespaces{ownUser, shared}
}

// residentBytes returns a process's resident memory, or 0 when it cannot be read.
func residentBytes(pid int) uint64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// activity returns what a process has used of the processors, in steps of 10 ms, and how many threads it has, or zeros when that
// cannot be read.
func activity(pid int) (spent time.Duration, threads int) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0
	}
	// Behind the name, in which there may be anything, come the state and 10 more fields; then the time in user and system mode,
	// and four fields later the threads.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 18 {
		return 0, 0
	}
	const tick = 10 * time.Millisecond // as the kernel tells it to programs, whatever it counts in
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	threads, err3 := strconv.Atoi(string(fields[17]))
	if errors.Join(err1, err2, err3) != nil {
		return 0, 0
	}
	return time.Duration(user+system) * tick, threads
}

// widen gives a pipe a larger buffer, so that a megabyte goes through in 1.3 ms instead of 2. Without it all works as well.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 512<<10) })
}
