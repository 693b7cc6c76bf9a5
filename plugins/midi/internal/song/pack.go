package song

import (
	"encoding/binary"
	"errors"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Edits and snapshots are packed by hand: an edit of ten thousand notes is one run of
// bytes instead of a hundred thousand msgpack values.

// packer appends numbers of variable length.
type packer struct{ b []byte }

func (p *packer) byte(v byte)     { p.b = append(p.b, v) }
func (p *packer) uint(v uint64)   { p.b = binary.AppendUvarint(p.b, v) }
func (p *packer) int(v int64)     { p.b = binary.AppendVarint(p.b, v) }
func (p *packer) bytes(v []byte)  { p.uint(uint64(len(v))); p.b = append(p.b, v...) }
func (p *packer) bool(v bool)     { p.uint(uint64(btoi(v))) }
func (p *packer) id(v ID)         { p.uint(uint64(v)) }
func (p *packer) track(v TrackID) { p.uint(uint64(v)) }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

var errPacked = errors.New("the event's data is damaged")

// unpacker reads what packer wrote. After an error it returns zeros, and err is set.
type unpacker struct {
	b   []byte
	err error
}

func (u *unpacker) fail() { u.b, u.err = nil, errPacked }

func (u *unpacker) byte() byte {
	if len(u.b) == 0 {
		u.fail()
		return 0
	}
	v := u.b[0]
	u.b = u.b[1:]
	return v
}

func (u *unpacker) uint() uint64 {
	v, n := binary.Uvarint(u.b)
	if n <= 0 {
		u.fail()
		return 0
	}
	u.b = u.b[n:]
	return v
}

func (u *unpacker) int() int64 {
	v, n := binary.Varint(u.b)
	if n <= 0 {
		u.fail()
		return 0
	}
	u.b = u.b[n:]
	return v
}

// count reads a count of items that take at least one byte each.
func (u *unpacker) count() int {
	n := u.uint()
	if n > uint64(len(u.b)) {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacker) bytes() []byte {
	n := u.count()
	v := u.b[:n:n]
	u.b = u.b[n:]
	if n == 0 {
		return nil
	}
	return v
}

func (u *unpacker) bool() bool     { return u.uint() == 1 }
func (u *unpacker) id() ID         { return ID(u.uint()) }
func (u *unpacker) track() TrackID { return TrackID(u.uint()) }

// done returns the error, if any, once everything is unpacked.
func (u *unpacker) done() error {
	if u.err == nil && len(u.b) > 0 {
		u.fail()
	}
	return u.err
}

// Flags in the first byte of a packed event, above the two bits of its How.
const (
	packPad    = 1 << 2
	packLenPad = 1 << 3
)

// event packs e with its tick as the difference from base.
func (p *packer) event(e *smf.Event, base int64) {
	head := byte(e.How)
	if e.Pad > 0 {
		head |= packPad
	}
	if e.LenPad > 0 {
		head |= packLenPad
	}
	p.byte(head)
	if e.Pad > 0 {
		p.byte(e.Pad)
	}
	if e.LenPad > 0 {
		p.byte(e.LenPad)
	}
	p.int(e.Tick - base)
	p.message(e)
}

// message packs the status and the data.
func (p *packer) message(e *smf.Event) {
	p.b = append(p.b, e.Status, e.A, e.B)
	if e.Status == smf.Meta || e.Status == smf.SysEx || e.Status == smf.Escape {
		p.bytes(e.Payload)
	}
}

func (u *unpacker) event(base int64) smf.Event {
	var e smf.Event
	head := u.byte()
	e.How = smf.How(head & 3)
	if head&packPad != 0 {
		e.Pad = u.byte()
	}
	if head&packLenPad != 0 {
		e.LenPad = u.byte()
	}
	e.Tick = base + u.int()
	u.message(&e)
	if e.Tick < 0 || e.Tick > smf.MaxTick || e.How > smf.RunningAcross || e.Pad > 4 || e.LenPad > 4 {
		u.fail()
	}
	return e
}

func (u *unpacker) message(e *smf.Event) {
	e.Status, e.A, e.B = u.byte(), u.byte(), u.byte()
	if e.Status < 0x80 {
		u.fail()
	}
	if e.Status == smf.Meta || e.Status == smf.SysEx || e.Status == smf.Escape {
		e.Payload = u.bytes()
	}
}

// end packs an end-of-track event.
func (p *packer) end(e smf.End) {
	p.bool(e.Missing)
	p.int(e.Tick)
	p.b = append(p.b, e.Pad, e.LenPad, e.Cut)
}

func (u *unpacker) end() smf.End {
	e := smf.End{Missing: u.bool(), Tick: u.int(), Pad: u.byte(), LenPad: u.byte(), Cut: u.byte()}
	if e.Tick < 0 || e.Tick > smf.MaxTick || e.Pad > 4 || e.LenPad > 4 || e.Cut > 2 {
		u.fail()
	}
	return e
}

// wholeTrack packs a track with its events, ids and pairs.
func (p *packer) wholeTrack(t *Track) {
	p.track(t.ID)
	p.bool(t.Conductor)
	p.end(t.end)
	p.bytes(t.tail)
	p.cursor(t.cursor)
	p.uint(uint64(t.Len()))
	var tick int64
	for e := range t.Events() {
		p.id(e.ID)
		var mate ID
		if e.Mate != nil {
			mate = e.Mate.ID
		}
		p.id(mate)
		p.event(&e.Event, tick)
		tick = e.Tick
	}
}

func (p *packer) cursor(c Cursor) {
	p.bool(c.Set)
	if c.Set {
		p.int(c.Start)
		p.int(c.End)
	}
}

func (u *unpacker) cursor() Cursor {
	if !u.bool() {
		return Cursor{}
	}
	return Cursor{Set: true, Start: u.int(), End: u.int()}
}

// wholeTrack unpacks a track into s, without adding it to the parts. It fails if an id
// is taken or a pair does not match.
func (u *unpacker) wholeTrack(s *Song) *Track {
	t := s.newTrack(u.track())
	t.Conductor, t.end, t.tail, t.cursor = u.bool(), u.end(), u.bytes(), u.cursor()
	n := u.count()
	slab := make([]Event, n)
	mates := make([]ID, n)
	var tick int64
	for i := range slab {
		e := &slab[i]
		e.ID, mates[i] = u.id(), u.id()
		e.Event, e.Track = u.event(tick), t
		if e.Tick < tick || !s.claim(e) {
			u.fail()
		}
		if u.err != nil {
			return t
		}
		tick = e.Tick
		t.events.push(e)
		s.updateCaches(e, 1)
	}
	for i := range slab {
		if mates[i] == 0 || !slab[i].isOn() {
			continue
		}
		off := s.event(mates[i])
		if off == nil || off.Track != t || !off.isOff() || off.Mate != nil {
			u.fail()
			return t
		}
		s.pair(&slab[i], off)
	}
	return t
}

// maxID limits ids, and with them the memory of byID, to 128 MiB.
const maxID = 1 << 24

// claim registers e under its id. It reports false if the id is taken.
func (s *Song) claim(e *Event) bool {
	if e.ID == 0 || e.ID > maxID || s.event(e.ID) != nil {
		return false
	}
	for int(e.ID) >= len(s.byID) {
		s.byID = append(s.byID, nil)
	}
	s.byID[e.ID] = e
	return true
}

// Snapshot packs the whole model; Restore returns exactly this state.
func (s *Song) Snapshot() []byte {
	p := &packer{b: make([]byte, 0, 16*len(s.byID)+256)}
	h := &s.header
	p.bool(s.odd)
	p.bool(h.Riff != nil)
	if r := h.Riff; r != nil {
		p.int(int64(r.SizeDiff))
		p.bytes(r.Before)
		p.int(int64(r.DataDiff))
		p.bool(r.Unpadded)
		p.bytes(r.After)
	}
	p.uint(uint64(h.Format))
	p.uint(uint64(h.Division))
	p.bytes(h.HeaderExtra)
	p.int(int64(h.TrackDiff))
	p.bytes(h.Trailing)
	p.uint(uint64(len(s.byID)))
	p.track(s.tracks)
	p.uint(uint64(len(s.parts)))
	for _, part := range s.parts {
		p.bool(part.track != nil)
		if part.track != nil {
			p.wholeTrack(part.track)
			continue
		}
		p.b = append(p.b, part.chunk.ID[:]...)
		p.bytes(part.chunk.Data)
	}
	p.uint(uint64(len(s.fonts)))
	for _, f := range s.fonts {
		p.font(f)
	}
	return p.b
}

// Restore unpacks a snapshot. The song keeps parts of data.
func Restore(data []byte) (*Song, error) {
	u := &unpacker{b: data}
	s := &Song{}
	h := &s.header
	s.odd = u.bool()
	if u.bool() {
		h.Riff = &smf.Riff{SizeDiff: int(u.int()), Before: u.bytes(), DataDiff: int(u.int()), Unpadded: u.bool(), After: u.bytes()}
	}
	h.Format, h.Division = uint16(u.uint()), smf.Division(u.uint())
	h.HeaderExtra, h.TrackDiff, h.Trailing = u.bytes(), int(u.int()), u.bytes()
	ids := u.uint()
	s.tracks = u.track()
	if ids > maxID {
		u.fail()
	}
	for n := u.count(); n > 0 && u.err == nil; n-- {
		if u.bool() {
			s.parts = append(s.parts, part{track: u.wholeTrack(s)})
			continue
		}
		var c smf.Chunk
		for i := range c.ID {
			c.ID[i] = u.byte()
		}
		c.Data = u.bytes()
		s.parts = append(s.parts, part{chunk: c})
	}
	for n := u.count(); n > 0 && u.err == nil; n-- {
		s.fonts = append(s.fonts, u.font())
	}
	if err := u.done(); err != nil {
		return nil, err
	}
	for uint64(len(s.byID)) < ids {
		s.byID = append(s.byID, nil)
	}
	if ppq, ok := h.Division.PPQ(); s.Lead() == nil || ok && ppq == 0 {
		return nil, errPacked
	}
	return s, nil
}

// encode and decodeEdit carry packed bytes through msgpack.
func encode(enc *msgpack.Encoder, pack func(*packer)) error {
	p := &packer{b: make([]byte, 0, 64)}
	pack(p)
	return enc.EncodeBytes(p.b)
}

func decodeEdit(dec *msgpack.Decoder, unpack func(*unpacker)) error {
	b, err := dec.DecodeBytes()
	if err != nil {
		return err
	}
	u := &unpacker{b: b}
	unpack(u)
	return u.done()
}
