package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	lsm "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// confineSelf gives up, for this whole process and for good, what a worker does not need; fill says that it writes a file that it
// was given. own says that it was started in namespaces of its own. It is called before anything of a plugin is looked at.
func confineSelf(fill, own bool) []Layer {
	offered := offerSelf()
	startThreads()
	whole := wholeUsers()
	limits := limitSelf(fill)
	if offered != nil {
		limits.On, limits.Detail = false, fmt.Sprintf("the kernel may end the host before it when memory runs out: %v", offered)
	}
	layers := []Layer{limits, {Name: "namespaces", On: own, Detail: "processes, network, IPC, mounts, host name: none but its own"}}
	if !own {
		layers[1].Detail = "the system does not let this user make them"
	}
	root := leaveRoot(own)
	layers = append(layers, root)
	if own && !root.On && linksC {
		// What changes all threads would ask for them among the processes of others.
		layers = append(layers, Layer{Name: "capabilities", Detail: root.Detail}, giveUpPrivileges(), Layer{Name: "landlock", Detail: root.Detail})
	} else {
		layers = append(layers, dropCapabilities(whole), giveUpPrivileges(), landlockSelf())
	}
	// A change of user or capabilities has taken back that the worker dies with its host.
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	return append(layers, filterSelf())
}

// offerSelf has the kernel end this process before its host when memory runs out.
func offerSelf() error {
	const path, more, most = "/proc/self/oom_score_adj", 500, 1000
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(have)))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strconv.Itoa(min(score+more, most))), 0)
}

// leaveRoot makes a folder in memory the root of this process, to which nothing can be written and in which there is nothing but
// what the kernel tells of the process itself: what changes all threads asks there for them. It takes namespaces of its own.
func leaveRoot(own bool) Layer {
	l := Layer{Name: "root", Detail: "takes a namespace of mounts"}
	if !own {
		return l
	}
	at := "/" // a folder that is there; what lies in it is not touched outside
	for _, dir := range []string{"/tmp", "/var", "/usr", "/etc"} {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			at = dir
			break
		}
	}
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"keep mounts to itself", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"mount a file system", func() error { return unix.Mount("none", at, "tmpfs", quiet, "size=4k,nr_inodes=2,mode=755") }},
		{"make a folder", func() error { return unix.Mkdir(at+"/proc", 0o555) }},
		{"mount its own processes", func() error { return unix.Mount("proc", at+"/proc", "proc", quiet, "") }},
		{"go there", func() error { return unix.Chdir(at) }},
		{"change the root", func() error { return unix.PivotRoot(".", ".") }}, // the old one lies on the new one then
		{"leave the old root", func() error { return unix.Unmount(".", unix.MNT_DETACH) }},
		{"go to the root", func() error { return unix.Chdir("/") }},
		{"write no more", func() error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|quiet, "") }},
	} {
		if err := step.do(); err != nil {
			l.Detail = fmt.Sprintf("%s: %v", step.name, err)
			return l
		}
	}
	l.On, l.Detail = true, "nothing but what the kernel tells of the worker itself"
	return l
}

// nobody is the user and group without rights of their own, on every Linux.
const nobody = 65534

// dropCapabilities makes root nobody, where all users are there, and leaves no capability to anybody.
func dropCapabilities(whole bool) Layer {
	l := Layer{Name: "capabilities"}
	off := func(err error) Layer { l.Detail = err.Error(); return l }
	l.Detail = "none"
	if os.Geteuid() == 0 && whole {
		for _, drop := range []func() error{
			func() error { return syscall.Setgroups(nil) },
			func() error { return syscall.Setresgid(nobody, nobody, nobody) },
			func() error { return syscall.Setresuid(nobody, nobody, nobody) }, // takes the capabilities along
		} {
			if err := drop(); err != nil {
				return off(err)
			}
		}
		l.Detail = "none; runs as nobody"
	} else {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		if _, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none)), 0); errno != 0 {
			return off(errno)
		}
	}
	l.On = true
	return l
}

// wholeUsers reports whether this process's user namespace has user nobody, as the system's own has.
func wholeUsers() bool {
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false
	}
	var inside, outside, count uint64
	_, err = fmt.Sscan(string(ids), &inside, &outside, &count)
	return err == nil && inside == 0 && count > nobody
}

