package smf

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Error says why a file was refused.
type Error struct {
	Offset int // place in the file
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset) }

// parser reads one file. limit is the end of what may be read now.
type parser struct {
	data       []byte
	pos, limit int
	warnings   []*warning
}

// warning is one kind of oddity of one track, with a count.
type warning struct {
	text     string
	at, more int
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

func (p *parser) warn(at int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, w := range p.warnings {
		if w.text == text {
			w.more++
			return
		}
	}
	p.warnings = append(p.warnings, &warning{text: text, at: at})
}

// listWarnings prints the warnings, each with its first place.
func (p *parser) listWarnings() []string {
	var out []string
	for _, w := range p.warnings {
		more := ""
		if w.more > 0 {
			more = fmt.Sprintf(", %s more", counted(w.more, "time"))
		}
		out = append(out, fmt.Sprintf("%s (at byte %d%s)", w.text, w.at, more))
	}
	return out
}

// Parse reads a file. It refuses, with an *Error, a file that it could not write back,
// and warns of harmless violations of the standard. The File keeps parts of data: do
// not modify it.
func Parse(data []byte) (*File, []string, error) {
	p := &parser{data: data, limit: len(data)}
	f := &File{}
	if len(data) == 0 {
		return nil, nil, p.fail(0, "the file is empty")
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" {
		if err := p.riff(f); err != nil {
			return nil, nil, err
		}
	}
	if err := p.file(f); err != nil {
		return nil, nil, err
	}
	return f, p.listWarnings(), nil
}

// riff finds the data chunk of an RMID file and limits the parser to it.
func (p *parser) riff(f *File) error {
	if string(p.data[8:12]) != "RMID" {
		return p.fail(8, "a RIFF file of type %q, not RMID: it holds no MIDI", p.data[8:12])
	}
	r := &Riff{SizeDiff: int(binary.LittleEndian.Uint32(p.data[4:])) - (len(p.data) - 8)}
	if r.SizeDiff != 0 {
		p.warn(4, "the RIFF header says %d bytes, the file has %d", r.SizeDiff+len(p.data)-8, len(p.data)-8)
	}
	for at := 12; ; {
		if len(p.data)-at < 8 {
			return p.fail(at, "no data chunk in the RMID file")
		}
		size := int(binary.LittleEndian.Uint32(p.data[at+4:]))
		if string(p.data[at:at+4]) != "data" {
			next := at + 8 + size + size&1
			if next > len(p.data) {
				return p.fail(at+4, "RIFF chunk %q runs past the end of the file", p.data[at:at+4])
			}
			at = next
			continue
		}
		r.Before = p.data[12:at]
		end := at + 8 + size
		if end > len(p.data) {
			// The MIDI data itself shows whether anything is missing.
			r.DataDiff = end - len(p.data)
			p.warn(at+4, "the RIFF data chunk says %d bytes, %d are there", size, len(p.data)-at-8)
			end = len(p.data)
		}
		after := end
		if (end-at)&1 == 1 {
			if after < len(p.data) && p.data[after] == 0 {
				after++
			} else {
				r.Unpadded = true
			}
		}
		r.After = p.data[after:]
		p.pos, p.limit = at+8, end
		f.Riff = r
		return nil
	}
}

func (p *parser) file(f *File) error {
	start := p.pos
	if p.limit-p.pos < 4 || string(p.data[p.pos:p.pos+4]) != "MThd" {
		return p.fail(p.pos, "not a MIDI file: it starts with %q instead of \"MThd\"", p.data[p.pos:min(p.limit, p.pos+4)])
	}
	if p.limit-p.pos < 14 {
		return p.fail(p.limit, "the file ends inside its header")
	}
	head := p.data[p.pos:]
	size := binary.BigEndian.Uint32(head[4:])
	if size < 6 || int64(size) > int64(p.limit-p.pos-8) {
		return p.fail(p.pos+4, "the header chunk says %d bytes; it needs at least 6 and %d are there", size, p.limit-p.pos-8)
	}
	f.Format = binary.BigEndian.Uint16(head[8:])
	declared := int(binary.BigEndian.Uint16(head[10:]))
	f.Division = Division(binary.BigEndian.Uint16(head[12:]))
	f.HeaderExtra = head[14 : 8+size]
	if f.Format > 2 {
		return p.fail(p.pos+8, "format %d: only 0, 1 and 2 are known", f.Format)
	}
	if ppq, ok := f.Division.PPQ(); ok && ppq == 0 {
		return p.fail(p.pos+12, "a division of 0 ticks per quarter note defines no time")
	}
	if fps, ticks := f.Division.SMPTE(); f.Division&0x8000 != 0 {
		if ticks == 0 {
			return p.fail(p.pos+13, "a division of 0 ticks per frame defines no time")
		}
		if fps != 24 && fps != 25 && fps != 29 && fps != 30 {
			return p.fail(p.pos+12, "a division of %d frames a second: only 24, 25, 29 and 30 are known", fps)
		}
	}
	p.pos += 8 + int(size)
	for p.pos < p.limit {
		done, err := p.chunk(f)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	if p.pos < p.limit {
		f.Trailing = p.data[p.pos:p.limit]
		p.warn(p.pos, "kept unchanged: %s after the last chunk", counted(len(f.Trailing), "byte"))
	}
	tracks := len(f.Tracks())
	f.TrackDiff = declared - tracks
	if tracks == 0 {
		return p.fail(p.pos, "the file holds no track")
	}
	if f.TrackDiff != 0 {
		p.warn(start+10, "the header says %s, the file has %d", counted(declared, "track"), tracks)
	}
	if f.Format == 0 && tracks > 1 {
		p.warn(start+8, "format 0 holds one track, this file has %d", tracks)
	}
	return nil
}

// chunk reads the next chunk; done means that the rest is not a chunk.
func (p *parser) chunk(f *File) (done bool, err error) {
	at := p.pos
	if p.limit-at < 8 {
		if bytes.HasPrefix([]byte("MTrk"), p.data[at:min(at+4, p.limit)]) {
			return false, p.fail(p.limit, "the file ends inside the head of track %d", len(f.Tracks())+1)
		}
		return true, nil
	}
	size := int64(binary.BigEndian.Uint32(p.data[at+4:]))
	var id [4]byte
	copy(id[:], p.data[at:])
	missing := size - int64(p.limit-at-8)
	if string(id[:]) != "MTrk" {
		if missing > 0 {
			return true, nil
		}
		p.pos = at + 8 + int(size)
		f.Chunks = append(f.Chunks, Chunk{ID: id, Data: p.data[at+8 : p.pos]})
		if !printable(id) {
			p.warn(at, "an unknown chunk %q is kept unchanged", id[:])
		}
		return false, nil
	}
	n := len(f.Tracks()) + 1
	t := &Track{}
	outer := p.limit
	p.pos = at + 8
	if missing <= 0 {
		p.limit = at + 8 + int(size)
	}
	err = p.track(t, n, missing)
	p.limit = outer
	if err != nil {
		return false, err
	}
	f.Chunks = append(f.Chunks, Chunk{Track: t})
	return false, nil
}

func printable(id [4]byte) bool {
	for _, c := range id {
		if c < 0x20 || c > 0x7E {
			return false
		}
	}
	return true
}

// track reads the events of track n up to p.limit. missing is how many bytes of the
// chunk are beyond the end of the file.
func (p *parser) track(t *Track, n int, missing int64) error {
	t.Events = make([]Event, 0, (p.limit-p.pos)/4)
	var tick int64
	var status byte
	across := false
	for p.pos < p.limit {
		at := p.pos
		delta, pad, err := p.vlq("delta time", n)
		if err != nil {
			return p.cutError(err, n, missing)
		}
		if tick += delta; tick > MaxTick {
			return p.fail(at, "track %d is longer than %d ticks", n, MaxTick)
		}
		if missing > 0 && p.cutEnd(t, tick, pad, missing) {
			p.warn(p.limit, "the file ends %s early, inside the end-of-track event of track %d; nothing else is missing, and it is saved as it is while this is the last track", counted(int(missing), "byte"), n)
			return nil
		}
		if p.pos >= p.limit {
			return p.cutError(p.fail(at, "track %d ends after a delta time, without its event", n), n, missing)
		}
		e := Event{Tick: tick, Pad: pad}
		if b := p.data[p.pos]; b >= 0x80 {
			e.Status = b
			p.pos++
		} else {
			if status == 0 {
				return p.fail(p.pos, "track %d has the data byte 0x%02X where an event must start: no status byte came before", n, b)
			}
			e.Status, e.How = status, Running
			if across {
				e.How = RunningAcross
				p.warn(p.pos, "track %d continues with a running status after a meta or sysex event", n)
			}
		}
		if err := p.message(&e, n); err != nil {
			return p.cutError(err, n, missing)
		}
		if e.IsChannel() {
			status, across = e.Status, false
		} else {
			across = status != 0
		}
		if e.IsMeta(EndTrack) && len(e.Payload) == 0 {
			t.End = End{Tick: tick, Pad: pad, LenPad: e.LenPad}
			if p.pos < p.limit {
				t.Tail = p.data[p.pos:p.limit]
				p.warn(p.pos, "kept unchanged: %s after the end of track %d", counted(len(t.Tail), "byte"), n)
				p.pos = p.limit
			}
			if missing > 0 {
				return p.cutError(nil, n, missing)
			}
			return nil
		}
		t.Events = append(t.Events, e)
	}
	if missing > 0 {
		return p.cutError(nil, n, missing)
	}
	t.End = End{Missing: true, Tick: tick}
	p.warn(p.limit, "track %d has no end-of-track event", n)
	return nil
}

// cutError replaces err by its cause if part of the track is missing from the file.
func (p *parser) cutError(err error, n int, missing int64) error {
	if missing > 0 {
		return p.fail(p.limit, "the file is cut off: track %d goes on for another %s", n, counted(int(missing), "byte"))
	}
	return err
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// cutEnd recognises an end-of-track event that misses only its last one or two bytes,
// the only cut that loses nothing.
func (p *parser) cutEnd(t *Track, tick int64, pad uint8, missing int64) bool {
	rest := p.data[p.pos:p.limit]
	if missing > 2 || len(rest) != int(3-missing) || !bytes.HasPrefix([]byte{Meta, EndTrack, 0}, rest) {
		return false
	}
	t.End = End{Tick: tick, Pad: pad, Cut: uint8(missing)}
	p.pos = p.limit
	return true
}

// message reads the bytes after the status byte.
func (p *parser) message(e *Event, n int) error {
	at := p.pos
	switch e.Status {
	case Meta:
		if p.pos >= p.limit {
			return p.fail(at, "track %d ends inside a meta event", n)
		}
		e.A = p.data[p.pos]
		p.pos++
		if err := p.payload(e, n); err != nil {
			return err
		}
		if what, sound := e.Sets(); !sound {
			p.warn(at, "track %d holds a %s that means nothing; it is kept as it is and sets nothing", n, what)
		}
		return nil
	case SysEx, Escape:
		return p.payload(e, n)
	}
	size := DataLen(e.Status)
	if p.limit-p.pos < size {
		return p.fail(at, "track %d ends inside a message", n)
	}
	for i := 0; i < size; i++ {
		b := p.data[p.pos]
		if b >= 0x80 {
			p.warn(p.pos, "track %d has a message with a data byte above 127; it is kept unchanged and has no effect", n)
		}
		if i == 0 {
			e.A = b
		} else {
			e.B = b
		}
		p.pos++
	}
	if e.Status >= 0xF0 {
		p.warn(at, "track %d holds system messages (0xF1 to 0xFE), which do not belong in a file; they are kept unchanged", n)
	}
	return nil
}

func (p *parser) payload(e *Event, n int) error {
	size, pad, err := p.vlq("length", n)
	if err != nil {
		return err
	}
	if size > int64(p.limit-p.pos) {
		return p.fail(p.pos, "an event of track %d says it has %d bytes, but its track ends after %d", n, size, p.limit-p.pos)
	}
	e.LenPad = pad
	e.Payload = p.data[p.pos : p.pos+int(size) : p.pos+int(size)]
	p.pos += int(size)
	return nil
}

// vlq reads a variable-length quantity. pad is its width if it is wider than needed,
// else 0.
func (p *parser) vlq(what string, n int) (v int64, pad uint8, err error) {
	at := p.pos
	for i := 1; i <= 4; i++ {
		if p.pos >= p.limit {
			return 0, 0, p.fail(at, "track %d ends inside a %s", n, what)
		}
		b := p.data[p.pos]
		p.pos++
		v = v<<7 | int64(b&0x7F)
		if b < 0x80 {
			if i != vlqLen(v) {
				pad = uint8(i)
			}
			return v, pad, nil
		}
	}
	return 0, 0, p.fail(at, "track %d has a %s of more than 4 bytes", n, what)
}
