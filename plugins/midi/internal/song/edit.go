package song

import (
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/pdk"
)

// errState is returned by an edit that is done or undone in a state that it was not
// made for.
var errState = errors.New("the edit does not fit the document's state")

// errFull is returned when a document has used up all event ids.
var errFull = errors.New("this document has made 16 million events since it was opened: save it and open it again")

// EditOf returns an empty edit of an event type, or nil.
func EditOf(typ string) pdk.Edit[*Song] {
	switch typ {
	case (*Insert)(nil).Type():
		return &Insert{}
	case (*Remove)(nil).Type():
		return &Remove{}
	case (*Set)(nil).Type():
		return &Set{}
	case (*Move)(nil).Type():
		return &Move{}
	case (*AddTrack)(nil).Type():
		return &AddTrack{}
	case (*DropTrack)(nil).Type():
		return &DropTrack{}
	case (*MoveTrack)(nil).Type():
		return &MoveTrack{}
	case (*SetHeader)(nil).Type():
		return &SetHeader{}
	case (*Shift)(nil).Type():
		return &Shift{}
	case (*LoadFont)(nil).Type():
		return &LoadFont{}
	}
	return nil
}

// link inserts an event, whose track is set, at a place.
func (s *Song) link(e *Event, at spot) {
	e.Track.events.insert(at, e)
	s.updateCaches(e, 1)
	if e.Mate != nil && e.isOn() {
		s.notes++
		e.Track.notes++
	}
}

// unlink removes an event and returns the id of the event before it, or 0.
func (s *Song) unlink(e *Event) (before ID) {
	at := e.Track.events.find(e)
	if p := e.Track.events.before(at); p != nil {
		before = p.ID
	}
	s.updateCaches(e, -1)
	if e.Mate != nil && e.isOn() {
		s.notes--
		e.Track.notes--
	}
	e.Track.events.remove(at)
	return before
}

// events resolves ids, all or none.
func (s *Song) events(ids []ID) ([]*Event, error) {
	out := make([]*Event, len(ids))
	for i, id := range ids {
		if out[i] = s.event(id); out[i] == nil {
			return nil, fmt.Errorf("event %d: %w", id, errState)
		}
	}
	return out, nil
}

// spotAfter returns the place in t after the event of an id, or the start for 0.
func (s *Song) spotAfter(t *Track, id ID) (spot, error) {
	if id == 0 {
		return spot{}, nil
	}
	e := s.event(id)
	if e == nil || e.Track != t {
		return spot{}, errState
	}
	return t.events.after(e), nil
}
