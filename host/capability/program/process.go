package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/printable"
)

// Process is a program that is running or has ended. The caller must call Close.
type Process struct {
	name    string
	layout  *layout
	limits  Limits
	folder  *folder
	inputs  []*os.File
	outputs []*os.File
	hidden  *strings.Replacer // removes paths from its output
	stdout  *tail             // nil if progress is parsed instead
	stderr  *tail
	done    chan struct{} // closed when it has ended; nil if it was never started

	mu     sync.Mutex // guards the fields below
	pid    int
	kill   func() // nil if there is no process
	over   bool   // it has ended
	why    error  // why the host ended it
	layers []confine.Layer
	ended  ending
}

// ending is how a process ended.
type ending struct {
	exit   int    // exit code; -1 if a signal ended it
	signal string // the signal's name
	killed bool   // by SIGKILL
	spent  time.Duration
	peak   uint64 // resident memory in bytes
}

// Result describes a program that has ended.
type Result struct {
	Exit    int    // exit code; -1 if it was killed
	Stdout  []byte // empty if progress was parsed
	Stderr  string // the end of stderr, without paths
	CPU     time.Duration
	Peak    uint64     // peak resident memory in bytes
	Outputs []*os.File // open for reading and writing, at offset 0; Close removes them
}

// Errors for callers to test for.
var (
	// ErrCancelled: the context was cancelled.
	ErrCancelled = errors.New("was cancelled")
	// ErrUnconfined: the system lacks what a cage needs.
	ErrUnconfined = errors.New("programs cannot be run here")
)

// Start starts a program; it returns when the program runs or failed to start. It takes over the inputs' files and
// closes them, even on error. The program ends when ctx is done.
func (r *Runner) Start(ctx context.Context, run Run) (*Process, error) {
	p := &Process{name: run.Program.Name, limits: run.Limits.withDefaults()}
	for _, in := range run.Inputs {
		p.inputs = append(p.inputs, in.File)
	}
	if err := p.prepare(r, &run); err != nil {
		p.Close()
		return nil, err
	}
	p.hidden = strings.NewReplacer(p.folder.path+"/", "", p.folder.path, ".", cageFolder+"/", "", cageFolder, ".", r.dir, ".")
	if run.Progress == nil {
		p.stdout = &tail{keep: p.limits.Stdout, most: p.limits.Stdout, full: func() {
			p.stop(fmt.Errorf("printed more than %d bytes", p.limits.Stdout))
		}}
	}
	p.stderr = &tail{keep: keptStderr, most: maxStderr, full: func() { p.stop(fmt.Errorf("printed more than %d MiB of messages", maxStderr>>20)) }}
	release := context.AfterFunc(ctx, func() { p.stop(ErrCancelled) })
	late := time.AfterFunc(p.limits.Wall, func() { p.stop(fmt.Errorf("took longer than %v", p.limits.Wall)) })
	started := make(chan error, 1)
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		defer late.Stop()
		defer release()
		p.run(r, &run, started)
	}()
	if err := <-started; err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// prepare creates the folder with its content.
func (p *Process) prepare(r *Runner, run *Run) (err error) {
	fail := func(err error) error { return fmt.Errorf("%s cannot be run: %w", p.name, err) }
	for i, f := range p.inputs {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return fail(fmt.Errorf("input %d is not a regular file", i))
		}
		if !readOnly(f) {
			return fail(fmt.Errorf("input %d is not open read-only", i))
		}
	}
	if p.layout, err = run.layOut(); err != nil {
		return err
	}
	if err := (Finder{}).check(run.Program.Path); err != nil { // it may have changed since Find
		return fail(fmt.Errorf("%s %w", run.Program.Path, err))
	}
	if p.folder, err = r.newFolder(); err != nil {
		return fail(err)
	}
	for i, name := range p.layout.inputs {
		if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", firstInput+i), filepath.Join(p.folder.path, name)); err != nil {
			return fail(err)
		}
	}
	for _, name := range p.layout.outputs {
		f, err := os.OpenFile(filepath.Join(p.folder.path, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fail(err)
		}
		p.outputs = append(p.outputs, f)
	}
	for _, f := range run.Files {
		if err := os.WriteFile(filepath.Join(p.folder.path, f.Name), f.Data, 0o644); err != nil {
			return fail(err)
		}
	}
	return nil
}

// stop ends the program for a reason; only the first call counts. It may be called at any time.
func (p *Process) stop(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if p.why == nil {
		p.why = why
	}
	if p.kill != nil {
		p.kill()
	}
}

// setKill sets how to kill the process, and kills it if stop was called before.
func (p *Process) setKill(pid int, kill func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid = pid
	if p.kill = kill; p.why != nil {
		kill()
	}
}

// Wait waits for the end. The result is never nil. The error says in one line why the program failed, was cancelled, or
// exceeded a limit.
func (p *Process) Wait() (*Result, error) {
	<-p.done
	p.mu.Lock()
	end, why := p.ended, p.why
	p.mu.Unlock()
	res := &Result{Exit: end.exit, CPU: end.spent, Peak: end.peak, Outputs: p.outputs, Stderr: p.stderrText()}
	if p.stdout != nil {
		res.Stdout = []byte(p.stdout.text())
	}
	if why == nil && (end.exit != 0 || p.checkOutputLimits() != nil) {
		why = p.explain(end, res.Stderr)
	}
	if why != nil {
		return res, fmt.Errorf("%s %w", p.name, why)
	}
	return res, nil
}

// stderrText returns the end of the program's stderr, without paths.
func (p *Process) stderrText() string {
	text := strings.ReplaceAll(p.stderr.text(), "\r", "\n") // ffmpeg overwrites its statistics line
	return p.hidden.Replace(printable.Text(text))
}

// finish records how the process ended.
func (p *Process) finish(end ending) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended, p.over = end, true
}

// explain says why a program failed that the host did not end.
func (p *Process) explain(end ending, said string) error {
	if over := p.checkOutputLimits(); over != nil {
		return over
	}
	switch {
	case end.killed && end.spent >= p.limits.CPU:
		return p.tooMuchCPU()
	case end.killed:
		return errors.New("was killed, perhaps since the system ran out of memory")
	case end.signal != "":
		return fmt.Errorf("crashed (%s)", end.signal)
	}
	line := lastLine(said)
	if line == "" {
		line = "it printed no reason"
	}
	return fmt.Errorf("failed with exit code %d: %s", end.exit, line)
}

func (p *Process) tooMuchCPU() error {
	return fmt.Errorf("took more than %v of processor time", p.limits.CPU)
}

// checkOutputLimits returns an error for an output that exceeds its limit.
func (p *Process) checkOutputLimits() error {
	for i, f := range p.outputs {
		if info, err := f.Stat(); err == nil && info.Size() > p.layout.sizes[i] {
			return fmt.Errorf("wrote more than %d bytes into output %d", p.layout.sizes[i], i)
		}
	}
	return nil
}

// Layers returns what confined the program.
func (p *Process) Layers() []confine.Layer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.layers
}

// Close ends the program if it is running, and removes its folder with the outputs.
func (p *Process) Close() {
	if p.done != nil {
		p.stop(ErrCancelled)
		<-p.done
	}
	for _, f := range append(p.inputs, p.outputs...) {
		f.Close()
	}
	if p.folder != nil {
		p.folder.remove()
	}
}
