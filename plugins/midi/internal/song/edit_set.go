package song

import (
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Set changes the content of events where they are. It must not turn a note into
// another kind of event, or another kind into a note.
type Set struct {
	Items []Change
}

// Change holds the new content of one event and, after Do, its old one.
type Change struct {
	ID  ID
	New Content
	old Content
}

// Content is the message of an event.
type Content struct {
	Status, A, B byte
	Payload      []byte
}

func contentOf(e *Event) Content { return Content{e.Status, e.A, e.B, e.Payload} }

// Change appends a change of e. It returns the current content, which the caller
// modifies before the next call.
func (x *Set) Change(e *Event) *Content {
	x.Items = append(x.Items, Change{ID: e.ID, New: contentOf(e)})
	return &x.Items[len(x.Items)-1].New
}

// Type is the edit's event type.
func (x *Set) Type() string { return "events.set" }

// Do changes the events.
func (x *Set) Do(s *Song) error {
	for i := range x.Items {
		e := s.event(x.Items[i].ID)
		if e == nil {
			return errState
		}
		x.Items[i].old = contentOf(e)
	}
	for i := range x.Items {
		s.say(x.Items[i].ID, x.Items[i].New)
	}
	return nil
}

// Undo changes them back.
func (x *Set) Undo(s *Song) error {
	for i := range x.Items {
		if s.event(x.Items[i].ID) == nil {
			return errState
		}
	}
	for i := len(x.Items) - 1; i >= 0; i-- {
		s.say(x.Items[i].ID, x.Items[i].old)
	}
	return nil
}

func (s *Song) say(id ID, c Content) {
	e := s.event(id)
	s.updateCaches(e, -1)
	e.Status, e.A, e.B, e.Payload = c.Status, c.A, c.B, c.Payload
	s.updateCaches(e, 1)
}

func (x *Set) pack(p *packer) {
	var last int64
	packEach(p, &x.Items, func(_ int, c *Change) {
		id := int64(c.ID)
		signed(p, &id, last)
		c.ID, last = ID(id), id
		for _, v := range []*Content{&c.New, &c.old} {
			e := smf.Event{Status: v.Status, A: v.A, B: v.B, Payload: v.Payload}
			p.message(&e)
			*v = Content{e.Status, e.A, e.B, e.Payload}
		}
	})
}

// EncodeMsgpack packs the edit.
func (x *Set) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *Set) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
