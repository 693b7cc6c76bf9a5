package domain

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// TestMain makes the test binary its own worker, as fcp-host is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	os.Exit(m.Run())
}

var ctx = context.Background()

// scripted builds a plugin like testwasm.Minimal, with some acts changed. A nil act removes the export.
func scripted(t testing.TB, changes map[string]*testwasm.Act) *sandbox.Plugin {
	t.Helper()
	acts := testwasm.Minimal()
	for name, act := range changes {
		if act == nil {
			delete(acts, name)
		} else {
			acts[name] = *act
		}
	}
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "thing.wasm", Wasm: testwasm.Scripted(acts), Command: testwasm.Worker(t),
		Limits: sandbox.Limits{Call: 20 * time.Second, Memory: 16 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// startActing starts an instance whose export answers as act says.
func startActing(t testing.TB, export string, act testwasm.Act) *Instance {
	t.Helper()
	d, err := New(testwasm.MinimalManifest(), scripted(t, map[string]*testwasm.Act{export: &act}))
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in
}

func twoOps() *abi.ApplyRequest {
	return &abi.ApplyRequest{Ops: []abi.Op{{Verb: "add", Raw: "add"}, {Verb: "add", Raw: "add"}}}
}
