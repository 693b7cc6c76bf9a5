package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAWorkerCanDoNothingToTheSystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("workers are confined by the system on Linux only")
	}
	for _, compile := range []bool{false, true} {
		name := map[bool]string{false: "one that runs instances", true: "one that compiles"}[compile]
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "module"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{"", folder} {
				report, err := SelfTest(Config{Name: "self-test"}, dir, compile)
				if err != nil {
					t.Fatal(err)
				}
				if len(report.Layers) != 4 || len(report.Attempts) < 12 {
					t.Errorf("%+v", report)
				}
				all := true
				for _, l := range report.Layers {
					t.Logf("%-14s %v %s", l.Name, l.On, l.Detail)
					all = all && l.On
				}
				for _, a := range report.Attempts {
					t.Logf("%-30s %v %s", a.What, a.Blocked, a.Result)
					if all && !a.Blocked {
						t.Errorf("a worker could %s", a.What)
					}
				}
				if !all {
					t.Log("this kernel lacks a layer")
				}
			}
			if left, _ := os.ReadDir(folder); len(left) != 1 {
				t.Errorf("the attempts left %v", left)
			}
		})
	}
}
