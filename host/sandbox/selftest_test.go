package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAWorkerCanDoNothingToTheSystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("workers are confined by the system on Linux only")
	}
	for _, compile := range []bool{false, true} {
		name := map[bool]string{false: "one that runs instances", true: "one that compiles"}[compile]
		t.Run(name, func(t *testing.T) {
			var fill *os.File
			if compile {
				var err error
				if fill, err = os.Create(filepath.Join(t.TempDir(), "code")); err != nil {
					t.Fatal(err)
				}
				defer fill.Close()
			}
			report, err := SelfTest(Config{Name: "self-test"}, fill)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Layers) != 7 || len(report.Attempts) < 24 {
				t.Errorf("%+v", report)
			}
			for _, l := range report.Layers {
				t.Logf("%-14s %v %s", l.Name, l.On, l.Detail)
			}
			for _, a := range report.Attempts {
				t.Logf("%-30s %v %s", a.What, a.Blocked, a.Result)
				if on(report, "seccomp") && !a.Blocked {
					t.Errorf("a worker could %s", a.What)
				}
			}
			if !on(report, "seccomp") {
				t.Log("this kernel has no seccomp")
			}
		})
	}
}

func TestTheReportSaysThatTheKernelMayKillTheHostFirst(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("workers are confined by the system on Linux only")
	}
	report, err := SelfTest(Config{Name: "self-test", Command: []string{os.Args[0], unofferedArg}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l := report.Layers[0]; l.Name != "limits" || l.On || !strings.Contains(l.Detail, "end the host before it") {
		t.Errorf("%+v", l)
	}
}

func on(r *Report, name string) bool {
	for _, l := range r.Layers {
		if l.Name == name {
			return l.On
		}
	}
	return false
}

// TestAWorkerThatIsNotConfinedRunsNothing starts workers below a filter that forbids adding another.
func TestAWorkerThatIsNotConfinedRunsNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("workers are confined by the system on Linux only")
	}
	for require, want := range map[Requirement]string{RequireNothing: "", RequireOne: "does not confine plugins here", RequireAll: "and all are required"} {
		p, err := NewPlugin(Config{Name: "x", Wasm: smallModule.Bytes(), Command: []string{os.Args[0], bareArg}, Require: require})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.NewInstance(context.Background(), 1)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %q", require, err, want)
		}
		p.Close()
	}
}
