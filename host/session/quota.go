package session

import "sync"

// Quotas bound the open documents of each principal over all its sessions.
type Quotas struct {
	max int

	mu sync.Mutex
	of map[string]*Quota
}

// NewQuotas allows each principal max documents.
func NewQuotas(max int) *Quotas { return &Quotas{max: max, of: map[string]*Quota{}} }

// Of returns the quota of a principal.
func (qs *Quotas) Of(principal string) *Quota {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.of[principal]
	if q == nil {
		q = &Quota{max: qs.max}
		qs.of[principal] = q
	}
	return q
}

// Quota bounds the open documents of several sessions together. A nil Quota bounds nothing.
type Quota struct {
	max int

	mu   sync.Mutex
	held int
}

// take counts one more document, and reports whether it is allowed.
func (q *Quota) take() bool {
	if q == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held >= q.max {
		return false
	}
	q.held++
	return true
}

// give counts n documents fewer.
func (q *Quota) give(n int) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held -= n
}
