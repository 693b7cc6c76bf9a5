// Package budget limits an amount that many owners share, such as memory, so that no owner can use it up.
package budget

import (
	"fmt"
	"sync"
)

// Budget is an amount that owners share. A nil Budget has no limit. Its methods are safe for concurrent use.
type Budget struct {
	most int64

	mu    sync.Mutex
	taken int64
	by    map[string]int64 // amount taken, by owner
}

// New returns a budget of that amount.
func New(most int64) *Budget { return &Budget{most: most, by: map[string]int64{}} }

// OverError says that less is left than was asked for.
type OverError struct {
	Owner       string // whose share is used up; "" if the whole budget is
	Taken, Most int64  // of the share, or of the whole budget
}

func (e *OverError) Error() string {
	whose := ""
	if e.Owner != "" {
		whose = " of " + e.Owner
	}
	return fmt.Sprintf("those%s hold %d of %d MiB", whose, e.Taken>>20, e.Most>>20)
}

// Take takes n for each of owners, or returns an *OverError and takes nothing. The first owner may take half of the
// whole, the next a quarter, and so on, so that no owner can shut out the others. A negative n gives back.
func (b *Budget) Take(n int64, owners ...string) error {
	if b == nil || n == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 {
		if b.taken+n > b.most {
			return &OverError{Taken: b.taken, Most: b.most}
		}
		for i, o := range owners {
			if share := b.most >> (i + 1); b.by[o]+n > share {
				return &OverError{Owner: o, Taken: b.by[o], Most: share}
			}
		}
	}
	b.add(n, owners)
	return nil
}

// Settle adds n to what owners have taken, even beyond the limit.
func (b *Budget) Settle(n int64, owners ...string) {
	if b == nil || n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(n, owners)
}

func (b *Budget) add(n int64, owners []string) {
	b.taken += n
	for _, o := range owners {
		if b.by[o] += n; b.by[o] <= 0 {
			delete(b.by, o)
		}
	}
}

// Use returns the amount taken and the whole amount.
func (b *Budget) Use() (taken, most int64) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken, b.most
}
