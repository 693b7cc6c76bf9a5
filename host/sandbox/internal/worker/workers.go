package worker

import (
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

// Workers bounds the resident memory of several worker processes together, and that of one plugin to half of it. Resident memory is
// measured on Linux only; elsewhere nothing is bounded. A nil *Workers bounds nothing.
type Workers struct {
	most uint64 // bytes

	mu         sync.Mutex
	resident   map[*Process]uint64 // bytes at the last check
	sum        uint64
	background map[*Process]bool // those of low priority
	resume     *time.Timer       // lets these run again; nil while they do
}

// NewWorkers returns a bound of most bytes.
func NewWorkers(most uint64) *Workers {
	return &Workers{most: most, resident: map[*Process]uint64{}, background: map[*Process]bool{}}
}

// Pause stops the workers of low priority, also those that start meanwhile, for a time. On Windows they go on.
func (ws *Workers) Pause(d time.Duration) {
	if ws == nil {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.resume != nil {
		ws.resume.Reset(d)
		return
	}
	for w := range ws.background {
		confine.Pause(w.cmd.Process)
	}
	ws.resume = time.AfterFunc(d, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		for w := range ws.background {
			confine.Resume(w.cmd.Process)
		}
		ws.resume = nil
	})
}

// addBackground adds a worker of low priority.
func (ws *Workers) addBackground(w *Process) {
	if ws == nil {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.background[w] = true
	if ws.resume != nil {
		confine.Pause(w.cmd.Process)
	}
}

// freeGrowth is how many bytes a call may add to its worker while all together are over the bound: a call that needs little is not killed.
const freeGrowth = 8 << 20

// Use returns the workers' resident memory and its bound, in bytes.
func (ws *Workers) Use() (taken, most int64) {
	if ws == nil {
		return 0, 0
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return int64(ws.sum), int64(ws.most)
}

// Count returns the number of workers whose memory was measured.
func (ws *Workers) Count() int {
	if ws == nil {
		return 0
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return len(ws.resident)
}

// update notes the resident bytes of a worker, 0 for one that has ended, and returns the sum of all workers and the bound.
func (ws *Workers) update(w *Process, resident uint64) (sum, most uint64) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.sum += resident - ws.resident[w]
	if resident == 0 {
		delete(ws.resident, w)
		delete(ws.background, w)
	} else {
		ws.resident[w] = resident
	}
	return ws.sum, ws.most
}

// Share returns how many bytes one plugin may use: its own limit, and at most half of the bound.
func (ws *Workers) Share(limit uint64) uint64 {
	if ws == nil {
		return limit
	}
	return min(limit, ws.most/2)
}

// Full returns a failure when the workers are over the bound, else nil.
func (ws *Workers) Full() *fail.Error {
	if ws == nil {
		return nil
	}
	if taken, most := ws.Use(); taken > most {
		return fail.New(fail.Crowded, "", "the workers of all plugins hold %d MiB and may hold %d (limit workers); close documents, or start fcp-host with a larger --limit workers=SIZE", taken>>20, most>>20)
	}
	return nil
}
