package song

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// PitchName returns the name of the pitch of note e as a musician would write it, or
// the name of its drum.
func (s *Song) PitchName(e *Event) string {
	if e.Channel() == theory.DrumChannel {
		if name := theory.DrumName(e.Pitch()); name != "" {
			return name
		}
	}
	return s.Spelled(e).String()
}

// Spelled spells the pitch of a note as a musician would: in the key in force and with
// the notes that start with it on its track.
func (s *Song) Spelled(e *Event) theory.Pitch {
	var among theory.Classes
	for o := range e.Track.EventsFrom(e.Tick) {
		if o.Tick != e.Tick {
			break
		}
		if o.IsNote() && o.Channel() == e.Channel() {
			among |= theory.ClassesOf(o.Pitch())
		}
	}
	return s.spell(spelling{e.Pitch(), s.SpellingKey(e.Track, e.Tick), among})
}

// SpelledAll spells all notes of a track on one channel, in order.
func (s *Song) SpelledAll(notes []*Event) []theory.Pitch {
	out := make([]theory.Pitch, len(notes))
	for i := 0; i < len(notes); {
		first := notes[i]
		key := s.SpellingKey(first.Track, first.Tick)
		var among theory.Classes
		end := i
		for ; end < len(notes) && notes[end].Tick == first.Tick; end++ {
			among |= theory.ClassesOf(notes[end].Pitch())
		}
		for ; i < end; i++ {
			out[i] = s.spell(spelling{notes[i].Pitch(), key, among})
		}
	}
	return out
}

func (s *Song) spell(k spelling) theory.Pitch {
	p, known := s.spelt[k]
	if !known {
		p = theory.SpellAmong(k.pitch, k.key, k.among)
		if s.spelt == nil || len(s.spelt) >= maxSpelt {
			s.spelt = map[spelling]theory.Pitch{}
		}
		s.spelt[k] = p
	}
	return p
}

// spelling is what the spelling of a note depends on. A song has few different ones,
// and caches at most maxSpelt.
type spelling struct {
	pitch int
	key   theory.Key
	among theory.Classes
}

const maxSpelt = 4096

// SpellingKey returns the key in force at a tick of a track's time (nil: the song's)
// or, in a song without key signatures, the most likely key of its notes.
func (s *Song) SpellingKey(t *Track, tick int64) theory.Key {
	if len(s.Keys(t)) > 0 {
		return s.KeyAt(t, tick)
	}
	if s.header.Format != 2 {
		t = nil
	}
	var now guess // the state of the tracks, without the key
	for _, p := range s.parts {
		if p.track != nil && (t == nil || p.track == t) {
			now.add(p.track)
		}
	}
	if g := &s.heard; g.version != now.version || g.tracks != now.tracks || g.first != now.first {
		*g = now
		tracks := s.sources(t)
		var weight [12]float64
		for _, o := range tracks {
			sums := o.Sums()
			for pc, n := range sums.Classes {
				weight[pc] += float64(n)
			}
		}
		if keys := theory.FindKeys(weight); len(keys) > 0 {
			g.key = keys[0].Key
		}
	}
	return s.heard.key
}

// guess is the likely key of tracks. It is valid until one of them changes.
type guess struct {
	version uint64
	tracks  int
	first   *Track
	key     theory.Key
}

// add includes a track in a guess.
func (g *guess) add(t *Track) {
	if g.tracks == 0 {
		g.first = t
	}
	g.tracks++
	g.version += t.version
}

// Say describes an event in a few words, without its place.
func (s *Song) Say(e *Event) string {
	kind := e.Kind()
	switch kind {
	case KindNote:
		return fmt.Sprintf("note %s dur:%s vel:%d", s.PitchName(e), s.Lasting(e.Length()), e.Velocity())
	case KindNoteOn, KindNoteOff:
		return fmt.Sprintf("%s %s vel:%d (without its other half)", kind, s.PitchName(e), e.Velocity())
	case KindPolyPressure:
		return fmt.Sprintf("%s %s %d", kind, s.PitchName(e), e.B)
	case KindCC:
		return fmt.Sprintf("cc %s %d", theory.ControllerName(int(e.A)), e.B)
	case KindProgram:
		return "program " + s.SoundOf(e)
	case KindPressure:
		return fmt.Sprintf("pressure %d", e.A)
	case KindBend:
		return fmt.Sprintf("bend %d", int(e.A)|int(e.B)<<7-8192)
	case KindTempo, KindTimeSig, KindKeySig:
		if markKind(e) < 0 {
			return string(kind) + " (meaningless) " + hexDump(e.Payload)
		}
	case KindText, KindCopyright, KindName, KindInstrument, KindLyric, KindMarker, KindCue:
		return string(kind) + " " + strconv.Quote(Brief(e.Text(), 120))
	case KindSysEx:
		return "sysex " + hexDump(e.Payload)
	case KindMalformed:
		return fmt.Sprintf("malformed %02X %02X %02X", e.Status, e.A, e.B)
	case KindSystem:
		return fmt.Sprintf("system 0x%02X", e.Status)
	case KindMeta:
		return fmt.Sprintf("meta 0x%02X %s", e.A, hexDump(e.Payload))
	case KindChannel, KindPort:
		if len(e.Payload) == 1 {
			return fmt.Sprintf("%s %d", kind, int(e.Payload[0])+pdk.If(kind == KindChannel, 1, 0))
		}
		return string(kind) + " " + hexDump(e.Payload)
	default:
		return string(kind) + " " + hexDump(e.Payload)
	}
	switch kind {
	case KindTempo:
		return "tempo " + PrintBPM(60e6/float64(int(e.Payload[0])<<16|int(e.Payload[1])<<8|int(e.Payload[2])))
	case KindTimeSig:
		return fmt.Sprintf("time-sig %d/%d", e.Payload[0], 1<<e.Payload[1])
	}
	return "key-sig " + theory.Key{Fifths: int(int8(e.Payload[0])), Minor: e.Payload[1] == 1}.String()
}

// PrintBPM prints a tempo with at most three decimals, and no more than needed.
func PrintBPM(bpm float64) string {
	return strconv.FormatFloat(math.Round(bpm*1000)/1000, 'f', -1, 64)
}

// SoundName returns the name of a program (0-127) on a channel (1-16).
func SoundName(program, channel int) string {
	if channel == theory.DrumChannel {
		return theory.KitName(program)
	}
	return theory.InstrumentName(program)
}

// Brief cuts text after n characters and puts it on one line.
func Brief(text string, n int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}

// hexDump prints bytes in hex; of a long payload it prints the start and the length.
func hexDump(b []byte) string {
	if len(b) > 16 {
		return hex.EncodeToString(b[:16]) + fmt.Sprintf("… (%d bytes)", len(b))
	}
	return hex.EncodeToString(b)
}

// IsMark reports whether e is a tempo, a signature or a marker: of each kind there is
// only one at a time.
func (e *Event) IsMark() bool {
	return e.Status == smf.Meta && (e.A == MetaTempo || e.A == MetaTimeSig || e.A == MetaKeySig || e.A == MetaMarker)
}
