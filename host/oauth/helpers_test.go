package oauth

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/internal/testissuer"
)

const resource = "https://edit.example/mcp"

// clock is a clock that tests advance.
type clock struct {
	mu sync.Mutex
	on time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.on)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on += d
}

func checker(t *testing.T, i *testissuer.Issuer, plain bool) (*Checker, *clock) {
	t.Helper()
	k, err := New(Config{Issuers: []string{i.URL}, Resource: resource, Plain: plain, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{}
	k.now = c.now
	return k, c
}

// refused checks that a token is refused, for this reason.
func refused(t *testing.T, k *Checker, token, why string) {
	t.Helper()
	_, err := k.Check(t.Context(), token)
	var denied *gate.Denied
	if !errors.As(err, &denied) || !strings.Contains(denied.Why, why) {
		t.Errorf("got %v, want: %s", err, why)
	}
	if err != nil && strings.ContainsAny(err.Error(), "\"\\\n") {
		t.Errorf("%q cannot be in a header", err)
	}
}
