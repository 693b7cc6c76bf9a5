package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

func TestAllRequestsOfOneCallShareItsTime(t *testing.T) {
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0)), {Export: "quick", Results: "i", Code: asm.I32(0)}}}, quick)
	ctx := OneCall(context.Background())
	if OneCall(ctx) != ctx {
		t.Error("a call within a call has its own allowance")
	}
	i, err := p.NewInstance(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = i.Call(ctx, "run", nil)
	if e := failure(t, err, KindDeadline); !strings.Contains(e.Message, "run was stopped: the call took more than 300ms of processor time") {
		t.Error(e)
	}
	if left := p.Left(ctx); left != 0 {
		t.Errorf("%v are left", left)
	}
	// Nothing more is started for this call.
	started := p.Stats().Restarts
	_, err = p.NewInstance(ctx, 1)
	failure(t, err, KindDeadline)
	other := instance(t, p)
	_, err = other.Call(ctx, "quick", nil)
	if e := failure(t, err, KindDeadline); !strings.Contains(e.Message, "the plugin runs no longer for it") {
		t.Error(e)
	}
	_, err = other.Call(context.Background(), "quick", nil)
	failure(t, err, KindLost)
	if now := p.Stats(); now.Restarts != started+1 || now.Deaths != 1 {
		t.Errorf("%+v: only the test's own instance may have started a worker", now)
	}

	// Another call, and patience for this one, have time of their own.
	fresh := instance(t, p)
	for _, ctx := range []context.Context{OneCall(context.Background()), WithPatience(ctx, time.Minute)} {
		if _, err := fresh.Call(ctx, "quick", nil); err != nil {
			t.Error(err)
		}
	}
	if left := p.Left(WithPatience(ctx, time.Minute)); left > time.Minute {
		t.Errorf("%v are left of a minute", left)
	}
	if left := p.Left(context.Background()); left != 300*time.Millisecond {
		t.Errorf("without an allowance %v are left", left)
	}
}

func TestAPauseBeforeARestartIsPartOfTheCall(t *testing.T) {
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, func(c *Config) { c.Limits.Call = time.Second })
	ctx := OneCall(context.Background())
	if e := p.chargePause(ctx, 600*time.Millisecond); e != nil || p.Left(ctx) != time.Second/2 {
		t.Errorf("%v left, %v", p.Left(ctx), e)
	}
	patient := WithPatience(ctx, 100*time.Millisecond)
	if e := p.chargePause(patient, 700*time.Millisecond); e == nil || e.Kind != KindDeadline {
		t.Errorf("patience waits: %v", e)
	}
}
