package song

import (
	"encoding/binary"
	"errors"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/vmihailenco/msgpack/v5"
)

// Edits and snapshots are packed by hand: an edit of ten thousand notes is one run of
// bytes instead of a hundred thousand msgpack values.

// packer carries values to bytes and back: it appends what its arguments point to or, if
// it reads, sets it. After an error it sets zeros.
type packer struct {
	b     []byte
	reads bool
	err   error
}

var errPacked = errors.New("the event's data is damaged")

func (p *packer) fail() { p.b, p.err = nil, errPacked }

func (p *packer) byte(v *byte) {
	switch {
	case !p.reads:
		p.b = append(p.b, *v)
	case len(p.b) == 0:
		p.fail()
		*v = 0
	default:
		*v, p.b = p.b[0], p.b[1:]
	}
}

// read takes the n bytes of a number from the front, and reports false if there is none.
func (p *packer) read(n int) bool {
	if n <= 0 {
		p.fail()
		return false
	}
	p.b = p.b[n:]
	return true
}

// number packs a number that is not negative.
func number[T ~int | ~uint16 | ~uint32 | ~uint64](p *packer, v *T) {
	if !p.reads {
		p.b = binary.AppendUvarint(p.b, uint64(*v))
		return
	}
	n, size := binary.Uvarint(p.b)
	if *v = 0; p.read(size) {
		*v = T(n)
	}
}

// signed packs a number as its difference from base.
func signed[T ~int | ~int64](p *packer, v *T, base T) {
	if !p.reads {
		p.b = binary.AppendVarint(p.b, int64(*v-base))
		return
	}
	n, size := binary.Varint(p.b)
	if *v = base; p.read(size) {
		*v += T(n)
	}
}

func (p *packer) bool(v *bool) {
	n := uint64(pdk.If(*v, 1, 0))
	number(p, &n)
	*v = n == 1
}

// count packs a count of items that take at least one byte each.
func (p *packer) count(n int) int {
	if number(p, &n); p.reads && (n < 0 || n > len(p.b)) {
		p.fail()
		return 0
	}
	return n
}

func (p *packer) bytes(v *[]byte) {
	n := p.count(len(*v))
	if !p.reads {
		p.b = append(p.b, *v...)
		return
	}
	if *v = nil; n > 0 {
		*v = p.b[:n:n]
	}
	p.b = p.b[n:]
}

func (p *packer) text(v *string) {
	b := []byte(*v)
	p.bytes(&b)
	*v = string(b)
}

// packEach packs the items of a list.
func packEach[T any](p *packer, items *[]T, pack func(i int, item *T)) {
	if n := p.count(len(*items)); p.reads {
		*items = make([]T, n)
	}
	for i := 0; i < len(*items) && p.err == nil; i++ {
		pack(i, &(*items)[i])
	}
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
	p.byte(&head)
	e.How = smf.How(head & 3)
	if head&packPad != 0 {
		p.byte(&e.Pad)
	}
	if head&packLenPad != 0 {
		p.byte(&e.LenPad)
	}
	signed(p, &e.Tick, base)
	p.message(e)
	if p.reads && (e.Tick < 0 || e.Tick > smf.MaxTick || e.How > smf.RunningAcross || e.Pad > 4 || e.LenPad > 4) {
		p.fail()
	}
}

// message packs the status and the data.
func (p *packer) message(e *smf.Event) {
	p.byte(&e.Status)
	p.byte(&e.A)
	p.byte(&e.B)
	if p.reads && e.Status < 0x80 {
		p.fail()
	}
	if e.Status == smf.Meta || e.Status == smf.SysEx || e.Status == smf.Escape {
		p.bytes(&e.Payload)
	}
}

// end packs an end-of-track event.
func (p *packer) end(e *smf.End) {
	p.bool(&e.Missing)
	signed(p, &e.Tick, 0)
	p.byte(&e.Pad)
	p.byte(&e.LenPad)
	p.byte(&e.Cut)
	if p.reads && (e.Tick < 0 || e.Tick > smf.MaxTick || e.Pad > 4 || e.LenPad > 4 || e.Cut > 2) {
		p.fail()
	}
}

func (p *packer) cursor(c *Cursor) {
	if p.bool(&c.Set); c.Set {
		signed(p, &c.Start, 0)
		signed(p, &c.End, 0)
	}
}

