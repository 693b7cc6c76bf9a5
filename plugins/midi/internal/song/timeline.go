package song

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// The kinds of events a timeline is derived from.
const (
	markTempo = iota
	markTimeSig
	markKeySig
	markMarker
	markKinds
)

// markKind returns the timeline kind of a meta event, or -1. It ignores events with an
// invalid payload.
func markKind(e *Event) int {
	if e.Status != smf.Meta {
		return -1
	}
	if _, sound := e.Sets(); !sound {
		return -1
	}
	switch e.A {
	case MetaTempo:
		return markTempo
	case MetaTimeSig:
		return markTimeSig
	case MetaKeySig:
		return markKeySig
	case MetaMarker:
		return markMarker
	}
	return -1
}

// timeline is what the meta events define about time. Each part is derived on demand
// and dropped when one of its events changes.
type timeline struct {
	meter   *Meter
	tempo   *TempoMap
	keys    []KeyChange
	keyed   bool
	markers []*Event
	marked  bool
}

// known reports whether any part is derived.
func (l *timeline) known() bool { return l.meter != nil || l.tempo != nil || l.keyed || l.marked }

// updateCaches updates the counts and caches after a change of e. delta is +1 after an
// event was inserted, -1 before one is removed, else 0.
func (s *Song) updateCaches(e *Event, delta int) {
	e.Track.version++
	e.invalidate()
	if e.Status&0xF0 == 0xC0 {
		e.Track.program, e.Track.programmed = nil, false
	}
	if e.Status != smf.Meta {
		return
	}
	if e.A == MetaName {
		s.names = nil
	}
	kind := markKind(e)
	if kind < 0 {
		return
	}
	e.Track.marks[kind] += delta
	for _, line := range []*timeline{&s.shared, &e.Track.own} {
		switch kind {
		case markTempo:
			line.tempo = nil
		case markTimeSig:
			line.meter = nil
		case markKeySig:
			line.keyed = false
		case markMarker:
			line.marked = false
		}
	}
}

// dropCaches drops the derived timelines and the index of track names, after tracks
// were added or removed.
func (s *Song) dropCaches() {
	s.shared, s.names = timeline{}, nil
	for _, p := range s.parts {
		if p.track != nil && p.track.own.known() {
			p.track.own = timeline{}
		}
	}
}

// line returns the timeline of a track.
func (s *Song) line(t *Track) *timeline {
	if s.header.Format == 2 && t != nil {
		return &t.own
	}
	return &s.shared
}

// sources lists the tracks that a track's timeline comes from.
func (s *Song) sources(t *Track) []*Track {
	if s.header.Format == 2 && t != nil {
		return []*Track{t}
	}
	return s.Tracks()
}

// marks lists the events of one kind on a track's timeline in order of time, those of
// the same tick in order of tracks.
func (s *Song) marks(track *Track, kind int) []*Event {
	var out []*Event
	sources := 0
	for _, t := range s.sources(track) {
		left := t.marks[kind]
		if left > 0 {
			sources++
		}
		for e := range t.Events() {
			if left == 0 {
				break
			}
			if markKind(e) == kind {
				out = append(out, e)
				left--
			}
		}
	}
	if sources > 1 {
		slices.SortStableFunc(out, func(a, b *Event) int { return int(a.Tick - b.Tick) })
	}
	return out
}

// Meter returns the bars and beats of a track's time (nil: the song's). With an SMPTE
// division it returns an error.
func (s *Song) Meter(t *Track) (*Meter, error) {
	ppq, err := s.PPQ()
	if err != nil {
		return nil, err
	}
	line := s.line(t)
	if line.meter == nil {
		line.meter = newMeter(ppq, s.marks(t, markTimeSig))
	}
	return line.meter, nil
}

// Tempo returns the tempo map of a track's time (nil: the song's).
func (s *Song) Tempo(t *Track) *TempoMap {
	line := s.line(t)
	if line.tempo == nil {
		line.tempo = newTempoMap(s.header.Division, s.marks(t, markTempo))
	}
	return line.tempo
}

// KeyChange is a key signature and where it starts.
type KeyChange struct {
	Tick int64
	Key  theory.Key
}

