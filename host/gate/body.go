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
	// chunk is how much of a body is read, and counted, at a time.
	chunk = 64 << 10
	// rest is how long the rest of a refused body is waited for.
	rest = time.Second
)

// bodies are the bytes of request bodies that are in memory.
type bodies struct {
	mu   sync.Mutex
	max  int64
	held int64
	by   map[string]int64 // by principal
}

// take counts n more bytes for a principal, who gets at most half of what there is.
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

// free is how many more bytes a principal may have at this moment.
func (b *bodies) free(principal string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(b.max-b.held, b.max/2-b.by[principal])
}

func (b *bodies) give(principal string, n int64) {
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

// ReadBody reads the body of a request that the gate let in, of at most limit
// bytes. They count as held until the request is answered. Where it cannot be
// had, ReadBody answers the request and returns false.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	c := Of(r.Context())
	limit = min(limit, c.g.bodies.max/2-chunk) // one principal gets no more
	at := http.NewResponseController(w)
	// net/http reads a little of what is left before it answers, as a connection
	// that is closed over unread bytes may take the answer with it.
	refuse := func(reason string, answer func(http.ResponseWriter, int, string), status int, text string) ([]byte, bool) {
		c.g.metrics.refuse(reason)
		_ = at.SetReadDeadline(time.Now().Add(rest))
		answer(w, status, text)
		return nil, false
	}
	tooLong := func() ([]byte, bool) {
		return refuse("size", Refuse, http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is longer than %s", spell(limit)))
	}
	full := func() ([]byte, bool) {
		return refuse("bodies", Busy, http.StatusServiceUnavailable, "too many bytes of requests are on their way")
	}
	switch {
	case r.ContentLength > limit:
		return tooLong()
	case r.ContentLength > c.g.bodies.free(c.Principal):
		return full() // rather than after most of it has come
	}
	var parts [][]byte // what came, so that no more is held than counts
	for got := int64(0); ; {
		most := limit
		if r.ContentLength >= 0 {
			most = r.ContentLength
		}
		n := min(chunk, most-got+1) // one more for the end
		if !c.g.bodies.take(c.Principal, n) {
			return full()
		}
		c.held += n
		if got%(1<<20) == 0 { // each MiB has its time, however it trickles
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
			// net/http watches from here on whether the client is still there.
			_ = at.SetReadDeadline(time.Time{})
			if len(parts) == 1 {
				return parts[0], true
			}
			return slices.Concat(parts...), true
		case errors.Is(err, os.ErrDeadlineExceeded):
			return refuse("late", Refuse, http.StatusRequestTimeout, "the message came too slowly")
		}
		c.g.metrics.refuse("gone")
		return nil, false // the client is gone
	}
}

func spell(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// unread sets the deadline of a body that nobody asks for: net/http reads the
// rest of it before the next request.
func (g *Gate) unread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.c.Body))
	}
}

type callKey struct{}

// Of is the call that ctx belongs to, nil where there is no gate.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}
