// Package budget bounds what many owners take together of something that one of them could use up.
package budget

import (
	"fmt"
	"sync"
)

// Budget is an amount that owners share. A nil one bounds nothing. Its methods may be called by many goroutines.
type Budget struct {
	most int64

	mu    sync.Mutex
	taken int64
	by    map[string]int64 // owner → taken
}

// New returns a budget of most.
func New(most int64) *Budget { return &Budget{most: most, by: map[string]int64{}} }

// OverError says that there is not as much left as was asked for.
type OverError struct {
	Owner       string // who has its share; "" when the whole is used up
	Taken, Most int64  // of the share, or of the whole
}

func (e *OverError) Error() string {
	whose := ""
	if e.Owner != "" {
		whose = " of " + e.Owner
	}
	return fmt.Sprintf("those%s hold %d of %d MiB", whose, e.Taken>>20, e.Most>>20)
}

// Take takes n more for owners, all of them or, with an *OverError, for none. The first owner may have half of the whole, the
// next a quarter, and so on: so none keeps the others from having any. A negative n gives back.
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

// Settle corrects what was taken by n, whatever is left.
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

// Use returns how much is taken, and of how much.
func (b *Budget) Use() (taken, most int64) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken, b.most
}
