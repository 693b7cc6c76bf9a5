package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

// hostArg makes the test binary a host that starts a worker, prints its PID and waits, idle or in a call, until it is killed.
const hostArg = "__host"

func host(state string) int {
	export := asm.Run(asm.Forever(), asm.I32(0))
	// The limit is far longer than the test, so that the worker's own timer does not end it.
	p, err := NewPlugin(Config{Name: "x", Wasm: asm.Module{Funcs: []asm.Func{export}}.Bytes(), Limits: Limits{Call: time.Hour}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	i, err := p.NewInstance(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(p.Stats().PID)
	if state == "busy" {
		_, _ = i.Call(context.Background(), "run", nil)
	}
	hang()
	return 0
}

func TestNoWorkerOutlivesAHostThatIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs the parent death signal and /proc")
	}
	for _, state := range []string{"idle", "busy"} {
		t.Run(state, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], hostArg, state)
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
			if err != nil {
				t.Fatalf("the host says %q", line)
			}
			if !alive(pid) {
				t.Fatal("the worker is gone before its host")
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			for alive(pid) {
				runtime.Gosched() // until the test's own deadline
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
