package timing

import (
	"bytes"
	"context"
	"log/slog"
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
		c.About("midi", "Song", 3)
		time.Sleep(10 * time.Millisecond)
		c.Sent(50)
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
	c.About("midi", "", 0)
	c.Sent(1)
	c.Log(log)
	if out.Len() > 0 {
		t.Errorf("logged %q", &out)
	}
	if n := testing.AllocsPerRun(100, func() { Lap(With(t.Context(), Start(log, 1)), Guest) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWhatIsNoCallHasNoLine(t *testing.T) {
	var out bytes.Buffer
	log := logger(&out, slog.LevelDebug)
	Start(log, 100).Log(log)
	if out.Len() > 0 {
		t.Errorf("logged %q", &out)
	}
}
