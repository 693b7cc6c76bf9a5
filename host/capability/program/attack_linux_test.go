package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// attackArg makes the test binary a program that does what its next argument says.
const attackArg = "__attack"

// hostArg makes it a host that runs such a program in the folder of its next argument until it is killed.
const hostArg = "__host"

// bareArg makes it a cage on a system without the system call that its next argument names.
const bareArg = "__bare"

func init() { modes[attackArg], modes[hostArg], modes[bareArg] = attack, host, bare }

// block is the output with which an attack reports that it is ready: one block of progress.
const block = "state=ready\nprogress=continue\n"

// hang never returns. In a program without cgo, Go's runtime would report select {} as a deadlock.
func hang() { time.Sleep(math.MaxInt64) }

func attack() int {
	switch os.Args[2] {
	case "block":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Print(block)
		hang()
	case "spin":
		for n := 0; ; n++ {
			runtime.KeepAlive(n)
		}
	case "fork":
		made := 0
		for range 1000 {
			pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
			if errno == 0 && pid == 0 {
				for {
					unix.RawSyscall(unix.SYS_PAUSE, 0, 0, 0)
				}
			}
			if errno == 0 {
				made++
			}
		}
		fmt.Print(made)
	case "thread":
		var ends [2]int
		_ = unix.Pipe2(ends[:], 0)
		for range 2 * maxThreads {
			go func() { _, _ = unix.Read(ends[0], make([]byte, 1)) }() // each waits in the kernel
		}
		hang()
	case "fill":
		f, err := os.OpenFile(os.Args[3], os.O_WRONLY, 0)
		for junk := make([]byte, 1<<16); err == nil; {
			_, err = f.Write(junk)
		}
		fmt.Fprintln(os.Stderr, err)
		return 1
	case "stretch":
		fmt.Fprint(os.Stdout, os.Truncate(os.Args[3], 1<<40))
		f, err := os.OpenFile(os.Args[3], os.O_WRONLY, 0)
		if err == nil {
			err = f.Truncate(1 << 40)
		}
		fmt.Fprintln(os.Stderr, err)
		return 1
	case "flood":
		out := os.Stdout
		if os.Args[3] == "stderr" {
			out = os.Stderr
		}
		for junk := []byte(strings.Repeat("x", 1<<16) + "\n"); ; {
			if _, err := out.Write(junk); err != nil {
				return 1
			}
		}
	case "deaf": // closes what the host listens to
		_ = unix.Close(1)
		_ = unix.Close(2)
		hang()
	case "allocate":
		_, err := unix.Mmap(-1, 0, 4<<30, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		fmt.Print(err)
	case "fail":
		here, _ := os.Getwd()
		fmt.Fprintf(os.Stderr, "first\x1b[31m\nit failed in %s\n\n", here)
		return 3
	case "write":
		fmt.Print(block)
		if err := os.WriteFile(os.Args[3], []byte(os.Args[4]), 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case "look":
		fmt.Println(len(os.Environ()), len(os.Args))
	}
	return 0
}

// self returns the test binary as the program "attacker".
func self(t testing.TB) Program {
	t.Helper()
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Program{Name: "attacker", Path: exe}
}

func attacker(t *testing.T, args ...string) Run {
	return Run{Program: self(t), Args: append([]string{attackArg}, args...), Outputs: []Output{{Ext: "bin", MaxBytes: 1 << 20}}}
}

func TestUnracedAMisbehavingProgramFailsClearlyAndLeavesNothing(t *testing.T) {
	testwasm.Unraced(t)
	each(t, func(t *testing.T, r *Runner) {
		limited := func(run Run, l Limits) Run { run.Limits = l; return run }
		for name, tt := range map[string]struct {
			run    Run
			stdout string
			says   string // "" where it goes well
		}{
			"forks":                  {run: attacker(t, "fork"), stdout: "0"},
			"starts threads":         {run: limited(attacker(t, "thread"), Limits{Memory: 1 << 40}), says: "attacker had"},
			"fills the disk":         {run: attacker(t, "fill", "{out:0}"), says: "attacker wrote more than 1048576 bytes into output 0"},
			"stretches a file":       {run: attacker(t, "stretch", "{out:0}"), stdout: "truncate out0.bin: operation not permitted", says: "file too large"},
			"never ends":             {run: limited(attacker(t, "block"), Limits{Wall: 50 * time.Millisecond}), says: "attacker took longer than 50ms"},
			"spins":                  {run: limited(attacker(t, "spin"), Limits{CPU: 200 * time.Millisecond}), says: "attacker took more than 200ms of processor time"},
			"hears nothing":          {run: limited(attacker(t, "deaf"), Limits{Wall: 50 * time.Millisecond}), says: "attacker took longer than 50ms"},
			"prints without end":     {run: attacker(t, "flood", "stdout"), says: "attacker printed more than 8388608 bytes"},
			"complains without end":  {run: attacker(t, "flood", "stderr"), says: "attacker printed more than 64 MiB of messages"},
			"takes memory":           {run: limited(attacker(t, "allocate"), Limits{Memory: 2 << 30}), stdout: "cannot allocate memory"},
			"fails":                  {run: attacker(t, "fail"), says: "attacker failed with exit code 3: it failed in ."},
			"has no environment":     {run: attacker(t, "look", "a b", "-c"), stdout: "0 5\n"},
			"is not what it seems":   {run: Run{Program: Program{Name: "x", Path: "/etc/passwd"}}, says: "x cannot be run: /etc/passwd is not executable"},
			"asks for what is not":   {run: attacker(t, "look", "{in:0}"), says: "the arguments name {in:0}, which it does not have"},
			"writes and may read":    {run: Run{Program: self(t), ReadOnly: true, Outputs: []Output{{Ext: "x"}}}, says: "it may only read here"},
			"reads what is no file":  {run: Run{Program: self(t), Inputs: []Input{{Ext: "x", File: device(t, os.O_RDONLY)}}}, says: "input 0 is not a regular file"},
			"reads what it may fill": {run: Run{Program: self(t), Inputs: []Input{{Ext: "x", File: writableFile(t)}}}, says: "input 0 is not open read-only"},
		} {
			t.Run(name, func(t *testing.T) {
				p, err := r.Start(context.Background(), tt.run)
				var result *Result
				if err == nil {
					defer func() {
						p.Close()
						if alive(p.pid) {
							t.Error("the process is still there")
						}
					}()
					result, err = p.Wait()
				}
				switch {
				case (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says):
					t.Errorf("%v, want %q", err, tt.says)
				case result != nil && tt.stdout != "" && string(result.Stdout) != tt.stdout:
					t.Errorf("it printed %q, want %q\n%s", result.Stdout, tt.stdout, result.Stderr)
				case result != nil && strings.ContainsAny(result.Stderr, "\x1b") || result != nil && strings.Contains(result.Stderr, r.dir):
					t.Errorf("stderr is %q", result.Stderr)
				}
			})
		}
		if left, err := os.ReadDir(r.dir); err != nil || len(left) > 0 {
			t.Errorf("%v %v are left behind", left, err)
		}
	})
}

func device(t *testing.T, flags int) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/null", flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func writableFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestACancelledProgramEndsThoughItIgnoresSignals(t *testing.T) {
	each(t, func(t *testing.T, r *Runner) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		run := attacker(t, "block")
		run.Progress = func(m map[string]string) {
			if m["state"] == "ready" {
				cancel()
			}
		}
		p, err := r.Start(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if _, err := p.Wait(); !errors.Is(err, ErrCancelled) || !strings.Contains(err.Error(), "attacker was cancelled") {
			t.Errorf("it ended with %v", err)
		}
	})
}

// host is a host that runs a program and prints its process number.
func host() int {
	r, err := NewRunner(os.Args[2])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if os.Args[3] == "shared" {
		r.kinds = r.kinds[len(r.kinds)-1:]
	}
	exe, _ := os.Executable()
	run := Run{Program: Program{Name: "x", Path: exe}, Args: []string{attackArg, "block"}}
	ready := make(chan struct{}, 1)
	run.Progress = func(map[string]string) { ready <- struct{}{} }
	p, err := r.Start(context.Background(), run)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	<-ready
	fmt.Println(p.pid)
	hang()
	return 0
}

func TestNoProgramOutlivesAHostThatIsKilled(t *testing.T) {
	for _, kind := range []string{"own", "shared"} {
		t.Run(kind, func(t *testing.T) {
			r := newRunner(t)
			cmd := exec.Command(os.Args[0], hostArg, r.dir, kind)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || !alive(pid) {
				t.Fatalf("the host says %q", line)
			}
			// While the host lives, no other one removes its folder.
			if err := r.sweep(); err != nil {
				t.Fatal(err)
			}
			if held, err := os.ReadDir(r.dir); err != nil || len(held) != 1 {
				t.Errorf("%v %v are there while the program runs", held, err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			for alive(pid) {
				runtime.Gosched() // until the test's own deadline
			}
			if _, err := NewRunner(r.dir); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(r.dir); err != nil || len(left) > 0 {
				t.Errorf("%v %v are left behind", left, err)
			}
		})
	}
}

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

func bare() int {
	err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{{Action: seccomp.ActionErrno, Names: []string{os.Args[2]}}},
	}})
	if err != nil {
		return 9
	}
	return RunCage()
}

func TestNothingRunsIfALayerIsMissing(t *testing.T) {
	r := newRunner(t)
	for call, want := range map[string]string{
		"landlock_create_ruleset": "no Landlock of version 3", "landlock_restrict_self": "Landlock: operation not permitted", "seccomp": "seccomp: ",
		"setresuid": "drop privileges", "capset": "drop privileges",
	} {
		if call == "setresuid" && os.Geteuid() != 0 {
			continue
		}
		r.command = []string{os.Args[0], bareArg, call}
		if _, err := do(t, r, attacker(t, "look")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v, want %q", call, err, want)
		}
	}
	// Without namespaces the other layers are sufficient.
	r.command = []string{os.Args[0], bareArg, "pivot_root"}
	p, err := r.Start(context.Background(), attacker(t, "look"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
	for _, l := range p.Layers() {
		if own := l.Name == "namespaces" || l.Name == "root"; l.On == own {
			t.Errorf("%s is %v: %s", l.Name, l.On, l.Detail)
		}
	}
}