// Keys lists the key signatures of a track's time (nil: the song's).
func (s *Song) Keys(t *Track) []KeyChange {
	line := s.line(t)
	if !line.keyed {
		line.keys, line.keyed = nil, true
		for _, e := range s.marks(t, markKeySig) {
			k := theory.Key{Fifths: int(int8(e.Payload[0])), Minor: e.Payload[1] == 1}
			if n := len(line.keys); n > 0 && line.keys[n-1].Tick == e.Tick { // several tracks have it
				line.keys[n-1].Key = k
				continue
			}
			line.keys = append(line.keys, KeyChange{e.Tick, k})
		}
	}
	return line.keys
}

// KeyAt returns the key in force at tick, C major before the first signature.
func (s *Song) KeyAt(t *Track, tick int64) theory.Key {
	var key theory.Key
	for _, c := range s.Keys(t) {
		if c.Tick > tick {
			break
		}
		key = c.Key
	}
	return key
}

// Markers lists the markers of a track's timeline (nil: the song's).
func (s *Song) Markers(t *Track) []*Event {
	line := s.line(t)
	if !line.marked {
		line.markers, line.marked = s.marks(t, markMarker), true
	}
	return line.markers
}

// TempoMap converts ticks to seconds.
type TempoMap struct {
	Changes []TempoChange // never empty; the first is at tick 0
	ppq     int64
	perTick float64 // seconds, for an SMPTE division
}

// TempoChange is a tempo and where it starts.
type TempoChange struct {
	Tick   int64
	Micros int64 // microseconds in a quarter note
	units  int64 // time from the start, in microseconds times PPQ
}

// BPM returns the tempo in quarter notes a minute.
func (c TempoChange) BPM() float64 { return 60e6 / float64(c.Micros) }

const defaultMicros = 500_000 // 120 a minute, if a file has no tempo

func newTempoMap(d smf.Division, marks []*Event) *TempoMap {
	m := &TempoMap{Changes: []TempoChange{{Micros: defaultMicros}}}
	if ppq, ok := d.PPQ(); ok {
		m.ppq = int64(ppq)
	} else {
		fps, ticks := d.SMPTE()
		rate := float64(fps)
		if fps == 29 {
			rate = 30000.0 / 1001
		}
		m.perTick = 1 / (rate * float64(ticks))
	}
	for _, e := range marks {
		last := &m.Changes[len(m.Changes)-1]
		micros := int64(e.Payload[0])<<16 | int64(e.Payload[1])<<8 | int64(e.Payload[2])
		if e.Tick == last.Tick {
			last.Micros = micros
			continue
		}
		m.Changes = append(m.Changes, TempoChange{e.Tick, micros, last.units + (e.Tick-last.Tick)*last.Micros})
	}
	return m
}

// Between returns the changes from tick from to tick to, both included, the first of them the tempo in force at from.
func (m *TempoMap) Between(from, to int64) []TempoChange {
	first, found := slices.BinarySearchFunc(m.Changes, from, func(c TempoChange, t int64) int { return int(c.Tick - t) })
	if !found {
		first--
	}
	end := first
	for end < len(m.Changes) && m.Changes[end].Tick <= to {
		end++
	}
	return m.Changes[first:end]
}

// At returns the tempo in force at tick.
func (m *TempoMap) At(tick int64) TempoChange {
	i, found := slices.BinarySearchFunc(m.Changes, tick, func(c TempoChange, t int64) int { return int(c.Tick - t) })
	if !found {
		i--
	}
	return m.Changes[i]
}

// Seconds returns the time of a tick from the start, exact up to the last division.
func (m *TempoMap) Seconds(tick int64) float64 {
	if m.ppq == 0 {
		return float64(tick) * m.perTick
	}
	c := m.At(tick)
	return float64(c.units+(tick-c.Tick)*c.Micros) / float64(m.ppq) / 1e6
}

// TempoPayload returns the payload of a tempo event. ok is false if its three bytes
// cannot hold the tempo.
func TempoPayload(bpm float64) (payload []byte, ok bool) {
	micros := math.Round(60e6 / bpm)
	if !(micros >= 1 && micros < 1<<24) {
		return nil, false
	}
	n := int(micros)
	return []byte{byte(n >> 16), byte(n >> 8), byte(n)}, true
}
