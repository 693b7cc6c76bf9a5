package program

import (
	"fmt"
	"strings"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/fcp-host/fcp-host/host/confine"
	"golang.org/x/sys/unix"
)

// fileSyscalls are the system calls that programs need in addition to a worker's: to execute the program, to open files
// as far as Landlock allows, and to stat them. None changes a file's mode, owner, times or name, which Landlock does
// not refuse.
const fileSyscalls = `
	execve mmap mprotect access faccessat faccessat2 open openat stat lstat newfstatat fstatat64 statx statfs fstatfs
	readlink readlinkat getdents64 getcwd ftruncate fsync fdatasync fadvise64
	select pselect6 dup2 pipe getrusage times getcpu get_mempolicy`

// filter is the seccomp filter of a cage.
type filter struct {
	policy seccomp.Policy
	detail string
}

// programFilter returns a filter that refuses all other system calls with EPERM.
func programFilter() (*filter, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("%w: seccomp: %w", ErrUnconfined, err)
	}
	names := confine.KnownSyscalls(info, confine.Runtime+fileSyscalls)
	// Allow threads, not processes. C libraries start threads with clone if clone3 fails, whose arguments a filter
	// cannot see.
	limited := append(confine.RuntimeIf(),
		confine.If("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}),
		confine.If("prctl", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: unix.PR_SET_NAME}))
	return &filter{
		policy: seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: names},
			{Action: seccomp.ActionAllow, NamesWithCondtions: limited},
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: confine.KnownSyscalls(info, "clone3")},
		}},
		detail: fmt.Sprintf("%d system calls of %d, %d by their arguments; no sockets, no processes", len(names), len(info.SyscallNames), len(limited)),
	}, nil
}

// enforce applies the filter to this thread, irrevocably.
func (f *filter) enforce() error {
	if err := seccomp.LoadFilter(seccomp.Filter{Policy: f.policy}); err != nil {
		return fmt.Errorf("%w: seccomp: %s", ErrUnconfined, strings.TrimSpace(err.Error()))
	}
	return nil
}
