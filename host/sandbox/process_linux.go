package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// selfCommand returns how this binary is started again. /proc/self/exe names the running binary even after its file was
// replaced by an update.
func selfCommand() ([]string, error) {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return []string{"/proc/self/exe", WorkerArg}, nil
	}
	exe, err := os.Executable()
	return []string{exe, WorkerArg}, err
}

// confine makes a worker die with its host, and keeps the terminal's signals from it: the host decides when it ends.
func confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
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
