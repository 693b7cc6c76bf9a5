package song

import (
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Move takes events to other ticks or to another track, in the order of Items, which
// should be document order. Track.place decides where each one arrives; events that
// were at one tick and arrive at one tick keep their order.
type Move struct {
	Items []Step
}

// Step is the move of one event.
type Step struct {
	ID    ID
	Track TrackID // target track
	Tick  int64   // target tick

	from   TrackID // where it was, filled by Do: its track
	before ID      // and the event before it
	tick   int64
}

// Add appends a step.
func (x *Move) Add(e *Event, to *Track, tick int64) {
	x.Items = append(x.Items, Step{ID: e.ID, Track: to.ID, Tick: tick})
}

// Type is the edit's event type.
func (x *Move) Type() string { return "events.move" }

// Do moves the events.
func (x *Move) Do(s *Song) error {
	events, to, err := x.resolve(s, func(st *Step) TrackID { return st.Track })
	if err != nil {
		return err
	}
	for i, e := range events {
		st := &x.Items[i]
		if st.Tick < 0 || st.Tick > smf.MaxTick {
			return errState
		}
		st.tick, st.from = e.Tick, e.Track.ID
	}
	for i, e := range events {
		x.Items[i].before = s.unlink(e)
	}
	for i, e := range events {
		e.Track, e.Tick = to[i], x.Items[i].Tick
		if i > 0 && x.together(i) {
			s.link(e, e.Track.events.after(events[i-1]))
			continue
		}
		s.link(e, e.Track.place(e))
	}
	return nil
}

// together reports whether the event of step i was at the same tick as the one before
// it and arrives with it: then it stays after it.
func (x *Move) together(i int) bool {
	a, b := &x.Items[i-1], &x.Items[i]
	return a.tick == b.tick && a.from == b.from && a.Tick == b.Tick && a.Track == b.Track
}

// Undo moves the events back, last first.
func (x *Move) Undo(s *Song) error {
	events, from, err := x.resolve(s, func(st *Step) TrackID { return st.from })
	if err != nil {
		return err
	}
	for i := len(events) - 1; i >= 0; i-- {
		s.unlink(events[i])
	}
	for i := len(events) - 1; i >= 0; i-- {
		e, st := events[i], &x.Items[i]
		e.Track, e.Tick = from[i], st.tick
		at, err := s.spotAfter(e.Track, st.before)
		if err != nil {
			return err
		}
		s.link(e, at)
	}
	return nil
}

// resolve finds the events and, for each, the track that pick returns.
func (x *Move) resolve(s *Song, pick func(*Step) TrackID) ([]*Event, []*Track, error) {
	events, tracks := make([]*Event, len(x.Items)), make([]*Track, len(x.Items))
	for i := range x.Items {
		events[i] = s.event(x.Items[i].ID)
		if id := pick(&x.Items[i]); i > 0 && tracks[i-1].ID == id {
			tracks[i] = tracks[i-1]
		} else {
			tracks[i] = s.track(id)
		}
		if events[i] == nil || tracks[i] == nil {
			return nil, nil, errState
		}
	}
	return events, tracks, nil
}

func (x *Move) pack(p *packer) {
	var last Step
	packEach(p, &x.Items, func(_ int, st *Step) {
		number(p, &st.ID)
		number(p, &st.before)
		number(p, &st.Track)
		number(p, &st.from)
		signed(p, &st.Tick, last.Tick)
		signed(p, &st.tick, last.tick)
		last = *st
	})
}

// EncodeMsgpack packs the edit.
func (x *Move) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *Move) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
