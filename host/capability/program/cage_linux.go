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

// RunCage is the main function of a process whose first argument is CageArg: it reads an order, drops every right that
// the program does not need, and executes the program. It returns an exit code if that fails.
//
// Landlock, seccomp, capabilities and the parent death signal apply to one thread. The other threads of Go's runtime
// end when this one executes the program.
//
// Over 80 lines: a sequence of steps whose order matters.
func RunCage() int {
	runtime.LockOSThread()
	unix.CloseOnExec(orderFD)
	unix.CloseOnExec(reportFD)
	say := json.NewEncoder(os.NewFile(reportFD, "report"))
	fail := func(r report) int {
		_ = say.Encode(r) // an error of the pipe could be reported nowhere
		return 1
	}
	var o order
	orders := os.NewFile(orderFD, "order")
	defer runtime.KeepAlive(orders) // if it were collected and closed, the host would seem gone
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
	if err := confine.KillFirst(); err != nil {
		return fail(report{Error: fmt.Sprintf("the kernel may end the host before it when memory runs out: %v", err)})
	}
	layers := []confine.Layer{confine.NamespaceLayer(o.Own)}
	if o.Own {
		if err := enterRoot(&o); err != nil {
			return fail(report{Error: err.Error(), Root: true})
		}
		layers = append(layers, confine.Layer{Name: "root", On: true, Detail: "nothing but its libraries, fonts and folder"})
	} else {
		layers = append(layers, confine.Layer{Name: "root", Detail: "needs a namespace of mounts"})
	}
	// Open it now: by its descriptor the program can be executed in a place that user Nobody cannot reach.
	exe, err := unix.Open(o.Program, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail(report{Error: fmt.Sprintf("open %s: %v", o.Program, err)})
	}
	as, err := becomeNobody(&o, whole)
	if err != nil {
		return fail(report{Error: fmt.Sprintf("drop privileges: %v", err)})
	}
	layers = append(layers, confine.Layer{Name: "capabilities", On: true, Detail: "none" + as})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fail(report{Error: fmt.Sprintf("drop privileges: %v", err)})
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
	// The change of user reset the parent death signal.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fail(report{Error: fmt.Sprintf("die with the host: %v", err)})
	}
	if hostGone() {
		return 1
	}
	if err := confine.LowerLimits([]confine.Limit{
		{Name: "open files", ID: unix.RLIMIT_NOFILE, Max: 256 + 2*uint64(len(o.Inputs))}, {Name: "core dump", ID: unix.RLIMIT_CORE},
		{Name: "locked memory", ID: unix.RLIMIT_MEMLOCK}, {Name: "message queues", ID: unix.RLIMIT_MSGQUEUE},
		{Name: "written file", ID: unix.RLIMIT_FSIZE, Max: o.Size}, {Name: "processor time", ID: unix.RLIMIT_CPU, Max: o.CPU},
		{Name: "address space", ID: unix.RLIMIT_AS, Max: o.Memory},
	}); err != nil {
		return fail(report{Error: err.Error()})
	}
	layers = append(layers, confine.Layer{Name: "limits", On: true, Detail: fmt.Sprintf("%d MiB of memory, %d s of processor time, %d bytes a written file", o.Memory>>20, o.CPU, o.Size)})
	layers = append(layers, confine.Layer{Name: "seccomp", On: true, Detail: filter.detail})
	// Send the report before the filter applies: writing a long one to a full pipe needs system calls that the filter
	// refuses.
	if err := say.Encode(report{Layers: layers}); err != nil {
		return 1
	}
	if err := filter.enforce(); err != nil {
		return fail(report{Error: err.Error()})
	}
	err = unix.Exec(fmt.Sprintf("/proc/self/fd/%d", exe), append([]string{o.Program}, o.Args...), []string{})
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOENT) {
		err = fmt.Errorf("%w: it, or the loader of its libraries, is not in the cage", err)
	}
	return fail(report{Error: fmt.Sprintf("start %s: %v%s", o.Program, err, as)})
}

// becomeNobody changes root to user Nobody, if the user namespace maps all users, and drops all capabilities. It
// returns the user it became, for messages.
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

// hostGone reports whether the host ended: the host keeps its end of the order's pipe open as long as it lives. The
// parent's PID would not tell, since it is 0 in another namespace.
func hostGone() bool {
	poll := []unix.PollFd{{Fd: orderFD}}
	n, err := unix.Poll(poll, 0)
	return err != nil || n > 0
}
