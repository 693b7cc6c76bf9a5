package conformance_test

import (
	"context"
	"os"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	os.Exit(m.Run())
}

// tools calls a session of the host in this process.
type tools struct{ s *session.Session }

func answer(r *reply.Reply, called string) (conformance.Answer, error) {
	return conformance.Answer{Text: conformance.WithoutState(r.Print(mcpserver.Face("names", called))), Failed: r.Failed}, nil
}

func (t tools) Edit(ctx context.Context, ops, then []string) (conformance.Answer, error) {
	return answer(t.s.Edit(ctx, "names", "", ops, then), abi.TryOp)
}
func (t tools) Query(ctx context.Context, q string) (conformance.Answer, error) {
	return answer(t.s.Query(ctx, "names", "", q), abi.TryQuery)
}
func (t tools) Session(ctx context.Context, action string) (conformance.Answer, error) {
	return answer(t.s.Session(ctx, "names", "", action), abi.TryAction)
}
func (t tools) Help(ctx context.Context) (conformance.Answer, error) {
	return answer(t.s.Help(ctx, "names", "", ""), reply.TryHelp)
}

// The host's sessions pass the suites, with a sandboxed plugin.
func TestOurHostPassesTheSuitesThatNeedAServer(t *testing.T) {
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{testwasm.Build(t, "conformance/testdata/names")},
		CacheDir: testwasm.CacheDir(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	defer set.Close()
	steps := conformance.Steps(t.Context(), func(_ context.Context, dir string) (conformance.Tools, func(), error) {
		roots, err := files.NewRoots(dir)
		if err != nil {
			return nil, nil, err
		}
		s := session.New(set, roots)
		return tools{s}, s.Close, nil
	})
	for _, suite := range conformance.StepSuites() {
		f, err := conformance.Suite(suite)
		if err != nil {
			t.Fatal(err)
		}
		r := conformance.Run([]conformance.Fixture{f}, map[string]conformance.Adapter{suite: steps})
		for _, failure := range r.Failures {
			t.Error(failure)
		}
		t.Logf("%s: %d passed", suite, r.Passed)
	}
}
