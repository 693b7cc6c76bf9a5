package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"golang.org/x/sys/unix"
)

// Descriptors of a cage, after stdin, stdout and stderr.
const (
	orderFD = 3 + iota
	reportFD
	firstInput // the program inherits only the inputs
)

// order is the host's message to a cage.
type order struct {
	Program string
	Args    []string
	Reads   []string
	Inputs  []string
	Outputs []string
	Files   []string
	Own     bool // it has its own namespaces
	CPU     uint64
	Memory  uint64
	Size    uint64 // limit for each output
}

// report is what a cage answers before it executes the program, and again if that fails.
type report struct {
	Layers []confine.Layer
	Error  string
	Root   bool // setting up the new root failed: it may work without namespaces
}

// watchEvery is how often the host checks a program's threads, its files and the disk.
const watchEvery = 50 * time.Millisecond

// spareCPU is how far the kernel's CPU limit is above the run's: the kernel measures it less exactly.
const spareCPU = 5 * time.Second

// minFree is the free disk space that a program must leave, in bytes.
const minFree = 256 << 20

// readOnly reports whether a file is open for reading only: the program inherits the descriptor.
func readOnly(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY
}

// run starts the program, reports that on started, and waits for its end. The kernel kills a process when the thread
// that started it ends, so this goroutine is locked to its thread.
func (p *Process) run(r *Runner, run *Run, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	for _, own := range r.kinds {
		var again bool
		if again, err = p.try(r, run, own, started); !again {
			break
		}
	}
	if err != nil {
		p.mu.Lock()
		why := p.why
		p.mu.Unlock()
		if why != nil { // cancelled or timed out, possibly before it started
			started <- fmt.Errorf("%s %w", p.name, why)
			return
		}
		started <- fmt.Errorf("%s cannot be run: %w", p.name, err)
	}
}

// try runs the program with one kind of namespaces. again is true if the program did not start, but may start with
// another kind.
func (p *Process) try(r *Runner, run *Run, own confine.Namespaces, started chan<- error) (again bool, err error) {
	orders, give, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer give.Close() // keep it open to the end: it shows the cage that its host is alive
	defer orders.Close()
	answers, answer, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer answers.Close()
	defer answer.Close()
	cmd := exec.Command(r.command[0], r.command[1:]...)
	cmd.Env = []string{}
	cmd.Dir = p.folder.path
	if p.stdout != nil {
		cmd.Stdout = p.stdout
	} else {
		cmd.Stdout = &progress{tell: run.Progress}
	}
	cmd.Stderr = p.stderr
	cmd.ExtraFiles = append([]*os.File{orders, answer}, p.inputs...)
	cmd.WaitDelay = time.Second
	confine.Start(cmd, own)
	if err := cmd.Start(); err != nil {
		// Systems that do not let this user create namespaces report it by many different errors.
		return own != confine.Shared, err
	}
	orders.Close()
	answer.Close()
	p.setKill(cmd.Process.Pid, func() { _ = cmd.Process.Kill() }) // fails only if the process is gone
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { p.watch(cmd.Process.Pid, quit) })
	defer watching.Wait() // watch uses files that Close removes
	defer close(quit)

	o := order{
		Program: run.Program.Path, Args: p.layout.args, Reads: run.Program.Reads,
		Inputs: p.layout.inputs, Outputs: p.layout.outputs, Files: p.layout.files, Own: own != confine.Shared,
		CPU: uint64((p.limits.CPU + spareCPU) / time.Second), Memory: p.limits.Memory,
	}
	for _, size := range p.layout.sizes {
		o.Size = max(o.Size, uint64(size)+1)
	}
	said, err := p.sendOrder(give, answers, o)
	began := err == nil && said.Error == "" && len(said.Layers) > 0
	if began {
		p.mu.Lock()
		p.layers = said.Layers
		p.mu.Unlock()
		started <- nil
	} else {
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait() // the process state has the details
	if began {
		p.finish(endingOf(cmd.ProcessState))
		return false, nil
	}
	switch {
	case said.Error != "":
		return said.Root, errors.New(said.Error)
	case err != nil:
		return false, fmt.Errorf("its cage does not answer: %w", err)
	}
	return false, fmt.Errorf("its cage died (%s): %s", cmd.ProcessState, lastLine(p.stderrText()))
}

// sendOrder sends the cage its order and returns its last report.
func (p *Process) sendOrder(give, answers *os.File, o order) (said report, err error) {
	if err := json.NewEncoder(give).Encode(o); err != nil {
		return report{}, err
	}
	for from := json.NewDecoder(answers); ; {
		var next report
		if err := from.Decode(&next); errors.Is(err, io.EOF) {
			return said, nil // it executed the program, or ended
		} else if err != nil {
			return report{}, err
		}
		said = next
	}
}

// watch enforces limits that the kernel does not.
func (p *Process) watch(pid int, quit <-chan struct{}) {
	clock := time.NewTicker(watchEvery)
	defer clock.Stop()
	for {
		select {
		case <-quit:
			return
		case <-clock.C:
		}
		spent, threads := confine.Activity(pid)
		if threads > maxThreads {
			p.stop(fmt.Errorf("had %d threads; the limit is %d", threads, maxThreads))
		}
		if spent > p.limits.CPU {
			p.stop(p.tooMuchCPU())
		}
		if over := p.checkOutputLimits(); over != nil {
			p.stop(over)
		}
		var disk unix.Statfs_t
		if len(p.outputs) > 0 && unix.Fstatfs(int(p.outputs[0].Fd()), &disk) == nil && disk.Bavail*uint64(disk.Bsize) < minFree {
			p.stop(fmt.Errorf("left less than %d MiB on the disk", minFree>>20))
		}
	}
}

func endingOf(state *os.ProcessState) ending {
	end := ending{exit: state.ExitCode(), spent: state.UserTime() + state.SystemTime()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		end.signal, end.killed = status.Signal().String(), status.Signal() == syscall.SIGKILL
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		end.peak = uint64(usage.Maxrss) << 10
	}
	return end
}
