package sandbox

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	lsm "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// confineSelf gives up, for this whole process and for good, what a worker does not need. dir is the one folder whose files it
// may read, and write when it compiles; "" for none. It is called before anything of a plugin is looked at.
func confineSelf(dir string, compile bool) []Layer {
	return []Layer{limitSelf(compile), giveUpPrivileges(), landlockSelf(dir, compile), filterSelf()}
}

// limitSelf lowers the limits of the process. The number of processes is not among them: it is counted for the whole user, so
// that a limit would depend on what else runs. Starting one is forbidden by the filter instead.
func limitSelf(compile bool) Layer {
	size := uint64(0)
	if compile {
		size = cacheBytes
	}
	l := Layer{Name: "limits", On: true, Detail: fmt.Sprintf("%d open files, %d bytes a written file, no core dump", maxWorkerFiles, size)}
	for _, limit := range []struct {
		name string
		id   int
		max  uint64
	}{
		{"open files", unix.RLIMIT_NOFILE, maxWorkerFiles}, {"core dump", unix.RLIMIT_CORE, 0},
		{"written file", unix.RLIMIT_FSIZE, size}, {"locked memory", unix.RLIMIT_MEMLOCK, 0}, {"message queues", unix.RLIMIT_MSGQUEUE, 0},
	} {
		var have unix.Rlimit
		err := unix.Getrlimit(limit.id, &have)
		if err == nil {
			lower := min(limit.max, have.Max)
			err = unix.Setrlimit(limit.id, &unix.Rlimit{Cur: min(lower, have.Cur), Max: lower})
		}
		if err != nil {
			l.On, l.Detail = false, fmt.Sprintf("the limit of %s cannot be set: %v", limit.name, err)
		}
	}
	return l
}

// giveUpPrivileges makes sure that no program that is started could gain any, of all threads through filterSelf.
func giveUpPrivileges() Layer {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return Layer{Name: "no_new_privs", Detail: err.Error()}
	}
	return Layer{Name: "no_new_privs", On: true, Detail: "no program can gain privileges"}
}

// landlockSelf leaves the process one folder of the file system, and nothing of other processes or of the network.
func landlockSelf(dir string, compile bool) Layer {
	off := func(why string) Layer { return Layer{Name: "landlock", Detail: why} }
	version, err := lsm.LandlockGetABIVersion()
	if err != nil || version < 1 {
		return off("the kernel has no Landlock, or it is not enabled (lsm=landlock,… on its command line)")
	}
	var rules []landlock.Rule
	what := "no file"
	switch {
	case dir != "" && compile:
		rules, what = append(rules, landlock.RWDirs(dir)), "no file but those being compiled"
	case dir != "":
		rules, what = append(rules, landlock.RODirs(dir)), "no file but the compiled module, to read"
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return off(err.Error())
	}
	if version >= 4 {
		what += ", no TCP"
	}
	if version >= 6 {
		what += ", no signals or abstract sockets"
	}
	return Layer{Name: "landlock", On: true, Detail: fmt.Sprintf("%s (version %d)", what, version)}
}

// What Go's runtime, and a C library under it, ask of the kernel: memory, threads, time, pipes, and what tells of themselves.
const everySyscall = `
	read readv pread64 write writev pwrite64 close fcntl lseek fstat dup dup3 pipe2
	mmap munmap mremap mprotect madvise mincore brk membarrier
	futex sched_yield sched_getaffinity set_robust_list get_robust_list rseq set_tid_address arch_prctl
	nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time restart_syscall
	rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack rt_sigpending
	epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd2 poll ppoll
	getrandom getrlimit uname sysinfo getpid getppid gettid getuid geteuid getgid getegid
	exit exit_group seccomp`

// What reading and writing the compilation cache takes. Landlock says where.
const fileSyscalls = `
	open openat newfstatat fstatat64 stat lstat statx readlink readlinkat getdents64 getcwd
	access faccessat faccessat2 mkdir mkdirat unlink unlinkat rename renameat renameat2
	ftruncate fsync fdatasync fchmod fchmodat flock`

// filterSelf lets the kernel refuse every system call that a worker has no use for: it gets EPERM, as if it might not. Among
// them are those that start programs, open sockets, look at other processes and load code into the kernel.
func filterSelf() Layer {
	const errno = seccomp.Action(unix.SECCOMP_RET_ERRNO)
	info, err := arch.GetInfo("")
	if err != nil {
		return Layer{Name: "seccomp", Detail: err.Error()}
	}
	names := known(info, everySyscall+fileSyscalls)
	policy := seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionAllow, Names: names},
		{Action: seccomp.ActionAllow, NamesWithCondtions: []seccomp.NameWithConditions{
			// Threads and no processes; signals to itself and no other; limits are read and not set.
			{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}}},
			{Name: "tgkill", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: uint64(unix.Getpid())}}},
			{Name: "prlimit64", Conditions: seccomp.ArgumentConditions{{Argument: 2, Operation: seccomp.Equal, Value: 0}}},
		}},
		// Its flags lie in memory, where no filter can see them. A C library then falls back to clone.
		{Action: errno | seccomp.Action(unix.ENOSYS), Names: known(info, "clone3")},
	}}
	if err := loadFilter(true, policy); err != nil {
		return Layer{Name: "seccomp", Detail: err.Error()}
	}
	return Layer{Name: "seccomp", On: true, Detail: fmt.Sprintf("%d system calls of %d", len(names)+3, len(info.SyscallNames))}
}

// sealSelf ends the time in which files may be opened: the module is loaded.
func sealSelf() error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	return loadFilter(false, seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionErrno, Names: known(info, fileSyscalls+" seccomp")}}})
}

// known leaves out the names that this architecture does not have.
func known(info *arch.Info, list string) (names []string) {
	for _, name := range strings.Fields(list) {
		if _, ok := info.SyscallNames[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

// loadFilter puts a filter on every thread there is and will be. The first one takes the privileges of all of them, too.
func loadFilter(first bool, policy seccomp.Policy) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: first, Flag: seccomp.FilterFlagTSync, Policy: policy})
}
