package guest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// heardLines is how many lines of a plugin's stderr are shown with a fault: the start of a stack trace says where it
// failed.
const heardLines = 12

// hearer collects the sandbox's log and the plugin's stderr until a fault is reported.
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

// forget drops the output of a call that succeeded.
func (h *hearer) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = nil
}

// lines returns the output as lines to print below a fault, and drops it.
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
