package confine

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

// SelfCommand returns the command that starts this binary again with arg. /proc/self/exe names the running binary even
// after an update replaced its file.
func SelfCommand(arg string) ([]string, error) {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return []string{"/proc/self/exe", arg}, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("/proc is needed, and not mounted: %w", err)
	}
	return []string{exe, arg}, nil
}

// Start makes a process die with its host, or with the thread that starts it, and shields it from the terminal's
// signals: the host decides when it ends. It also marks inherited descriptors close-on-exec, since the process would
// get them.
func Start(cmd *exec.Cmd, own Namespaces) {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // before Linux 5.11 they stay open
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if own == Shared {
		return
	}
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	if own == OwnUser {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
}

// Lower lowers the priority of a process of Start, which has a group of its own: on Linux the priority belongs to a thread,
// and that of a group to all of its threads. Without it the process is only faster.
func Lower(pid, nice int) { _ = unix.Setpriority(unix.PRIO_PGRP, pid, nice) }

// Kinds lists the namespaces that a process may be started in, most confined first. Only root can share the system's
// user namespace, and only there is the user Nobody, who owns nothing.
func Kinds() []Namespaces {
	if os.Geteuid() == 0 {
		return []Namespaces{OwnAll, OwnUser, Shared}
	}
	return []Namespaces{OwnUser, Shared}
}

// Activity returns the processor time of a process, in steps of 10 ms, and its number of threads; zeros if they cannot
// be read.
func Activity(pid int) (spent time.Duration, threads int) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0
	}
	// After the name, which may contain anything, come the state and 10 more fields, then user and system time, and
	// four fields later the number of threads.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 18 {
		return 0, 0
	}
	const tick = 10 * time.Millisecond // the unit in /proc, whatever the kernel's own tick is
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	threads, err3 := strconv.Atoi(string(fields[17]))
	if errors.Join(err1, err2, err3) != nil {
		return 0, 0
	}
	return time.Duration(user+system) * tick, threads
}
