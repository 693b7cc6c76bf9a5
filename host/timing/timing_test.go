package timing

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func logger(to *bytes.Buffer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level}))
}

func TestALineSaysWhereTheTimeWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := logger(&out, slog.LevelDebug)
		c := Start(log, 100)
		ctx := With(t.Context(), c)
		for i, p := range []Phase{Wait, Parse, Encode, Guest, Encode, Journal, Other} {
			time.Sleep(time.Duration(i+1) * time.Millisecond)
			Lap(context.WithoutCancel(ctx), p)
		}
		c.SetWhat(What{Tool: "midi", Document: "Song", Ops: 3})
		time.Sleep(10 * time.Millisecond)
		c.EndWrite(50)
		c.Log(log)
		want := "level=DEBUG msg=call tool=midi document=Song ops=3 in=100 out=50 total_us=38000 " +
			"wait_us=1000 parse_us=2000 guest_us=4000 encode_us=8000 journal_us=6000 write_us=10000\n"
		if _, got, _ := bytes.Cut(out.Bytes(), []byte(" ")); string(got) != want {
			t.Errorf("got  %swant %s", got, want)
		}
	})
}

func TestWithoutDebugNothingIsMeasured(t *testing.T) {
	var out bytes.Buffer
	log := logger(&out, slog.LevelInfo)
	c := Start(log, 100)
	if c != nil || With(t.Context(), c) != t.Context() {
		t.Error("a stopwatch was started")
	}
	Lap(t.Context(), Guest)
	c.SetWhat(What{Tool: "midi"})
	c.EndWrite(1)
	c.Log(log)
	if out.Len() > 0 {
		t.Errorf("logged %q", &out)
	}
	if n := testing.AllocsPerRun(100, func() { Lap(With(t.Context(), Start(log, 1)), Guest) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOnlyCallsAreLogged(t *testing.T) {
	var out bytes.Buffer
	log := logger(&out, slog.LevelDebug)
	Start(log, 100).Log(log)
	if out.Len() > 0 {
		t.Errorf("logged %q", &out)
	}
}

func TestAListenerGetsThePhasesOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []Measured
		Listen(func(m *Measured) { told = append(told, *m) })
		defer Listen(nil)
		log := slog.New(slog.DiscardHandler)
		began := time.Now()
		c := Start(log, 100)
		for i, p := range []Phase{Wait, Parse, Parse, Guest, Journal} {
			time.Sleep(time.Duration(i+1) * time.Millisecond)
			c.Lap(p)
		}
		c.SetCarried(Trace{Parent: "a"})
		c.SetCaused(Trace{Parent: "b", State: "c"})
		c.SetWhat(What{Method: "tools/call", Tool: "midi", Domain: "midi", Ops: 3, Failed: true})
		c.EndWrite(50)
		c.Log(log)
		Start(log, 1).Log(log) // About was not called
		if len(told) != 1 {
			t.Fatalf("told of %d calls", len(told))
		}
		at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
		m := told[0]
		want := []Stage{{Wait, at(0), at(1)}, {Parse, at(1), at(6)}, {Guest, at(6), at(10)}, {Journal, at(10), at(15)}}
		if len(m.Stages) != 6 || !slices.Equal(m.Stages[:4], want) || m.Tool != "midi" || !m.Failed || m.In != 100 || m.Out != 50 || !m.Began.Equal(began) ||
			!m.Ended.Equal(at(15)) || m.Carried.Parent != "a" || m.Caused != (Trace{"b", "c"}) || m.Piped {
			t.Errorf("told %+v", m)
		}
		long := Start(log, 1)
		for i := range 3 * maxStages {
			long.Lap([]Phase{Guest, Encode}[i%2])
		}
		long.SetWhat(What{Tool: "midi"})
		long.Log(log)
		if n := len(told[1].Stages); n != maxStages {
			t.Errorf("told of %d stages", n)
		}
	})
}

func BenchmarkWithoutAListener(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	for b.Loop() {
		Lap(With(b.Context(), Start(log, 1)), Guest)
	}
}
