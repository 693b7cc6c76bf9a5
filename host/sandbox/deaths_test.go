package sandbox

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

// lines is a log for several goroutines.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), what)
}

func TestDeathsDelayTheNextStartUntilThePluginIsDisabled(t *testing.T) {
	var d deaths
	now := time.Unix(1000, 0)
	want := []time.Duration{0, 0, 20, 40, 80, 160, 320, 640, 1280, 2000}
	for n, pause := range want {
		if got := d.pause(now); got != pause*time.Millisecond {
			t.Errorf("after %d deaths the pause is %v, want %v ms", n, got, pause)
		}
		if d.disabled {
			t.Errorf("disabled after %d deaths", n)
		}
		if d.add(now, "again") != (n == deathsToDisable-1) {
			t.Errorf("death %d: disabled %v", n+1, d.disabled)
		}
	}
	d.dropOld(now.Add(2 * deathsWindow))
	if !d.disabled || len(d.times) != 0 {
		t.Error("a disabled plugin is enabled by time")
	}
	d = deaths{}
	for n := range 100 { // rare deaths have no effect
		at := now.Add(time.Duration(n) * 2 * time.Minute)
		if d.add(at, "seldom") || d.pause(at.Add(time.Minute)) > 0 {
			t.Fatalf("death %d: %+v", n, d)
		}
	}
}

func TestAWaitForTheNextStartEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Plugin{done: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.sleep(ctx, time.Hour); err == nil {
			t.Error("it waited an hour")
		}
		if err := p.sleep(t.Context(), time.Hour); err != nil {
			t.Error(err)
		}
		close(p.done)
		if err := p.sleep(t.Context(), time.Hour); err == nil {
			t.Error("a closed plugin waited an hour")
		}
	})
}

func TestAPluginWhoseCallsKillItsWorkerIsDisabledUntilEnable(t *testing.T) {
	ctx := context.Background()
	var log lines
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0)), {Export: "fine"}}}, quick, func(c *Config) {
		c.Limits.Call = 200 * time.Millisecond
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	now := time.Unix(1000, 0)
	p.now = func() time.Time { now = now.Add(5 * time.Second); return now } // longer than any pause
	for range deathsToDisable {
		_, err := instance(t, p).Call(ctx, "run", nil)
		failure(t, err, KindDeadline)
	}
	_, err := p.NewInstance(ctx, 1)
	e := failure(t, err, KindDisabled)
	for _, part := range []string{"plugin small: it is disabled", "10 times within 10m0s", "run took more than 200ms of processor time", "its documents are kept", "the session action enable"} {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("%q lacks %q", e, part)
		}
	}
	if s := p.Stats(); !s.Disabled || s.Deaths != deathsToDisable || s.PID != 0 {
		t.Errorf("%+v", s)
	}
	if died, disabled := log.count("a plugin's worker died"), log.count("is disabled"); died != deathsToDisable || disabled != 1 {
		t.Errorf("%d lines about deaths, %d about being disabled:\n%s", died, disabled, log.b.String())
	}
	if !p.Enable() || p.Enable() {
		t.Error("Enable does not say whether it changed something")
	}
	if _, err := instance(t, p).Call(ctx, "fine", nil); err != nil {
		t.Error(err)
	}
}

func TestAWorkerKilledFromOutsideDoesNotCountAsADeath(t *testing.T) {
	var log lines
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{{Export: "fine"}}}, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	const kills = 3 * deathsToDisable
	for range kills {
		i := instance(t, p)
		_ = syscall.Kill(p.Stats().PID, syscall.SIGKILL)
		_, err := i.Call(context.Background(), "fine", nil)
		failure(t, err, KindLost)
	}
	if s := p.Stats(); s.Disabled || s.Deaths > 0 {
		t.Errorf("%+v", s)
	}
	instance(t, p)
	p.Close()
	if n := log.count("a plugin's worker died"); n != kills {
		t.Errorf("%d kills make %d lines:\n%.2000s", kills, n, log.b.String())
	}
}
