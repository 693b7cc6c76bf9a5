package layer

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/landlock-lsm/go-landlock/landlock"
	lsm "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// Confine gives up, for this whole process and for good, what a worker does not need. maxWritten is the largest file, in bytes,
// that it may still write: 0 for a worker that writes none. own says that the process was started in namespaces of its own. It must be
// called before the process reads anything of a plugin.
func Confine(maxWritten uint64, own bool) []Layer {
	notFirst := confine.KillFirst()
	startThreads()
	whole := confine.WholeUsers()
	limits := limitSelf(maxWritten)
	if notFirst != nil {
		limits.On, limits.Detail = false, fmt.Sprintf("the kernel may end the host before it when memory runs out: %v", notFirst)
	}
	root := leaveRoot(own)
	layers := []Layer{limits, confine.NamespaceLayer(own), root}
	if own && !root.On && usesCgo {
		// Dropping capabilities and Landlock change all threads, and would look for them in a /proc of other processes.
		layers = append(layers, Layer{Name: "capabilities", Detail: root.Detail}, giveUpPrivileges(), Layer{Name: "landlock", Detail: root.Detail})
	} else {
		layers = append(layers, dropCapabilities(whole), giveUpPrivileges(), landlockSelf())
	}
	// A change of user or capabilities has cleared the parent death signal, by which the worker dies with its host.
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	return append(layers, filterSelf())
}

// leaveRoot gives this process an empty root folder with only /proc, where later calls look for its threads. It needs namespaces of
// its own.
func leaveRoot(own bool) Layer {
	if !own {
		return Layer{Name: "root", Detail: "needs a namespace of mounts"}
	}
	if err := confine.LeaveRoot(0, func(string) error { return nil }); err != nil {
		return Layer{Name: "root", Detail: err.Error()}
	}
	return Layer{Name: "root", On: true, Detail: "nothing but the kernel's information about the worker"}
}

// dropCapabilities drops all capabilities. Root becomes nobody first, if the user namespace has all users (whole).
func dropCapabilities(whole bool) Layer {
	l := Layer{Name: "capabilities"}
	off := func(err error) Layer { l.Detail = err.Error(); return l }
	l.Detail = "none"
	if os.Geteuid() == 0 && whole {
		for _, drop := range []func() error{
			func() error { return syscall.Setgroups(nil) },
			func() error { return syscall.Setresgid(confine.Nobody, confine.Nobody, confine.Nobody) },
			func() error { return syscall.Setresuid(confine.Nobody, confine.Nobody, confine.Nobody) }, // drops the capabilities, too
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

// limitSelf lowers the resource limits of the process. It does not limit threads, which are counted for the whole user, so that the limit
// would depend on what else runs; the seccomp filter refuses new ones.
func limitSelf(maxWritten uint64) Layer {
	l := Layer{Name: "limits", On: true, Detail: fmt.Sprintf("%d open files, %d bytes a written file, no core dump", maxWorkerFiles, maxWritten)}
	err := confine.LowerLimits([]confine.Limit{
		{Name: "open files", ID: unix.RLIMIT_NOFILE, Max: maxWorkerFiles}, {Name: "core dump", ID: unix.RLIMIT_CORE},
		{Name: "written file", ID: unix.RLIMIT_FSIZE, Max: maxWritten}, {Name: "locked memory", ID: unix.RLIMIT_MEMLOCK},
		{Name: "message queues", ID: unix.RLIMIT_MSGQUEUE},
	})
	if err != nil {
		l.On, l.Detail = false, err.Error()
	}
	return l
}

// giveUpPrivileges sets no_new_privs on this thread, so that no program can gain privileges; filterSelf sets it on all threads.
func giveUpPrivileges() Layer {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return Layer{Name: "no_new_privs", Detail: err.Error()}
	}
	return Layer{Name: "no_new_privs", On: true, Detail: "no program can gain privileges"}
}

// landlockSelf forbids the process the file system and, as far as the kernel can, TCP, signals and abstract sockets.
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

// executableMemory names the system calls that can make memory executable.
const executableMemory = "mmap mprotect"

// filterSelf makes the kernel refuse, with EPERM, every system call that a worker does not need: among them those that start threads and
// programs, open files and sockets, inspect other processes and load code into the kernel.
func filterSelf() Layer {
	info, err := arch.GetInfo("")
	if err != nil {
		return Layer{Name: "seccomp", Detail: err.Error()}
	}
	names := confine.KnownSyscalls(info, confine.Runtime+" seccomp "+executableMemory)
	limited := confine.RuntimeIf()
	policy := seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionAllow, Names: names},
		{Action: seccomp.ActionAllow, NamesWithCondtions: limited},
	}}
	if err := loadFilter(true, policy); err != nil {
		return Layer{Name: "seccomp", Detail: err.Error()}
	}
	return Layer{Name: "seccomp", On: true, Detail: fmt.Sprintf("%d system calls of %d, %d by their arguments", len(names), len(info.SyscallNames), len(limited))}
}

// Seal forbids new executable memory. It is called when the module is loaded.
func Seal() error {
	executable := seccomp.Condition{Argument: 2, Operation: seccomp.BitsSet, Value: unix.PROT_EXEC}
	group := seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: []string{"seccomp"}}
	for _, name := range strings.Fields(executableMemory) {
		group.NamesWithCondtions = append(group.NamesWithCondtions, confine.If(name, executable))
	}
	return loadFilter(false, seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{group}})
}

// loadFilter puts a seccomp filter on all threads, present and future. With first it sets no_new_privs on them, too.
func loadFilter(first bool, policy seccomp.Policy) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: first, Flag: seccomp.FilterFlagTSync, Policy: policy})
}
