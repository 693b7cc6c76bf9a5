package song

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Insert makes new events. They get consecutive ids from the song's next one, in the
// order of Items; Track.place decides where each one goes.
type Insert struct {
	Items  []Item
	Track  TrackID // the track whose cursor moves
	Cursor Cursor  // the new cursor, if it is set

	first ID     // id of the first item
	old   Cursor // the previous cursor
}

// Item is a new event. A note is two items in a row: its note-on, with Paired set, and
// its note-off.
type Item struct {
	Track  TrackID
	Paired bool
	smf.Event
}

// Note appends a note to the edit. Channel is 1-16.
func (x *Insert) Note(t *Track, channel, pitch, velocity, release int, start, length int64) {
	c := byte(channel - 1)
	x.Items = append(x.Items,
		Item{t.ID, true, smf.Event{Tick: start, Status: 0x90 | c, A: byte(pitch), B: byte(velocity)}},
		Item{t.ID, false, smf.Event{Tick: start + length, Status: 0x80 | c, A: byte(pitch), B: byte(release)}})
}

// Add appends another event.
func (x *Insert) Add(t *Track, e smf.Event) {
	x.Items = append(x.Items, Item{Track: t.ID, Event: e})
}

// Type is the edit's event type.
func (x *Insert) Type() string { return "events.insert" }

// Do makes the events.
func (x *Insert) Do(s *Song) error {
	if x.first == 0 {
		x.first = ID(len(s.byID))
	}
	if int(x.first) != len(s.byID) {
		return errState
	}
	if len(x.Items) > maxID-len(s.byID) {
		return errFull
	}
	var track *Track
	slab := make([]Event, len(x.Items))
	for i := range x.Items {
		it := &x.Items[i]
		if track == nil || track.ID != it.Track {
			if track = s.track(it.Track); track == nil {
				return errState
			}
		}
		e := &slab[i]
		e.Event, e.Track, e.ID = it.Event, track, x.first+ID(i)
		if it.Paired {
			if i+1 == len(x.Items) || x.Items[i+1].Track != it.Track {
				return errState
			}
			e.Mate, slab[i+1].Mate = &slab[i+1], e
		}
	}
	for i := range slab {
		if e := &slab[i]; e.Mate != nil && !e.isOn() && !e.isOff() {
			return errState
		}
	}
	if x.Cursor.Set {
		if track = s.track(x.Track); track == nil {
			return errState
		}
		x.old, track.cursor = track.cursor, x.Cursor
	}
	s.byID = slices.Grow(s.byID, len(slab))
	for i := range slab {
		e := &slab[i]
		s.byID = append(s.byID, e)
		s.link(e, e.Track.place(e))
	}
	return nil
}

// Undo removes them and frees their ids.
func (x *Insert) Undo(s *Song) error {
	if int(x.first)+len(x.Items) != len(s.byID) {
		return errState
	}
	for i := range x.Items {
		if s.byID[int(x.first)+i] == nil {
			return errState
		}
	}
	if x.Cursor.Set {
		t := s.track(x.Track)
		if t == nil {
			return errState
		}
		t.cursor = x.old
	}
	for i := len(s.byID) - 1; i >= int(x.first); i-- {
		s.unlink(s.byID[i])
		s.byID[i] = nil
	}
	s.byID = s.byID[:x.first]
	return nil
}

// Refs lists the ids of the new events without note-offs. Before Do, it is right only
// if next is the song's next id.
func (x *Insert) Refs(s *Song) []string {
	first := x.first
	if first == 0 {
		first = ID(len(s.byID))
	}
	var out []string
	for i := 0; i < len(x.Items); i++ {
		out = append(out, printID(first+ID(i), x.Items[i].Paired))
		if x.Items[i].Paired {
			i++
		}
	}
	return out
}

func (x *Insert) pack(p *packer) {
	number(p, &x.first)
	number(p, &x.Track)
	p.cursor(&x.Cursor)
	p.cursor(&x.old)
	var track TrackID
	var tick int64
	packEach(p, &x.Items, func(_ int, it *Item) {
		head := pdk.If(it.Paired, 1, 0) | pdk.If(it.Track != track, 1, 0)<<1
		number(p, &head)
		it.Paired = head&1 != 0
		if head&2 != 0 {
			number(p, &it.Track)
			track = it.Track
		}
		it.Track = track
		p.event(&it.Event, tick)
		tick = it.Tick
	})
}

// EncodeMsgpack packs the edit.
func (x *Insert) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *Insert) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
