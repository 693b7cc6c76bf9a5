package writing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

// Phrase collects the notes that one op writes on a track, one after another.
type Phrase struct {
	C        *ctx
	A        pdk.Args
	Track    *song.Track
	Channel  int
	velocity int
	Start    int64 // where the phrase began
	At       int64 // where the next note goes
	Over     bool  // replace what is there
	Edit     song.Insert
}

// NewPhrase reads TRACK, at:, vel: and ch:.
func NewPhrase(c *ctx, a pdk.Args) *Phrase {
	p := &Phrase{C: c, A: a}
	p.Track = pdk.Must(args.WritableTrack(c, a, 0))
	p.Channel = args.Channel(c, a, p.Track)
	p.At = pdk.Must(args.Position(c, a, "at", p.Track, p.Track.Cursor().End))
	p.velocity, p.Over = args.VelKey.Of(a), args.OverKey.Of(a)
	p.Start, p.Edit.Track = p.At, p.Track.ID
	return p
}

// Note adds a note that starts at a tick.
func (p *Phrase) Note(pitch, velocity int, start, length int64) {
	p.Edit.Note(p.Track, p.Channel, pitch, velocity, release, start, length)
}

// Step advances by a length, to where the next note starts.
func (p *Phrase) Step(length int64) error {
	p.Edit.Cursor = song.Cursor{Start: p.At, End: p.At + length, Set: true}
	p.At += length
	if len(p.Edit.Items) > 2*args.MaxCopies {
		return pdk.Errorf("that would make more than %d notes at once", args.MaxCopies)
	}
	return args.CheckTick(p.At)
}

// Do writes the notes and replies with what they are, where they start and how long
// they last together.
func (p *Phrase) Do(what string) error {
	where := " on " + p.C.Model.Name(p.Track) + " at " + p.C.Model.At(p.Track, p.Start)
	suffix := args.ChannelSuffix(p.Track, p.Channel)
	notes := pdk.Count(len(p.Edit.Items)/2, "note")
	pdk.Check(p.clearPlace())
	pdk.Check(p.C.Do(&p.Edit, song.Brief(what, 300)+where, p.Edit.Refs(p.C.Model)...)) // even without notes, it advances
	p.C.Created("%s%s to %s: %s%s", song.Brief(what, 2000), where, p.C.Model.At(p.Track, p.At), notes, suffix)
	return nil
}

// clearPlace makes room for a phrase: it removes the notes of its track and channel that
// start during it, and shortens those that sound into it. Without ch: it treats the
// channels among which mpe dealt the track's notes as one.
func (p *Phrase) clearPlace() error {
	if !p.Over {
		return nil
	}
	var dealt [17]bool
	if !p.A.Has("ch") {
		dealt = mixing.Members(p.Track)
	}
	gone, ends := &song.Remove{}, &song.Move{}
	for e := range p.Track.Between(0, p.At) {
		if !e.IsNote() || e.Channel() != p.Channel && !dealt[e.Channel()] {
			continue
		}
		if e.Tick >= p.Start {
			gone.Add(e)
		} else if e.Mate.Tick > p.Start {
			ends.Add(e.Mate, p.Track, p.Start)
		}
	}
	args.Do(p.C, ends, "End what sounds there")
	if len(gone.IDs) == 0 {
		return nil
	}
	return p.C.Do(gone, "Remove "+pdk.Count(len(gone.IDs)/2, "note")+" that were there")
}

// lengthAt reads a duration that starts at the phrase's current tick.
func (p *Phrase) lengthAt(key, def string) (int64, error) {
	return args.Length(p.C, p.A, key, def, p.Track, p.At)
}

// chordShape is how chords are spread in pitch and time.
type chordShape struct {
	octave, inversion int
	voicing           theory.Voicing
	strum             string         // a duration, from the top if it starts with "-"; "" for none
	rhythm            string         // the marks of a bar, see strokes; "" for one stroke as long as the chord
	last              []theory.Pitch // the previous chord, for voicing:lead
}

// Keys that say how chords are placed.
var (
	invKey     = value.Key[int]{Name: "inv", Type: value.Int(0, 6)}
	voicingKey = value.Key[theory.Voicing]{Name: "voicing", Default: theory.Close, Type: value.Named([]string{"close", "open", "drop2", "shell", "lead"},
		func(name string) theory.Voicing { return theory.Voicing(name) })}
	chordKeys = []pdk.Parameter{args.VelKey, args.OctKey, invKey, voicingKey, args.ChKey, args.OverKey}
)

func shapeArgs(a pdk.Args) (chordShape, error) {
	s := chordShape{strum: a.String("strum", ""), rhythm: strings.ReplaceAll(a.String("rhythm", ""), "|", "")}
	if a.Has("rhythm") && (!strings.ContainsAny(s.rhythm, "xXg") || strings.Trim(s.rhythm, rhythmMarks) != "" || len(s.rhythm) > maxStrokes) {
		return s, pdk.Errorf("rhythm:%s: it is a bar in equal steps: x strikes, X with an accent, g softly, = holds, . is silent, like .x=.x=x=", a.String("rhythm", "")).Tryf("midi_help %s", a.Verb)
	}
	s.voicing, s.octave, s.inversion = voicingKey.Of(a), args.OctKey.Of(a), invKey.Of(a)
	return s, nil
}

