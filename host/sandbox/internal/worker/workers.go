package worker

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

import (
	"sync"
)

// Workers bounds the resident memory of all worker processes of a host together, and each to half of that. It is measured on
// Linux only; elsewhere it bounds nothing. A nil one does not either.
type Workers struct {
	most uint64

	mu       sync.Mutex
	resident map[*Process]uint64 // at the last look
	sum      uint64
}

// NewWorkers returns a bound of most bytes.
func NewWorkers(most uint64) *Workers { return &Workers{most: most, resident: map[*Process]uint64{}} }

// grace is what a call may add to a worker though all together have too much: who asks for little is not at fault.
const grace = 8 << 20

// Use returns the workers' resident memory, in bytes, and how much it may be.
func (ws *Workers) Use() (taken, most int64) {
	if ws == nil {
		return 0, 0
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return int64(ws.sum), int64(ws.most)
}

// Count returns how many workers there are, as far as they have made a call.
func (ws *Workers) Count() int {
	if ws == nil {
		return 0
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return len(ws.resident)
}

// seen notes what a worker has, 0 for one that is gone, and returns what all have and may have.
func (ws *Workers) seen(w *Process, resident uint64) (sum, most uint64) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.sum += resident - ws.resident[w]
	if resident == 0 {
		delete(ws.resident, w)
	} else {
		ws.resident[w] = resident
	}
	return ws.sum, ws.most
}

// Share is what one worker may have, given its own limit.
func (ws *Workers) Share(limit uint64) uint64 {
	if ws == nil {
		return limit
	}
	return min(limit, ws.most/2)
}

// Full is the failure of what would need more memory when all is taken, nil while it is not.
func (ws *Workers) Full() *fail.Error {
	if ws == nil {
		return nil
	}
	if taken, most := ws.Use(); taken > most {
		return fail.New(fail.Crowded, "", "the workers of all plugins hold %d MiB and may hold %d (limit workers); close documents, or start fcp-host with a larger --limit workers=SIZE", taken>>20, most>>20)
	}
	return nil
}
