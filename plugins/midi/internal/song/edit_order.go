package song

import (
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// MoveTrack moves a track to another place among the tracks. Other chunks keep their
// places among the parts that do not move.
type MoveTrack struct {
	ID TrackID
	To int // index among all tracks

	from, to int // indices among parts, filled by Do
}

// Type is the edit's event type.
func (x *MoveTrack) Type() string { return "track.move" }

// Do moves the track.
func (x *MoveTrack) Do(s *Song) error {
	t := s.track(x.ID)
	if t == nil || x.To < 0 || x.To >= s.TrackCount() {
		return errState
	}
	x.from = slices.IndexFunc(s.parts, func(p part) bool { return p.track == t })
	s.parts = slices.Delete(s.parts, x.from, x.from+1)
	x.to = s.partIndex(x.To)
	s.parts = slices.Insert(s.parts, x.to, part{track: t})
	s.dropCaches()
	return nil
}

// Undo moves it back.
func (x *MoveTrack) Undo(s *Song) error {
	if x.to >= len(s.parts) || x.from >= len(s.parts) || s.parts[x.to].track == nil || s.parts[x.to].track.ID != x.ID {
		return errState
	}
	p := s.parts[x.to]
	s.parts = slices.Delete(s.parts, x.to, x.to+1)
	s.parts = slices.Insert(s.parts, x.from, p)
	s.dropCaches()
	return nil
}

func (x *MoveTrack) pack(p *packer) {
	number(p, &x.ID)
	number(p, &x.To)
	number(p, &x.from)
	number(p, &x.to)
}

// EncodeMsgpack packs the edit.
func (x *MoveTrack) EncodeMsgpack(enc *msgpack.Encoder) error { return encode(enc, x.pack) }

// DecodeMsgpack unpacks the edit.
func (x *MoveTrack) DecodeMsgpack(dec *msgpack.Decoder) error { return decodeEdit(dec, x.pack) }