// limitSelf lowers the limits of the process. The number of threads is not among them: it is counted for the whole user, so
// that a limit would depend on what else runs. The filter refuses new ones instead.
func limitSelf(fill bool) Layer {
	size := uint64(0)
	if fill {
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

// landlockSelf leaves the process nothing of the file system, of other processes or of the network.
func landlockSelf() Layer {
	off := func(why string) Layer { return Layer{Name: "landlock", Detail: why} }
	version, err := lsm.LandlockGetABIVersion()
	if err != nil || version < 1 {
		return off("the kernel has no Landlock, or it is not enabled (lsm=landlock,… on its command line)")
	}
	if err := landlock.V11.BestEffort().Restrict(); err != nil {
		return off(err.Error())
	}
	what := "no file"
	if version >= 4 {
		what += ", no TCP"
	}
	if version >= 6 {
		what += ", no signals or abstract sockets"
	}
	return Layer{Name: "landlock", On: true, Detail: fmt.Sprintf("%s (version %d)", what, version)}
}

// What Go's runtime, and a C library under it, ask of the kernel: memory, threads, time, pipes, and what tells of themselves.
// There is nothing among them that opens a file or changes one by its name.
const everySyscall = `
	read readv pread64 write writev pwrite64 close lseek fstat dup dup3 pipe2
	munmap mremap mincore brk membarrier
	futex sched_yield sched_getaffinity set_robust_list get_robust_list rseq set_tid_address arch_prctl
	nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time restart_syscall
	rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack rt_sigpending
	epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd2 poll ppoll
	getrandom getrlimit uname sysinfo getpid getppid gettid getuid geteuid getgid getegid
	exit exit_group`

// conditional is what a worker may ask for with some arguments only.
func conditional() (list []seccomp.NameWithConditions) {
	when := func(name string, c ...seccomp.Condition) {
		list = append(list, seccomp.NameWithConditions{Name: name, Conditions: c})
	}
	is := func(argument uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: argument, Operation: seccomp.Equal, Value: value}
	}
	// Signals to itself and no other; limits are read and not set.
	when("tgkill", is(0, uint64(unix.Getpid())))
	when("prlimit64", is(2, 0))
	// No F_SETOWN, F_SETSIG and O_ASYNC: with them a pipe kills any process of the user, without a signal sent.
	for _, command := range []uint64{unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_DUPFD_CLOEXEC} {
		when("fcntl", is(1, command))
	}
	for _, advice := range []uint64{unix.MADV_DONTNEED, unix.MADV_FREE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE, unix.MADV_COLLAPSE, unix.MADV_DONTDUMP} {
		when("madvise", is(2, advice))
	}
	return list
}

// code is what gives memory that can be executed.
const code = "mmap mprotect"

// filterSelf lets the kernel refuse every system call that a worker has no use for: it gets EPERM, as if it might not. Among
// them are those that start threads and programs, open files and sockets, look at other processes and load code into the kernel.
func filterSelf() Layer {
	info, err := arch.GetInfo("")
	if err != nil {
		return Layer{Name: "seccomp", Detail: err.Error()}
	}
	names := known(info, everySyscall+" seccomp "+code)
	limited := conditional()
	policy := seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionAllow, Names: names},
		{Action: seccomp.ActionAllow, NamesWithCondtions: limited},
	}}
	if err := loadFilter(true, policy); err != nil {
		return Layer{Name: "seccomp", Detail: err.Error()}
	}
	return Layer{Name: "seccomp", On: true, Detail: fmt.Sprintf("%d system calls of %d, %d by their arguments", len(names), len(info.SyscallNames), len(limited))}
}

// sealSelf ends the time in which there may be new code: the module is loaded.
func sealSelf() error {
	executable := seccomp.Condition{Argument: 2, Operation: seccomp.BitsSet, Value: unix.PROT_EXEC}
	group := seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: []string{"seccomp"}}
	for _, name := range strings.Fields(code) {
		group.NamesWithCondtions = append(group.NamesWithCondtions, seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{executable}})
	}
	return loadFilter(false, seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{group}})
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
