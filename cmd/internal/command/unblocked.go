package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// maxUnwritten is how much an unblocked writer holds for one that is slower, in
// bytes.
const maxUnwritten = 256 << 10

// unblocked writes on for callers that must not wait: a client that does not
// read the log must not hold up what it asked for. What finds no room is dropped
// and counted. Its methods may be called from several goroutines.
type unblocked struct {
	out io.Writer

	mu      sync.Mutex
	wake    sync.Cond // told of everything below
	waiting [][]byte
	held    int  // bytes waiting and being written
	dropped int  // writes since the last that found room
	closed  bool // no more is taken
}

func newUnblocked(out io.Writer) *unblocked {
	u := &unblocked{out: out}
	u.wake.L = &u.mu
	go u.run()
	return u
}

// Write implements io.Writer. A write is kept or dropped as a whole: those of a
// logger are lines.
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
		// Nobody is left to tell of an error.
		_, _ = u.out.Write(next)
		u.mu.Lock()
		u.held -= len(next)
		u.wake.Broadcast()
	}
}

// close waits until all is written, at most for limit.
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
