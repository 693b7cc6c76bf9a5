// Package guestlog logs what guests and workers say, cut to a length and limited to a rate.
package guestlog

import (
	"bytes"
	"fmt"
	"log/slog"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

// Limiter passes log lines on, cut to a length and limited to a rate. It counts the lines it drops and reports their number with the next
// line that passes. The worker uses one, so that a flood stays there, and the host another, since it does not trust the worker. A Limiter
// must be used by one goroutine at a time.
type Limiter struct {
	line, rate int
	least      slog.Level
	emit       func(level slog.Level, text string)
	now        func() time.Time

	tokens  float64
	last    time.Time
	dropped int
	partial []byte // the beginning of a line that has not ended yet
}

// New returns a limiter that calls emit for at most rate lines per second, in bursts of twice as many, of at most line bytes. Lines
// below the level least are ignored.
func New(line, rate int, least slog.Level, emit func(slog.Level, string)) *Limiter {
	return &Limiter{line: line, rate: rate, least: least, emit: emit, now: time.Now, tokens: float64(2 * rate)}
}

// Write logs text as one line.
func (l *Limiter) Write(level slog.Level, text []byte) {
	if level < l.least {
		return
	}
	text = bytes.TrimSpace(text[:min(len(text), l.line)])
	if len(text) == 0 {
		return
	}
	now := l.now()
	if !l.last.IsZero() {
		l.tokens = min(l.tokens+now.Sub(l.last).Seconds()*float64(l.rate), float64(2*l.rate))
	}
	l.last = now
	if l.tokens < 1 {
		l.dropped++
		return
	}
	l.tokens--
	l.Report()
	l.emit(level, fail.Escape(string(text), l.line))
}

// Report logs how many lines were dropped since the last report, if any were.
func (l *Limiter) Report() {
	if l.dropped > 0 {
		l.emit(slog.LevelWarn, fmt.Sprintf("%d log lines were dropped: more than %d a second", l.dropped, l.rate))
		l.dropped = 0
	}
}

// Stream logs the complete lines of b, one after another, and keeps the rest for the next call.
func (l *Limiter) Stream(level slog.Level, b []byte) {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			l.keep(b)
			return
		}
		if len(l.partial) == 0 {
			l.Write(level, b[:end])
		} else {
			l.keep(b[:end])
			l.Flush(level)
		}
		b = b[end+1:]
	}
}

// keep appends b to the line that has not ended yet.
func (l *Limiter) keep(b []byte) {
	if room := l.line - len(l.partial); room > 0 {
		l.partial = append(l.partial, b[:min(len(b), room)]...)
	}
}

// Flush logs the rest that Stream kept.
func (l *Limiter) Flush(level slog.Level) {
	if len(l.partial) > 0 {
		l.Write(level, l.partial)
		l.partial = l.partial[:0]
	}
}

// FirstLine returns the first line of b that is not blank, without surrounding space.
func FirstLine(b []byte) string {
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return string(line)
		}
	}
	return ""
}
