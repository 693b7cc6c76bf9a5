package pdk

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// recency keeps the ids for @recent inside a batch, newest first. Ids are added in
// front, so that lists returned earlier do not change. That costs O(1) on average,
// because grow drops repeated ids.
type recency struct {
	buf  []string // the list is buf[head:]
	head int
}

// newRecency starts with the host's list old, which it keeps but does not write
// to. For a batch without @recent it returns nil, on which add does nothing.
func newRecency(old []string, ops []abi.Op) *recency {
	for i := range ops {
		if ops[i].Recent() > 0 {
			return &recency{buf: old}
		}
	}
	return nil
}

// add puts ids, oldest first, in front of the list.
func (r *recency) add(ids []string) {
	if r == nil {
		return
	}
	for _, id := range ids {
		if r.head == 0 {
			r.grow()
		}
		r.head--
		r.buf[r.head] = id
	}
}

// grow makes room in front, and drops all but the newest of each id.
func (r *recency) grow() {
	seen := map[string]bool{}
	var list []string
	for _, id := range r.buf[r.head:] {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	room := max(16, len(list))
	r.buf = slices.Concat(make([]string, room), list)
	r.head = room
}

// newest lists the ids, newest first. An id may occur more than once.
func (r *recency) newest() []string { return r.buf[r.head:len(r.buf):len(r.buf)] }
