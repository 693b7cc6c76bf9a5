package song

import (
	"iter"
	"slices"
	"sort"
)

// maxBlock is how many events a block holds before it splits. Moving 256 ids takes well
// under a microsecond.
const maxBlock = 256

// block is a run of consecutive events, stored by id. If it stored pointers, each one
// that moves during a garbage collection would need a write barrier; an op that moved
// thousands of notes took a second that way.
type block struct {
	ids   []ID
	facts passage // cache for Troubles
	sums  *Sums   // nil if not computed
}

// invalidate invalidates the caches of a block.
func (b *block) invalidate() { b.facts.known, b.sums = false, nil }

// list holds a track's events in order, in blocks, so that an insertion or a removal
// costs the same in a long track as in a short one.
type list struct {
	song   *Song // the song that resolves the ids
	blocks []*block
	size   int
}

// at returns event i of a block.
func (l *list) at(b *block, i int) *Event { return l.song.byID[b.ids[i]] }

// first and final return the first and the last event of a block.
func (l *list) first(b *block) *Event { return l.at(b, 0) }
func (l *list) final(b *block) *Event { return l.at(b, len(b.ids)-1) }

// spot is a place in a list: before event i of block b. At the end of the list b is
// len(blocks).
type spot struct{ b, i int }

// all yields the events in order. The list must not change during the iteration.
func (l *list) all() iter.Seq[*Event] { return l.from(spot{}) }

// from yields the events from s on.
func (l *list) from(s spot) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for b, i := s.b, s.i; b < len(l.blocks); b, i = b+1, 0 {
			for _, id := range l.blocks[b].ids[i:] {
				if !yield(l.song.byID[id]) {
					return
				}
			}
		}
	}
}

// last returns the last event, or nil.
func (l *list) last() *Event {
	if len(l.blocks) == 0 {
		return nil
	}
	return l.final(l.blocks[len(l.blocks)-1])
}

// lower returns the place of the first event at or after tick.
func (l *list) lower(tick int64) spot { return l.search(func(e *Event) bool { return e.Tick >= tick }) }

// upper returns the place of the first event after tick.
func (l *list) upper(tick int64) spot { return l.search(func(e *Event) bool { return e.Tick > tick }) }

func (l *list) search(past func(*Event) bool) spot {
	n := sort.Search(len(l.blocks), func(i int) bool { return past(l.final(l.blocks[i])) })
	if n == len(l.blocks) {
		return spot{n, 0}
	}
	b := l.blocks[n]
	return spot{n, sort.Search(len(b.ids), func(i int) bool { return past(l.at(b, i)) })}
}

// before returns the event in front of s, or nil.
func (l *list) before(s spot) *Event {
	if s.i > 0 {
		return l.at(l.blocks[s.b], s.i-1)
	}
	if s.b == 0 {
		return nil
	}
	return l.final(l.blocks[s.b-1])
}

// back returns the place one event before s. s must not be the first.
func (l *list) back(s spot) spot {
	if s.i > 0 {
		return spot{s.b, s.i - 1}
	}
	return spot{s.b - 1, len(l.blocks[s.b-1].ids) - 1}
}

// find returns the place of an event of this list.
func (l *list) find(e *Event) spot {
	first := l.first(e.block).Tick
	b := sort.Search(len(l.blocks), func(b int) bool { return l.final(l.blocks[b]).Tick >= first })
	for l.blocks[b] != e.block {
		b++
	}
	return spot{b, slices.Index(e.block.ids, e.ID)}
}

// after returns the place after e, or the start of the list if e is nil.
func (l *list) after(e *Event) spot {
	if e == nil {
		return spot{}
	}
	s := l.find(e)
	return spot{s.b, s.i + 1}
}

// insert inserts e at s. The song must know e by its id.
func (l *list) insert(s spot, e *Event) {
	l.size++
	if s.b == len(l.blocks) {
		if s.b == 0 {
			l.blocks = append(l.blocks, &block{ids: make([]ID, 0, maxBlock)})
			s = spot{0, 0}
		} else {
			s = spot{s.b - 1, len(l.blocks[s.b-1].ids)}
		}
	}
	b := l.blocks[s.b]
	if len(b.ids) == maxBlock {
		// A block at the end of the list stays full, because songs grow there.
		half := maxBlock / 2
		if s.b == len(l.blocks)-1 && s.i == maxBlock {
			half = maxBlock
		}
		next := &block{ids: append(make([]ID, 0, maxBlock), b.ids[half:]...)}
		for _, moved := range next.ids {
			l.song.byID[moved].block = next
		}
		b.ids = b.ids[:half]
		b.invalidate()
		l.blocks = slices.Insert(l.blocks, s.b+1, next)
		if s.i >= half {
			b, s.i = next, s.i-half
		}
	}
	b.ids = slices.Insert(b.ids, s.i, e.ID)
	b.invalidate()
	e.block = b
}

// remove removes the event at s.
func (l *list) remove(s spot) {
	l.size--
	b := l.blocks[s.b]
	l.at(b, s.i).block = nil
	b.ids = slices.Delete(b.ids, s.i, s.i+1)
	b.invalidate()
	if len(b.ids) == 0 {
		l.blocks = slices.Delete(l.blocks, s.b, s.b+1)
	}
}

// push appends e, which must not be before the last event.
func (l *list) push(e *Event) { l.insert(spot{len(l.blocks), 0}, e) }
