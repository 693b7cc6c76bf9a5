package song

import (
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Shift moves everything from a tick on to an earlier or later time: the events of
// tracks, their ends and their cursors, in their order. A move to an earlier time
// removes the time in between; events left in that time move to its start.
type Shift struct {
	From, By int64
	Tracks   []TrackID

	was []bound // one for each track, filled by Do
}

// bound is what Undo needs to restore a track.
type bound struct {
	first   ID      // the first event that moved, or 0
	between []int64 // the ticks of events in the removed time: first and those after it
	end     int64
	cursor  Cursor
}

// Type is the edit's event type.
func (x *Shift) Type() string { return "time.shift" }

// Do moves everything.
func (x *Shift) Do(s *Song) error {
	tracks, err := x.resolve(s)
	if err != nil {
		return err
	}
	for _, t := range tracks {
		if x.newTick(t.Length()) > smf.MaxTick || x.From+x.By < 0 {
			return errState
		}
	}
	x.was = make([]bound, len(tracks))
	for i, t := range tracks {
		b := &x.was[i]
		b.end, b.cursor = t.end.Tick, t.cursor
		for e := range t.EventsFrom(min(x.From, x.From+x.By+1)) {
			if b.first == 0 {
				b.first = e.ID
			}
			if e.Tick < x.From {
				b.between = append(b.between, e.Tick)
			}
			e.Tick = x.newTick(e.Tick)
			e.invalidate()
		}
		t.end.Tick = x.newTick(t.end.Tick)
		if c := &t.cursor; c.Set && (c.Start >= x.From || x.By < 0) { // a note that sounds into the inserted time keeps its length
			c.Start, c.End = x.newTick(c.Start), x.newTick(c.End)
		}
		t.version++
	}
	s.dropCaches()
	return nil
}

// newTick returns the tick to which an event at tick moves.
func (x *Shift) newTick(tick int64) int64 {
	switch {
	case tick >= x.From:
		return tick + x.By
	case x.By < 0:
		return min(tick, x.From+x.By)
	}
	return tick
}

// Undo moves everything back.
func (x *Shift) Undo(s *Song) error {
	tracks, err := x.resolve(s)
	if err != nil || len(x.was) != len(tracks) {
		return errState
	}
	firsts := make([]*Event, len(tracks))
	for i, t := range tracks {
		if id := x.was[i].first; id != 0 {
			if firsts[i] = s.event(id); firsts[i] == nil || firsts[i].Track != t {
				return errState
			}
		}
	}
	for i, t := range tracks {
		if firsts[i] != nil {
			between := x.was[i].between
			for e := range t.events.from(t.events.find(firsts[i])) {
				if len(between) > 0 {
					e.Tick, between = between[0], between[1:]
				} else {
					e.Tick -= x.By
				}
				e.invalidate()
			}
		}
		t.end.Tick, t.cursor = x.was[i].end, x.was[i].cursor
		t.version++
	}
	s.dropCaches()
	return nil
}

func (x *Shift) resolve(s *Song) ([]*Track, error) {
	out := make([]*Track, len(x.Tracks))
	for i, id := range x.Tracks {
		if out[i] = s.track(id); out[i] == nil {
			return nil, errState
		}
	}
	return out, nil
}

func (x *Shift) pack(p *packer) {
	signed(p, &x.From, 0)
	signed(p, &x.By, 0)
	packEach(p, &x.Tracks, func(i int, id *TrackID) {
		if len(x.was) != len(x.Tracks) {
			x.was = make([]bound, len(x.Tracks))
		}
		b := &x.was[i]
		number(p, id)
		number(p, &b.first)
		packEach(p, &b.between, func(_ int, tick *int64) { signed(p, tick, 0) })
		signed(p, &b.end, 0)
		p.cursor(&b.cursor)
	})
}

// EncodeMsgpack packs the edit.
func (x *Shift) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *Shift) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
