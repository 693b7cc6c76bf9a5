package pdk

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// recency answers @recent inside a batch: the ids touched, newest first. Adding
// puts ids in front, so that lists handed out earlier stay as they are, and
// costs O(1) on average: a list grown with repeats is thinned out.
type recency struct {
	buf  []string // the list is buf[head:]
	head int
}

// newRecency starts with the host's list. It keeps old and does not write to it.
// For a batch without @recent it returns nil, whose methods do nothing.
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

// newest lists the ids, newest first. An id may come again further on.
func (r *recency) newest() []string { return r.buf[r.head:len(r.buf):len(r.buf)] }
