package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	// chunk is how many bytes of a body are read, and counted, at a time.
	chunk = 64 << 10
	// rest is how long a refused request may go on sending its body.
	rest = time.Second
)

// bodies counts the bytes of request bodies and answers that are in memory.
type bodies struct {
	mu   sync.Mutex
	max  int64
	held int64
	by   map[string]int64 // by principal
}

// take counts n more bytes for a principal, which may use at most half of the maximum. It reports whether there is
// room.
func (b *bodies) take(principal string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+n > b.max || b.by[principal]+n > b.max/2 {
		return false
	}
	b.held += n
	if b.by == nil {
		b.by = map[string]int64{}
	}
	b.by[principal] += n
	return true
}

// free is how many more bytes a principal may use now.
func (b *bodies) free(principal string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(b.max-b.held, b.max/2-b.by[principal])
}

func (b *bodies) release(principal string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= n
	if b.by[principal] -= n; b.by[principal] == 0 {
		delete(b.by, principal)
	}
}

func (b *bodies) bytes() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// ReadBody reads a request's body of at most limit bytes. The bytes count as held until the request is answered. If the
// body cannot be read, ReadBody answers the request and returns false.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	c := Of(r.Context())
	limit = min(limit, c.g.bodies.max/2-chunk) // one principal may hold no more
	at := http.NewResponseController(w)
	// net/http reads some of the unread body before it answers, since closing a connection with unread bytes may lose
	// the answer.
	refuse := func(reason string, answer func(http.ResponseWriter, int, string), status int, text string) ([]byte, bool) {
		c.g.metrics.refuse(reason)
		_ = at.SetReadDeadline(time.Now().Add(rest))
		answer(w, status, text)
		return nil, false
	}
	tooLong := func() ([]byte, bool) {
		return refuse("size", Refuse, http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is longer than %s", formatSize(limit)))
	}
	full := func() ([]byte, bool) {
		return refuse("bodies", Busy, http.StatusServiceUnavailable, "too many bytes of requests are being processed")
	}
	switch {
	case r.ContentLength > limit:
		return tooLong()
	case r.ContentLength > c.g.bodies.free(c.Principal):
		return full() // refuse now instead of after most of it has arrived
	}
	var parts [][]byte // separate chunks, so that no more is held than is counted
	for got := int64(0); ; {
		most := limit
		if r.ContentLength >= 0 {
			most = r.ContentLength
		}
		n := min(chunk, most-got+1) // one more to see the end
		if !c.g.bodies.take(c.Principal, n) {
			return full()
		}
		c.held += n
		if got%(1<<20) == 0 { // one deadline per MiB, however slowly it arrives
			_ = at.SetReadDeadline(time.Now().Add(c.g.c.Body))
		}
		part := make([]byte, n)
		k, err := io.ReadFull(r.Body, part)
		parts, got = append(parts, part[:k]), got+int64(k)
		switch {
		case got > limit:
			return tooLong()
		case err == nil:
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF) && (r.ContentLength < 0 || got == r.ContentLength):
			// From here on net/http itself detects that the client has disconnected.
			_ = at.SetReadDeadline(time.Time{})
			if len(parts) == 1 {
				return parts[0], true
			}
			return slices.Concat(parts...), true
		case errors.Is(err, os.ErrDeadlineExceeded):
			return refuse("late", Refuse, http.StatusRequestTimeout, "the message came too slowly")
		}
		c.g.metrics.refuse("gone")
		return nil, false // the client has disconnected
	}
}

func formatSize(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// limitUnread sets a deadline for a body that no handler reads: net/http reads the rest of it before the next request.
func (g *Gate) limitUnread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.c.Body))
	}
}

type callKey struct{}

// Of returns the call of ctx, nil if there is no gate.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}
