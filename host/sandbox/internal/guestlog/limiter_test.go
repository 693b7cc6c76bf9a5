package guestlog

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"
)

func newTestLimiter(line, rate int) (*Limiter, *time.Time, *[]string) {
	var out []string
	now := time.Unix(0, 0)
	l := New(line, rate, slog.LevelInfo, func(level slog.Level, text string) {
		out = append(out, fmt.Sprint(level, " ", text))
	})
	l.now = func() time.Time { return now }
	return l, &now, &out
}

func TestLogLinesPassInBurstsAndThenAtARate(t *testing.T) {
	l, now, out := newTestLimiter(100, 2)
	for i := range 10 {
		l.Write(slog.LevelInfo, fmt.Append(nil, i))
	}
	*now = now.Add(time.Second)
	l.Write(slog.LevelWarn, []byte("later"))
	want := []string{"INFO 0", "INFO 1", "INFO 2", "INFO 3", "WARN 6 log lines were dropped: more than 2 a second", "WARN later"}
	if !reflect.DeepEqual(*out, want) {
		t.Errorf("got %q", *out)
	}
}

func TestLogLinesAreCutAndEscaped(t *testing.T) {
	l, _, out := newTestLimiter(10, 10)
	l.Write(slog.LevelInfo, []byte("\x1b[1m"+strings.Repeat("x", 1<<20)))
	l.Write(slog.LevelDebug, []byte("below the level"))
	l.Write(slog.LevelInfo, []byte("  \n"))
	if want := []string{`INFO \u001b[…`}; !reflect.DeepEqual(*out, want) {
		t.Errorf("got %q", *out)
	}
}

func TestStreamedTextIsLoggedLineByLine(t *testing.T) {
	l, _, out := newTestLimiter(8, 100)
	for _, part := range []string{"on", "e\ntw", "o\n\nthree", strings.Repeat("x", 100), "\nfour"} {
		l.Stream(slog.LevelInfo, []byte(part))
	}
	l.Flush(slog.LevelInfo)
	l.Flush(slog.LevelInfo)
	if want := []string{"INFO one", "INFO two", "INFO threexxx", "INFO four"}; !reflect.DeepEqual(*out, want) {
		t.Errorf("got %q", *out)
	}
}
