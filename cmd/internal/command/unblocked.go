package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// maxUnwritten is how many bytes an unblocked writer buffers for a slow reader.
const maxUnwritten = 256 << 10

// unblocked is a writer that never blocks its callers: a client that does not read the log must not
// delay its own calls. Writes that do not fit into the buffer are dropped and counted. Its methods
// may be called concurrently.
type unblocked struct {
	out io.Writer

	mu      sync.Mutex
	wake    sync.Cond // signalled when a field below changes
	waiting [][]byte
	held    int  // bytes waiting and being written
	dropped int  // writes since the last that found room
	closed  bool // writes are refused
}

func newUnblocked(out io.Writer) *unblocked {
	u := &unblocked{out: out}
	u.wake.L = &u.mu
	go u.run()
	return u
}

// Write implements io.Writer. A write is buffered or dropped as a whole, because a logger writes
// lines.
func (u *unblocked) Write(b []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.closed:
		return 0, os.ErrClosed
	case u.held+len(b) > maxUnwritten:
		u.dropped++
		return len(b), nil
	case u.dropped > 0:
		u.put(fmt.Appendf(nil, "%s: %d lines dropped: nobody read them in time\n", self.Name, u.dropped))
		u.dropped = 0
	}
	u.put(append([]byte(nil), b...))
	return len(b), nil
}

// put queues b. The caller holds mu.
func (u *unblocked) put(b []byte) {
	u.waiting = append(u.waiting, b)
	u.held += len(b)
	u.wake.Broadcast()
}

func (u *unblocked) run() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for {
		for len(u.waiting) == 0 {
			if u.closed {
				return
			}
			u.wake.Wait()
		}
		next := u.waiting[0]
		u.waiting = u.waiting[1:]
		u.mu.Unlock()
		// There is nowhere to report an error.
		_, _ = u.out.Write(next)
		u.mu.Lock()
		u.held -= len(next)
		u.wake.Broadcast()
	}
}

// close waits until everything is written, at most for limit.
func (u *unblocked) close(limit time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.dropped > 0 {
		u.put(fmt.Appendf(nil, "%s: %d lines dropped: nobody read them in time\n", self.Name, u.dropped))
	}
	u.closed = true
	u.wake.Broadcast()
	late := false
	defer time.AfterFunc(limit, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		late = true
		u.wake.Broadcast()
	}).Stop()
	for u.held > 0 && !late {
		u.wake.Wait()
	}
}
