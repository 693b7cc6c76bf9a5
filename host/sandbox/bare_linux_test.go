package sandbox

import (
	"runtime"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// bare runs a worker as on a kernel without seccomp and Landlock.
func bare() int {
	err := filter(seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionErrno, Names: []string{"seccomp", "landlock_create_ruleset"}}}})
	if err != nil {
		return 9
	}
	return RunWorker()
}

// unoffered runs a worker that cannot write its oom_score_adj, so that the kernel may kill the host before it.
func unoffered() int {
	writing := seccomp.Condition{Argument: 2, Operation: seccomp.BitsSet, Value: unix.O_WRONLY}
	err := filter(seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{{Action: seccomp.ActionErrno,
		NamesWithCondtions: []seccomp.NameWithConditions{{Name: "openat", Conditions: seccomp.ArgumentConditions{writing}}}}}})
	if err != nil {
		return 9
	}
	return RunWorker()
}

// filter puts a filter on every thread of this process.
func filter(policy seccomp.Policy) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy})
}
