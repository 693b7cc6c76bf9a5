package sandbox

import (
	"bytes"
	"fmt"
	"log/slog"
	"time"
)

// logLimiter passes log lines on, cut to a length and held to a rate. What it drops it counts, and reports with the next line
// that passes. It is used twice: in the worker, so that a flood stays there, and on the host's side, which does not trust the
// worker. It is for one goroutine at a time.
type logLimiter struct {
	line, rate int
	least      slog.Level
	emit       func(level slog.Level, text string)
	now        func() time.Time

	tokens  float64
	last    time.Time
	dropped int
	partial []byte // the beginning of a line that has not ended yet
}

func newLogLimiter(l Limits, least slog.Level, emit func(slog.Level, string)) *logLimiter {
	return &logLimiter{line: l.LogLine, rate: l.LogRate, least: least, emit: emit, now: time.Now, tokens: float64(2 * l.LogRate)}
}

// write logs one message as one line.
func (l *logLimiter) write(level slog.Level, text []byte) {
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
	l.report()
	l.emit(level, escape(string(text), l.line))
}

// report tells of lines that were dropped, if there were any.
func (l *logLimiter) report() {
	if l.dropped > 0 {
		l.emit(slog.LevelWarn, fmt.Sprintf("%d log lines were dropped: more than %d a second", l.dropped, l.rate))
		l.dropped = 0
	}
}

// stream logs the complete lines of what a guest writes to a descriptor and keeps the rest for the next time.
func (l *logLimiter) stream(level slog.Level, b []byte) {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			l.keep(b)
			return
		}
		if len(l.partial) == 0 {
			l.write(level, b[:end])
		} else {
			l.keep(b[:end])
			l.flush(level)
		}
		b = b[end+1:]
	}
}

func (l *logLimiter) keep(b []byte) {
	if room := l.line - len(l.partial); room > 0 {
		l.partial = append(l.partial, b[:min(len(b), room)]...)
	}
}

// flush logs a line that never ended.
func (l *logLimiter) flush(level slog.Level) {
	if len(l.partial) > 0 {
		l.write(level, l.partial)
		l.partial = l.partial[:0]
	}
}
