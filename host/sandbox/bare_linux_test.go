package sandbox

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// bare is RunWorker where the kernel has neither seccomp nor Landlock.
func bare() int {
	err := loadFilter(true, seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionErrno, Names: []string{"seccomp", "landlock_create_ruleset"}}}})
	if err != nil {
		return 9
	}
	return RunWorker()
}

// unoffered is RunWorker where the process cannot write what the kernel is to end first when memory runs out.
func unoffered() int {
	writing := seccomp.Condition{Argument: 2, Operation: seccomp.BitsSet, Value: unix.O_WRONLY}
	err := loadFilter(true, seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{{Action: seccomp.ActionErrno,
		NamesWithCondtions: []seccomp.NameWithConditions{{Name: "openat", Conditions: seccomp.ArgumentConditions{writing}}}}}})
	if err != nil {
		return 9
	}
	return RunWorker()
}
