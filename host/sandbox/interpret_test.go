package sandbox

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

func TestAnInterpretedModuleAnswersAsACompiledOneDoes(t *testing.T) {
	if raceEnabled {
		t.Skip("a worker with the race detector interprets ten times as slowly")
	}
	p := goPlugin(t, func(c *Config) { c.CacheDir = t.TempDir() })
	compiled := goPlugin(t)
	for _, export := range []string{"system", "echo_bulk", "says"} {
		i, err := compiled.NewInstance(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := i.Call(context.Background(), export, nil)
		if err != nil {
			t.Fatal(export, err)
		}
		got, err := p.Interpret(context.Background(), export, time.Minute)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, %v; compiled %q", export, got, err, want)
		}
	}
	if files, err := os.ReadDir(p.cfg.CacheDir); err != nil || len(files) > 0 || p.Cached() {
		t.Errorf("it left %v in the cache, %v", files, err)
	}
	if s := p.Stats(); s.PID != 0 || s.Instances != 0 || len(p.procs) != 0 {
		t.Errorf("it left a process: %+v", s)
	}
	small := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, func(c *Config) { c.CacheDir = t.TempDir() })
	if err := small.Warm(context.Background()); err != nil || !small.Cached() {
		t.Errorf("compiled, it is not in the cache: %v", err)
	}
}

func TestAFailureOfAnInterpretedModuleDoesNotCountAsADeath(t *testing.T) {
	for name, tt := range map[string]struct {
		m    asm.Module
		kind Kind
		says string
	}{
		"a loop":         {asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0))}}, KindDeadline, "300ms"},
		"a trap":         {asm.Module{Funcs: []asm.Func{asm.Run([]byte{0}, asm.I32(0))}}, KindTrap, "unreachable"},
		"no such export": {asm.Module{Funcs: []asm.Func{{Export: "other"}}}, KindInput, "no export run"},
		"a deep nest":    {asm.Module{Funcs: []asm.Func{{Export: "run", Code: asm.Join(bytes.Repeat([]byte{2, 0x40}, 100_000), bytes.Repeat([]byte{0x0b}, 100_000))}}}, KindLoad, "nest deeper"},
	} {
		var log bytes.Buffer
		p := modulePlugin(t, tt.m, quick, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		_, err := p.Interpret(context.Background(), "run", time.Minute)
		if e := failure(t, err, tt.kind); !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: %v", name, e)
		}
		if s := p.Stats(); s.Deaths != 0 || s.PID != 0 || len(p.procs) != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		if strings.Contains(log.String(), "died") {
			t.Errorf("%s: %s", name, &log)
		}
	}
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0))}})
	_, err := p.Interpret(context.Background(), "run", 50*time.Millisecond)
	failure(t, err, KindDeadline)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = p.Interpret(ctx, "run", time.Minute)
	failure(t, err, KindLost)
	p.Close()
	_, err = p.Interpret(context.Background(), "run", time.Minute)
	failure(t, err, KindLost)
}
