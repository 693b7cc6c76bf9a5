package confine

import (
	"strings"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// Runtime lists the system calls of Go's runtime, and of a C library under it: memory, threads, time, pipes, and
// information about the process. None opens a file or changes one by its name.
const Runtime = `
	read readv pread64 write writev pwrite64 close lseek fstat dup dup3 pipe2
	munmap mremap mincore brk membarrier
	futex sched_yield sched_getaffinity set_robust_list get_robust_list rseq set_tid_address arch_prctl
	nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time restart_syscall
	rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack rt_sigpending
	epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd2 poll ppoll
	getrandom getrlimit uname sysinfo getpid getppid gettid getuid geteuid getgid getegid
	exit exit_group`

// RuntimeIf lists those that are allowed with some arguments only.
func RuntimeIf() (list []seccomp.NameWithConditions) {
	when := func(name string, argument uint32, value uint64) {
		list = append(list, If(name, seccomp.Condition{Argument: argument, Operation: seccomp.Equal, Value: value}))
	}
	// Signals only to itself; limits are read, not set.
	when("tgkill", 0, uint64(unix.Getpid()))
	when("prlimit64", 2, 0)
	// Not F_SETOWN, F_SETSIG and O_ASYNC: with them a pipe can make the kernel kill any process of the user.
	for _, command := range []uint64{unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_DUPFD_CLOEXEC} {
		when("fcntl", 1, command)
	}
	for _, advice := range []uint64{unix.MADV_DONTNEED, unix.MADV_FREE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE, unix.MADV_COLLAPSE, unix.MADV_DONTDUMP} {
		when("madvise", 2, advice)
	}
	return list
}

// If returns a system call with a condition on its arguments.
func If(name string, c ...seccomp.Condition) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: name, Conditions: c}
}

// KnownSyscalls returns the names in list except those that this architecture does not have.
func KnownSyscalls(info *arch.Info, list string) (names []string) {
	for _, name := range strings.Fields(list) {
		if _, ok := info.SyscallNames[name]; ok {
			names = append(names, name)
		}
	}
	return names
}
