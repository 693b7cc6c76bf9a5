package guest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// heardLines is how much of what a plugin wrote is shown with a fault: where a trace begins says where it ended.
const heardLines = 12

// hearer is the log of the sandbox: what the plugin writes to stderr, and logs, until a fault is told.
type hearer struct {
	mu   sync.Mutex
	said []string
}

// Enabled implements slog.Handler.
func (h *hearer) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements slog.Handler.
func (h *hearer) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.said) < heardLines {
		h.said = append(h.said, r.Message)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (h *hearer) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *hearer) WithGroup(string) slog.Handler { return h }

// forget drops what was said about something that went well.
func (h *hearer) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = nil
}

// lines gives what was said, as lines below a fault, and forgets it.
func (h *hearer) lines() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.said) == 0 {
		return ""
	}
	text := "\n  stderr: " + strings.Join(h.said, "\n  stderr: ")
	h.said = nil
	return text
}
