package song

import (
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// AddTrack makes a track with its first events. The track gets the song's next track
// id, its events the next event ids.
type AddTrack struct {
	At     int // index among all tracks
	Events []smf.Event

	id    TrackID
	first ID
}

// Type is the edit's event type.
func (x *AddTrack) Type() string { return "track.add" }

// Do makes the track.
func (x *AddTrack) Do(s *Song) error {
	if x.id == 0 {
		x.id, x.first = s.tracks+1, ID(len(s.byID))
	}
	if x.id != s.tracks+1 || int(x.first) != len(s.byID) || x.At < 0 || x.At > s.TrackCount() {
		return errState
	}
	s.tracks = x.id
	t := s.newTrack(x.id)
	names, last := s.names, x.At == s.TrackCount()
	s.parts = slices.Insert(s.parts, s.partIndex(x.At), part{track: t})
	s.load(t, x.Events)
	s.dropCaches()
	if names != nil && last { // the other tracks keep their names
		s.names = names
		s.name(t, s.Number(t))
	}
	return nil
}

// Undo removes the track.
func (x *AddTrack) Undo(s *Song) error {
	t := s.track(x.id)
	if t == nil || x.id != s.tracks || t.Len() != len(x.Events) || int(x.first)+t.Len() != len(s.byID) {
		return errState
	}
	s.notes -= t.notes
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool { return p.track == t })
	clear(s.byID[x.first:])
	s.byID = s.byID[:x.first]
	s.tracks--
	s.dropCaches()
	return nil
}

// Made returns the track that Do made.
func (x *AddTrack) Made(s *Song) *Track { return s.track(x.id) }

// partIndex returns the index among parts of track n (from 0), after other chunks in
// front of it. Past the last track it is the index right after that.
func (s *Song) partIndex(n int) int {
	behind := 0
	for i, p := range s.parts {
		if p.track == nil {
			continue
		}
		if n == 0 {
			return i
		}
		n--
		behind = i + 1
	}
	return behind
}

func (x *AddTrack) pack(p *packer) {
	number(p, &x.At)
	number(p, &x.id)
	number(p, &x.first)
	packEach(p, &x.Events, func(_ int, e *smf.Event) { p.event(e, 0) })
}

// EncodeMsgpack packs the edit.
func (x *AddTrack) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *AddTrack) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }

// DropTrack removes a track with all its events.
type DropTrack struct {
	ID TrackID

	at   int    // index among all parts, filled by Do
	gone []byte // the packed track
}

// Type is the edit's event type.
func (x *DropTrack) Type() string { return "track.drop" }

// Do removes the track.
func (x *DropTrack) Do(s *Song) error {
	t := s.track(x.ID)
	if t == nil || s.TrackCount() == 1 {
		return errState
	}
	p := &packer{}
	p.wholeTrack(t)
	x.gone = p.b
	x.at = slices.IndexFunc(s.parts, func(p part) bool { return p.track == t })
	for e := range t.Events() {
		s.byID[e.ID] = nil
	}
	s.notes -= t.notes
	s.parts = slices.Delete(s.parts, x.at, x.at+1)
	s.dropCaches()
	return nil
}

// Undo restores the track.
func (x *DropTrack) Undo(s *Song) error {
	if s.track(x.ID) != nil || x.at > len(s.parts) {
		return errState
	}
	var t *Track
	if err := unpack(x.gone, func(p *packer) { t = p.readTrack(s) }); err != nil {
		return err
	}
	s.parts = slices.Insert(s.parts, x.at, part{track: t})
	s.dropCaches()
	return nil
}

func (x *DropTrack) pack(p *packer) {
	number(p, &x.ID)
	number(p, &x.at)
	p.bytes(&x.gone)
}

// EncodeMsgpack packs the edit.
func (x *DropTrack) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *DropTrack) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }

// SetHeader changes the file's format.
type SetHeader struct {
	Format int

	old int
}

// Type is the edit's event type.
func (x *SetHeader) Type() string { return "header.set" }

// Do changes the format.
func (x *SetHeader) Do(s *Song) error {
	x.old = int(s.header.Format)
	s.header.Format = uint16(x.Format)
	s.dropCaches()
	return nil
}

// Undo restores the format.
func (x *SetHeader) Undo(s *Song) error {
	s.header.Format = uint16(x.old)
	s.dropCaches()
	return nil
}

func (x *SetHeader) pack(p *packer) {
	signed(p, &x.Format, 0)
	signed(p, &x.old, 0)
}

// EncodeMsgpack packs the edit.
func (x *SetHeader) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *SetHeader) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
