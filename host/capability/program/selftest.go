package program

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fcp-host/fcp-host/host/confine"
)

// SelfTestArg is the first argument of a process that runs in a cage and tries what it must not be able to do.
const SelfTestArg = "__caged"

// Report is the result of SelfTest.
type Report struct {
	Layers   []confine.Layer
	Attempts []confine.Attempt
}

// SelfTest runs this binary in a cage and makes it try what no program may do. The binary must call RunSelfTest if its
// first argument is SelfTestArg.
func (r *Runner) SelfTest(ctx context.Context) (*Report, error) {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return nil, err
	}
	given := filepath.Join(r.dir, "self-test")
	if err := os.WriteFile(given, []byte("input"), 0o644); err != nil { // readable by all: if the host is root, programs run as another user
		return nil, err
	}
	defer os.Remove(given)
	in, err := os.Open(given)
	if err != nil {
		return nil, err
	}
	p, err := r.Start(ctx, Run{
		Program: Program{Name: filepath.Base(exe), Path: exe},
		Args:    []string{SelfTestArg, "{in:0}", "{out:0}", fmt.Sprint(os.Getpid())},
		Inputs:  []Input{{File: in, Ext: "bin"}}, Outputs: []Output{{Ext: "bin", MaxBytes: 1 << 20}},
	})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	result, err := p.Wait()
	if err != nil {
		return nil, err
	}
	report := &Report{Layers: p.Layers()}
	if err := json.Unmarshal(result.Stdout, &report.Attempts); err != nil {
		return nil, fmt.Errorf("%s gave no report: %w", filepath.Base(exe), err)
	}
	return report, nil
}
