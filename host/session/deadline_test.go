package session

import (
	"context"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// stuck is a plugin that loops when it saves, answers a query, or undoes or
// redoes something, so that no document of one op can be rebuilt.
func stuck(t *testing.T, call time.Duration) *domain.Domain {
	t.Helper()
	acts := testwasm.Minimal()
	for _, export := range []string{abi.ExportReplay, abi.ExportReverse, abi.ExportQuery, abi.ExportSave} {
		acts[export] = testwasm.Loops()
	}
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "stuck", Wasm: testwasm.Scripted(acts), Command: testwasm.Worker(t), Limits: sandbox.Limits{Call: call}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	d, err := domain.New(testwasm.MinimalManifest(), p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOneToolCallHasOneDeadline(t *testing.T) {
	const limit, patience = time.Second, time.Second
	for _, tt := range []struct {
		name string
		call func(ctx context.Context, c *client) *reply.Reply
	}{
		{"save", func(ctx context.Context, c *client) *reply.Reply {
			return c.Session.Session(ctx, "", "", "save as:./x.thing")
		}},
		{"then", func(ctx context.Context, c *client) *reply.Reply {
			return c.Edit(ctx, "", "", []string{"add"}, []string{"map", "save"})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := stuck(t, limit)
			c := newClient(t, "", d)
			c.ok(c.Session.Session(ctx, "", "", `new "T"`))
			c.ok(c.Edit(ctx, "", "", []string{"add"}, nil))
			c.ok(c.Edit(ctx, "", "", []string{"add"}, nil))
			one := sandbox.OneCall(ctx)
			c.bad(tt.call(one, c), "took more than 1s of processor time")
			// A looping worker is killed once when the call's time is over, and once more when its patience is over, if that was
			// used. A third death would mean that a worker ran without charging its time to the call.
			if n := d.Plugin().Stats().Deaths; n > 2 {
				t.Errorf("%d workers were stopped", n)
			}
			if left := d.Plugin().Left(sandbox.WithPatience(one, patience)); left > 0 {
				t.Errorf("%v are left of what the call has, %v and %v for what is left to do: something ran for longer on another account", left, limit, patience)
			}
			if sum := c.Current("").Summary(); !sum.Dirty || sum.Digest != "1 thing" {
				t.Errorf("the document is now %+v", sum)
			}
		})
	}
}
