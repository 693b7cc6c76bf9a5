package program

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/printable"
)

// tail keeps the end of what is written to it, and calls full once when more than most bytes were written.
type tail struct {
	keep, most int
	full       func()

	mu   sync.Mutex
	kept []byte
	all  int
}

// Write implements io.Writer. It accepts everything: a program whose output nobody reads would block.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	over := t.all > t.most
	t.all += len(b)
	if !over && t.all > t.most {
		t.full()
	}
	t.kept = append(t.kept, b[max(0, len(b)-t.keep):]...)
	if len(t.kept) > 2*t.keep {
		t.kept = slices.Clone(t.kept[len(t.kept)-t.keep:])
	}
	return len(b), nil
}

// text returns the end of what was written, from the start of a line if it was cut.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.kept[max(0, len(t.kept)-t.keep):]
	if t.all > len(b) {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[i+1:]
		}
	}
	return string(b)
}

// progress parses blocks of KEY=VALUE lines, each of which ends with the key progress.
type progress struct {
	tell func(map[string]string)
	line []byte
	skip bool // skipping the rest of a line that is longer than any of ffmpeg's
	now  map[string]string
}

const (
	maxLine = 1 << 10
	maxKeys = 256 // there are some for each output stream
)

// Write implements io.Writer.
func (p *progress) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte{'\n'})
		if !p.skip {
			p.line = append(p.line, line[:min(len(line), maxLine+1-len(p.line))]...)
			p.skip = len(p.line) > maxLine
		}
		if whole {
			if !p.skip {
				p.take(string(p.line))
			}
			p.line, p.skip = p.line[:0], false
		}
		b = rest
	}
	return n, nil
}

func (p *progress) take(line string) {
	key, value, ok := strings.Cut(line, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return
	}
	if p.now == nil {
		p.now = map[string]string{}
	}
	if len(p.now) < maxKeys {
		p.now[printable.Line(key)] = printable.Line(strings.TrimSpace(value))
	}
	if key == "progress" {
		p.tell(p.now)
		p.now = nil
	}
}

// lastLine returns the last non-empty line.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