// head packs what a track has besides its events, and returns how many events it has.
func (p *packer) head(t *Track) int {
	number(p, &t.ID)
	p.bool(&t.Conductor)
	p.end(&t.end)
	p.bytes(&t.tail)
	p.cursor(&t.cursor)
	return p.count(t.Len())
}

// wholeTrack packs a track with its events, ids and pairs.
func (p *packer) wholeTrack(t *Track) {
	p.head(t)
	var tick int64
	for e := range t.Events() {
		number(p, &e.ID)
		var mate ID
		if e.Mate != nil {
			mate = e.Mate.ID
		}
		number(p, &mate)
		p.event(&e.Event, tick)
		tick = e.Tick
	}
}

// readTrack unpacks a track into s, without adding it to the parts. It fails if an id
// is taken or a pair does not match.
func (p *packer) readTrack(s *Song) *Track {
	t := s.newTrack(0)
	n := p.head(t)
	slab := make([]Event, n)
	mates := make([]ID, n)
	var tick int64
	for i := range slab {
		e := &slab[i]
		number(p, &e.ID)
		number(p, &mates[i])
		p.event(&e.Event, tick)
		e.Track = t
		if e.Tick < tick || !s.claim(e) {
			p.fail()
		}
		if p.err != nil {
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
			p.fail()
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

// pack packs the whole model.
func (s *Song) pack(p *packer) {
	h := &s.header
	p.bool(&s.odd)
	riff := h.Riff != nil
	if p.bool(&riff); riff {
		if p.reads {
			h.Riff = &smf.Riff{}
		}
		signed(p, &h.Riff.SizeDiff, 0)
		p.bytes(&h.Riff.Before)
		signed(p, &h.Riff.DataDiff, 0)
		p.bool(&h.Riff.Unpadded)
		p.bytes(&h.Riff.After)
	}
	number(p, &h.Format)
	number(p, &h.Division)
	p.bytes(&h.HeaderExtra)
	signed(p, &h.TrackDiff, 0)
	p.bytes(&h.Trailing)
	ids := len(s.byID)
	if number(p, &ids); p.reads && (ids < 0 || ids > maxID) {
		p.fail()
	}
	number(p, &s.tracks)
	packEach(p, &s.parts, func(_ int, part *part) {
		track := part.track != nil
		switch p.bool(&track); {
		case !track:
			for i := range part.chunk.ID {
				p.byte(&part.chunk.ID[i])
			}
			p.bytes(&part.chunk.Data)
		case p.reads:
			part.track = p.readTrack(s)
		default:
			p.wholeTrack(part.track)
		}
	})
	packEach(p, &s.fonts, func(_ int, f **sf2.Font) {
		if p.reads {
			*f = &sf2.Font{}
		}
		p.font(*f)
	})
	for p.err == nil && len(s.byID) < ids {
		s.byID = append(s.byID, nil)
	}
}

// Snapshot packs the whole model; Restore returns exactly this state.
func (s *Song) Snapshot() []byte {
	p := &packer{b: make([]byte, 0, 16*len(s.byID)+256)}
	s.pack(p)
	return p.b
}

// Restore unpacks a snapshot. The song keeps parts of data.
func Restore(data []byte) (*Song, error) {
	s := &Song{}
	if err := unpack(data, s.pack); err != nil {
		return nil, err
	}
	if ppq, ok := s.header.Division.PPQ(); s.Lead() == nil || ok && ppq == 0 {
		return nil, errPacked
	}
	return s, nil
}

// unpack reads all of some bytes.
func unpack(b []byte, pack func(*packer)) error {
	p := &packer{b: b, reads: true}
	pack(p)
	if p.err == nil && len(p.b) > 0 {
		p.fail()
	}
	return p.err
}

// encode and decodeEdit carry packed bytes through msgpack.
func encode(enc *msgpack.Encoder, pack func(*packer)) error {
	p := &packer{b: make([]byte, 0, 64)}
	pack(p)
	return enc.EncodeBytes(p.b)
}

func decodeEdit(dec *msgpack.Decoder, pack func(*packer)) error {
	b, err := dec.DecodeBytes()
	if err != nil {
		return err
	}
	return unpack(b, pack)
}
