package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/fcp-host/fcp-host/host/confine"
	"golang.org/x/sys/unix"
)

// RunCage is what a process does whose first argument is CageArg: it takes an order, gives up what the program has no use for, and
// becomes the program. It returns an exit code when it cannot.
//
// Landlock, seccomp, capabilities and the parent death signal are those of one thread. The others of Go's runtime end when this one
// becomes the program.
func RunCage() int {
	runtime.LockOSThread()
	unix.CloseOnExec(orderFD)
	unix.CloseOnExec(reportFD)
	say := json.NewEncoder(os.NewFile(reportFD, "report"))
	fail := func(r report) int {
		_ = say.Encode(r) // nobody else would hear of it either
		return 1
	}
	var o order
	orders := os.NewFile(orderFD, "order")
	defer runtime.KeepAlive(orders) // collected, it would be closed, and the host seem gone
	if err := json.NewDecoder(orders).Decode(&o); err != nil {
		return fail(report{Error: fmt.Sprintf("its order cannot be read: %v", err)})
	}
	rules, err := landlockRules(&o)
	if err != nil {
		return fail(report{Error: err.Error()})
	}
	filter, err := programFilter()
	if err != nil {
		return fail(report{Error: err.Error()})
	}
	whole := confine.WholeUsers()
	if err := confine.OfferSelf(); err != nil {
		return fail(report{Error: fmt.Sprintf("the kernel may end the host before it when memory runs out: %v", err)})
	}
	layers := []confine.Layer{{Name: "namespaces", On: o.Own, Detail: "processes, network, IPC, mounts, host name: none but its own"}}
	if o.Own {
		if err := enterRoot(&o); err != nil {
			return fail(report{Error: err.Error(), Root: true})
		}
		layers = append(layers, confine.Layer{Name: "root", On: true, Detail: "nothing but its libraries, fonts and folder"})
	} else {
		layers[0].Detail = "the system does not let this user make them"
		layers = append(layers, confine.Layer{Name: "root", Detail: "takes a namespace of mounts"})
	}
	// By its descriptor it can be started where nobody may not go.
	exe, err := unix.Open(o.Program, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail(report{Error: fmt.Sprintf("open %s: %v", o.Program, err)})
	}
	as, err := becomeNobody(&o, whole)
	if err != nil {
		return fail(report{Error: fmt.Sprintf("give up rights: %v", err)})
	}
	layers = append(layers, confine.Layer{Name: "capabilities", On: true, Detail: "none" + as})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fail(report{Error: fmt.Sprintf("give up rights: %v", err)})
	}
	layers = append(layers, confine.Layer{Name: "no_new_privs", On: true, Detail: "no program can gain privileges"})
	landlock, err := rules.enforce()
	if err != nil {
		return fail(report{Error: err.Error()})
	}
	layers = append(layers, landlock)
	if err := readable(&o); err != nil {
		return fail(report{Error: err.Error() + as})
	}
	// A change of user has taken back that it dies with its host.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fail(report{Error: fmt.Sprintf("die with the host: %v", err)})
	}
	if hostGone() {
		return 1
	}
	if err := confine.Lower([]confine.Limit{
		{Name: "open files", ID: unix.RLIMIT_NOFILE, Max: 256 + 2*uint64(len(o.Inputs))}, {Name: "core dump", ID: unix.RLIMIT_CORE},
		{Name: "locked memory", ID: unix.RLIMIT_MEMLOCK}, {Name: "message queues", ID: unix.RLIMIT_MSGQUEUE},
		{Name: "written file", ID: unix.RLIMIT_FSIZE, Max: o.Size}, {Name: "processor time", ID: unix.RLIMIT_CPU, Max: o.CPU},
		{Name: "address space", ID: unix.RLIMIT_AS, Max: o.Memory},
	}); err != nil {
		return fail(report{Error: err.Error()})
	}
	layers = append(layers, confine.Layer{Name: "limits", On: true, Detail: fmt.Sprintf("%d MiB of memory, %d s of processor time, %d bytes a written file", o.Memory>>20, o.CPU, o.Size)})
	layers = append(layers, confine.Layer{Name: "seccomp", On: true, Detail: filter.detail})
	// The last words before the filter: a report that is too long for the pipe would have to wait.
	if err := say.Encode(report{Layers: layers}); err != nil {
		return 1
	}
	if err := filter.enforce(); err != nil {
		return fail(report{Error: err.Error()})
	}
	err = unix.Exec(fmt.Sprintf("/proc/self/fd/%d", exe), append([]string{o.Program}, o.Args...), []string{})
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOENT) {
		err = fmt.Errorf("%w: it, or what loads its libraries, is not among what the cage holds", err)
	}
	return fail(report{Error: fmt.Sprintf("start %s: %v%s", o.Program, err, as)})
}

// becomeNobody makes root nobody, where all users are there, and leaves no capability to anybody. It says whom it became.
func becomeNobody(o *order, whole bool) (as string, err error) {
	if os.Geteuid() == 0 && whole {
		for _, path := range append([]string{"."}, o.Outputs...) {
			if err := os.Lchown(path, confine.Nobody, confine.Nobody); err != nil {
				return "", err
			}
		}
		for _, drop := range []func() error{
			func() error { return syscall.Setgroups(nil) },
			func() error { return syscall.Setresgid(confine.Nobody, confine.Nobody, confine.Nobody) },
			func() error { return syscall.Setresuid(confine.Nobody, confine.Nobody, confine.Nobody) },
		} {
			if err := drop(); err != nil {
				return "", err
			}
		}
		as = "; runs as nobody, since the host is root"
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return as, unix.Capset(&head, &none[0])
}

// readable opens each input as the program will.
func readable(o *order) error {
	for i, name := range o.Inputs {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("input %d cannot be read: %w", i, errors.Unwrap(err))
		}
		f.Close()
	}
	return nil
}

// hostGone reports whether the host ended: it keeps the pipe of the order open as long as it lives. A parent's process number would
// not tell, it is 0 from another namespace.
func hostGone() bool {
	poll := []unix.PollFd{{Fd: orderFD}}
	n, err := unix.Poll(poll, 0)
	return err != nil || n > 0
}
