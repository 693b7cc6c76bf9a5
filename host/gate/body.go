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

// chunk is how much of a body is read, and counted, at a time.
const chunk = 64 << 10

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
	// What was not read is not waited for: the answer comes at once, and ends the connection.
	refuse := func(reason string, answer func(http.ResponseWriter, int, string), status int, text string) ([]byte, bool) {
		c.g.metrics.refuse(reason)
		w.Header().Set("Connection", "close")
		answer(w, status, text)
		return nil, false
	}
	tooLong := func() ([]byte, bool) {
		return refuse("size", Refuse, http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is longer than %s", spell(limit)))
	}
	if r.ContentLength > limit {
		return tooLong()
	}
	at := http.NewResponseController(w)
	var body []byte
	for began := time.Now(); ; {
		most := limit
		if r.ContentLength >= 0 {
			most = r.ContentLength
		}
		n := min(chunk, most-int64(len(body))+1) // one more for the end
		if !c.g.bodies.take(c.Principal, n) {
			return refuse("bodies", Busy, http.StatusServiceUnavailable, "too many bytes of requests are on their way")
		}
		c.held += n
		// A body that is slow on average is late, however it trickles.
		_ = at.SetReadDeadline(began.Add(c.g.c.Body * time.Duration(1+len(body)>>20)))
		body = slices.Grow(body, int(n))
		got, err := io.ReadFull(r.Body, body[len(body):len(body)+int(n)])
		body = body[:len(body)+got]
		switch {
		case int64(len(body)) > limit:
			return tooLong()
		case err == nil:
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF) && (r.ContentLength < 0 || int64(len(body)) == r.ContentLength):
			// net/http watches from here on whether the client is still there.
			_ = at.SetReadDeadline(time.Time{})
			return body, true
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
