package song

import (
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Remove removes events; a note goes with its note-off.
type Remove struct {
	IDs []ID

	gone []removed // filled by Do for Undo
}

// removed is a removed event and its place.
type removed struct {
	mate, before ID
	track        TrackID
	smf.Event
}

// Add adds an event, and its note-off if it is a note.
func (x *Remove) Add(e *Event) {
	x.IDs = append(x.IDs, e.ID)
	if e.Mate != nil {
		x.IDs = append(x.IDs, e.Mate.ID)
	}
}

// Type is the edit's event type.
func (x *Remove) Type() string { return "events.remove" }

// Do removes the events.
func (x *Remove) Do(s *Song) error {
	events, err := s.events(x.IDs)
	if err != nil {
		return err
	}
	x.gone = make([]removed, len(events))
	for i, e := range events {
		r := removed{track: e.Track.ID, Event: e.Event}
		if e.Mate != nil {
			r.mate = e.Mate.ID
		}
		r.before = s.unlink(e)
		s.byID[e.ID] = nil
		x.gone[i] = r
	}
	return nil
}

// Undo puts them back in their places, last first.
func (x *Remove) Undo(s *Song) error {
	if len(x.gone) != len(x.IDs) {
		return errState
	}
	slab := make([]Event, len(x.IDs))
	for i := len(x.IDs) - 1; i >= 0; i-- {
		r, e := &x.gone[i], &slab[i]
		t := s.track(r.track)
		if t == nil || int(x.IDs[i]) >= len(s.byID) || s.byID[x.IDs[i]] != nil {
			return errState
		}
		at, err := s.spotAfter(t, r.before)
		if err != nil {
			return err
		}
		e.Event, e.Track, e.ID = r.Event, t, x.IDs[i]
		s.byID[e.ID] = e
		s.link(e, at)
	}
	for i := range slab {
		if mate := x.gone[i].mate; mate != 0 && slab[i].isOn() {
			off := s.event(mate)
			if off == nil {
				return errState
			}
			s.pair(&slab[i], off)
		}
	}
	return nil
}

func (x *Remove) pack(p *packer) {
	var tick int64
	var track TrackID
	packEach(p, &x.IDs, func(i int, id *ID) {
		if len(x.gone) != len(x.IDs) {
			x.gone = make([]removed, len(x.IDs))
		}
		r := &x.gone[i]
		number(p, id)
		number(p, &r.mate)
		number(p, &r.before)
		other := r.track != track
		if p.bool(&other); other {
			number(p, &r.track)
			track = r.track
		}
		r.track = track
		p.event(&r.Event, tick)
		tick = r.Tick
	})
}

// EncodeMsgpack packs the edit.
func (x *Remove) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *Remove) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
