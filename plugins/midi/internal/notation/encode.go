package notation

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// maxTicks is how long a piece may be, in ticks.
const maxTicks = 100_000 * quarter

// event is a message of a track.
type event struct {
	tick int64
	rank int
	data []byte
}

// encoder collects the tracks of a MIDI file. Track 0 has the title and the marks.
type encoder struct {
	piece   *piece
	tracks  [][]event
	pitched int                 // parts so far that are not drums
	shared  map[string]encoding // by the name of a part
}

// encoding is where the notes of a part go.
type encoding struct {
	part, track int
	channel     byte // 0-15
}

// encode converts the piece to a MIDI file.
func (p *piece) encode() ([]byte, error) {
	notes := 0
	for _, t := range p.parts {
		for _, b := range t.bars {
			notes += len(b.notes)
		}
	}
	if notes == 0 {
		return nil, fmt.Errorf("there are no notes in it")
	}
	w := &encoder{piece: p, tracks: [][]event{nil}, shared: map[string]encoding{}}
	if p.title != "" {
		w.tracks[0] = append(w.tracks[0], metaEvent(0, metaName, []byte(p.title)))
	}
	for n := range p.parts {
		if err := w.part(n); err != nil {
			return nil, err
		}
	}
	return midiFile(w.tracks), nil
}

// encodingOf returns where part n goes: to the track of an earlier part of its name if it is
// another voice of that, else to a new track with a channel of its own.
func (w *encoder) encodingOf(n int) encoding {
	t := w.piece.parts[n]
	into, ok := w.shared[t.name]
	if ok && t.voice && w.piece.parts[into.part].drums == t.drums {
		return into
	}
	into = encoding{n, len(w.tracks), drumChannel}
	if !t.drums {
		into.channel = pitchedChannels[w.pitched%len(pitchedChannels)]
		w.pitched++
	}
	w.shared[t.name] = into
	w.tracks = append(w.tracks, []event{metaEvent(0, metaName, []byte(t.name))})
	if t.program >= 0 {
		w.tracks[into.track] = append(w.tracks[into.track], event{0, 1, []byte{0xC0 | into.channel, byte(t.program)}})
	}
	return into
}

// Channels of MIDI messages, from 0.
const drumChannel = 9

var pitchedChannels = []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15}

// part writes the bars of part n in the order in which they are played, and the marks of the
// first part.
func (w *encoder) part(n int) error {
	t := w.piece.parts[n]
	at, err := playingOrder(t.bars)
	if err != nil {
		return err
	}
	into := w.encodingOf(n)
	notes := noteWriter{out: w.tracks[into.track], channel: into.channel, tied: map[int]open{}}
	upbeat := w.piece.upbeat()
	tick := upbeat
	for _, i := range at {
		b := t.bars[i]
		notes.bar(b, tick)
		for _, x := range b.words {
			notes.out = append(notes.out, metaEvent(tick+x.at, metaLyric, []byte(x.text)))
		}
		if n == 0 {
			for _, m := range b.marks {
				when := tick + m.at
				if when == upbeat && m.at == 0 {
					when = 0
				}
				w.tracks[0] = append(w.tracks[0], metaEvent(when, m.kind, m.data))
			}
		}
		tick += b.length
	}
	w.tracks[into.track] = notes.out
	if tick > maxTicks {
		return fmt.Errorf("it is longer than %d quarters", maxTicks/quarter)
	}
	return nil
}

// noteWriter writes the notes of a part to a track.
type noteWriter struct {
	out     []event
	channel byte         // 0-15
	tied    map[int]open // notes that are tied to a later one, by pitch
}

// open is a note that may be extended by a tied one: its end, and the index of its note-off.
type open struct {
	end int64
	off int
}

// bar writes the notes of a bar that starts at a tick.
func (w *noteWriter) bar(b *bar, tick int64) {
	list := slices.Clone(b.notes)
	slices.SortStableFunc(list, func(a, b note) int { return int(a.at - b.at) })
	for _, x := range list {
		start, end := tick+x.at, tick+x.at+x.length
		if o, ok := w.tied[x.pitch]; ok && x.stop && o.end == start {
			w.out[o.off].tick = end
			if delete(w.tied, x.pitch); x.hold {
				w.tied[x.pitch] = open{end, o.off}
			}
			continue
		}
		w.out = append(w.out, event{start, 3, []byte{0x90 | w.channel, byte(x.pitch), byte(x.vel)}}, event{end, 2, []byte{0x80 | w.channel, byte(x.pitch), 64}})
		if x.hold {
			w.tied[x.pitch] = open{end, len(w.out) - 1}
		}
	}
}

// midiFile writes a MIDI file of format 1. It sorts the events of each track.
func midiFile(tracks [][]event) []byte {
	out := binary.BigEndian.AppendUint16([]byte("MThd\x00\x00\x00\x06\x00\x01"), uint16(len(tracks)))
	out = binary.BigEndian.AppendUint16(out, quarter)
	for _, t := range tracks {
		slices.SortStableFunc(t, func(a, b event) int {
			if a.tick != b.tick {
				return int(a.tick - b.tick)
			}
			return a.rank - b.rank
		})
		var body []byte
		last := int64(0)
		for _, e := range t {
			body = append(length(body, e.tick-last), e.data...)
			last = e.tick
		}
		body = append(body, 0, 0xFF, 0x2F, 0)
		out = binary.BigEndian.AppendUint32(append(out, "MTrk"...), uint32(len(body)))
		out = append(out, body...)
	}
	return out
}

func metaEvent(tick int64, kind byte, data []byte) event {
	return event{tick, 0, append(length([]byte{0xFF, kind}, int64(len(data))), data...)}
}

// length appends a variable-length quantity.
func length(b []byte, n int64) []byte {
	for shift := 28; shift > 0; shift -= 7 {
		if n>>shift > 0 {
			b = append(b, byte(n>>shift)&0x7F|0x80)
		}
	}
	return append(b, byte(n)&0x7F)
}