// next places a chord after the previous ones.
func (s *chordShape) next(a pdk.Args, chord theory.Chord) ([]theory.Pitch, error) {
	all, err := s.pitches(a, chord)
	if err != nil || s.voicing != theory.Lead {
		return all, err
	}
	if s.last != nil {
		if near := chord.Near(s.last, s.octave); near != nil {
			all = near
		}
	}
	s.last = all
	return all, nil
}

// pitches places a chord, lowest note first.
func (s chordShape) pitches(a pdk.Args, chord theory.Chord) ([]theory.Pitch, error) {
	if s.voicing == theory.Shell {
		chord = chord.Shell()
	}
	if s.inversion >= len(chord.Tones) {
		return nil, args.Instead(pdk.Errorf("inv:%d: %s has %d notes, inversions 0 to %d", s.inversion, chord, len(chord.Tones), len(chord.Tones)-1), a, "inv", strconv.Itoa(len(chord.Tones)-1))
	}
	all := s.spread(chord, s.octave)
	if p := firstOutside(all); p != nil {
		return nil, args.Instead(pdk.Errorf("%s in octave %d has the note %s, outside the range of MIDI", chord, s.octave, p), a, "oct",
			nearestOctave(s.octave, func(octave int) bool { return firstOutside(s.spread(chord, octave)) == nil })...)
	}
	return all, nil
}

// spread places a chord with its root in an octave, lowest note first.
func (s chordShape) spread(chord theory.Chord, octave int) []theory.Pitch {
	all := chord.Voice(octave, s.inversion)
	bass := 0
	if chord.Bass != nil {
		bass = 1 // the bass stays below the others
	}
	copy(all[bass:], s.voicing.Spread(all[bass:]))
	for bass > 0 && all[0].Number() >= all[1].Number() {
		all[0].Octave--
	}
	return all
}

// firstOutside returns a pitch outside MIDI's range, or nil.
func firstOutside(all []theory.Pitch) *theory.Pitch {
	i := slices.IndexFunc(all, func(p theory.Pitch) bool { return p.Number() < 0 || p.Number() > 127 })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// nearestOctave returns the octave that fits and is nearest to one that does not.
func nearestOctave(octave int, fits func(int) bool) []string {
	for d := 1; d <= 10; d++ {
		for _, o := range []int{octave - d, octave + d} {
			if o >= -1 && o <= 9 && fits(o) {
				return []string{strconv.Itoa(o)}
			}
		}
	}
	return nil
}

// rhythmMarks are the marks of a rhythm's steps. A bar has at most maxStrokes.
const (
	rhythmMarks = "xXg=."
	maxStrokes  = 192
)

// chord adds a chord of a length, once or in its rhythm, and advances by the length.
func (p *Phrase) chord(all []theory.Pitch, s chordShape, length int64) error {
	if s.rhythm == "" {
		pdk.Check(p.strike(all, s, p.velocity, p.At, length))
		return p.Step(length)
	}
	start, end := args.Bar(p.C, p.Track, p.At)
	if _, err := p.C.Model.Meter(p.Track); err != nil {
		return pdk.Errorf("rhythm: divides bars, and this file counts time in SMPTE frames")
	}
	n := int64(len(s.rhythm))
	for ; start < p.At+length; start, end = args.Bar(p.C, p.Track, end) {
		for i := range n {
			if s.rhythm[i] == '=' || s.rhythm[i] == '.' {
				continue
			}
			last := i + 1
			for last < n && s.rhythm[last] == '=' {
				last++
			}
			from, to := start+(end-start)*i/n, min(start+(end-start)*last/n, p.At+length)
			if from < p.At || from >= to {
				continue
			}
			velocity := p.velocity
			switch s.rhythm[i] {
			case 'X':
				velocity = accentVelocity(velocity)
			case 'g':
				velocity = ghostVelocity(velocity)
			}
			pdk.Check(p.strike(all, s, velocity, from, to-from))
		}
	}
	return p.Step(length)
}

// accentVelocity and ghosted return the velocity of a stroke with an accent and of a
// ghost note.
func accentVelocity(velocity int) int { return min(127, velocity+velocity*2/5) }
func ghostVelocity(velocity int) int  { return max(1, velocity/2) }

// strike adds a chord at a tick. Strummed notes start one after another and end
// together.
func (p *Phrase) strike(all []theory.Pitch, s chordShape, velocity int, at, length int64) error {
	lag, down := int64(0), strings.HasPrefix(s.strum, "-")
	if s.strum != "" {
		text := strings.TrimLeft(s.strum, "+-")
		var err error
		if lag, err = p.C.Model.Duration(p.Track, text, at); err != nil {
			return args.Instead(err, p.A, "strum", args.WithSign(s.strum, near.Duration(p.C.Model, p.Track, text, at))...)
		}
		if lag*int64(len(all)-1) >= length {
			return args.Instead(pdk.Errorf("strum:%s: the last of %d notes would start when the chord has ended", s.strum, len(all)), p.A, "strum",
				args.WithSign(s.strum, []string{"ticks:" + strconv.Itoa(int(max(1, length/int64(2*len(all)))))})...)
		}
	}
	for i, n := range all {
		late := lag * int64(i)
		if down {
			late = lag * int64(len(all)-1-i)
		}
		p.Note(n.Number(), velocity, at+late, length-late)
	}
	return nil
}

// spellPitches prints pitches separated by blanks.
func spellPitches(all []theory.Pitch) string {
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.String()
	}
	return strings.Join(names, " ")
}
