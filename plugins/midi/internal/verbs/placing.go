package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// phrase gathers the notes that one op writes on a track, one behind another.
type phrase struct {
	c        *ctx
	a        pdk.Args
	track    *song.Track
	channel  int
	velocity int
	start    int64 // where it began
	at       int64 // where the next note goes
	edit     song.Insert
}

// newPhrase reads TRACK, at:, vel: and ch:.
func newPhrase(c *ctx, a pdk.Args) (*phrase, error) {
	p := &phrase{c: c, a: a}
	var err error
	if p.track, err = playing(c, a, 0); err != nil {
		return nil, err
	}
	if p.channel, err = channelArg(c, a, p.track); err != nil {
		return nil, err
	}
	if p.at, err = positionArg(c, a, "at", p.track, p.track.Cursor().End); err != nil {
		return nil, err
	}
	if p.velocity, err = velocityArg(a); err != nil {
		return nil, err
	}
	p.start, p.edit.Track = p.at, p.track.ID
	return p, nil
}

// note adds a note that starts at a tick.
func (p *phrase) note(pitch, velocity int, start, length int64) {
	p.edit.Note(p.track, p.channel, pitch, velocity, release, start, length)
}

// step goes on by a length, which is where the next note starts.
func (p *phrase) step(length int64) error {
	p.edit.Cursor = song.Cursor{Start: p.at, End: p.at + length, Set: true}
	p.at += length
	if len(p.edit.Items) > 2*maxCopies {
		return pdk.Errorf("that would make more than %d notes at once", maxCopies)
	}
	if err := fits(p.at); err != nil {
		return instead(err, p.a, "at", "1.1")
	}
	return nil
}

// do writes the notes and says so: what they are, where they start and how
// long all of it lasts.
func (p *phrase) do(what string) error {
	where := " on " + p.c.Model.Name(p.track) + " at " + p.c.Model.At(p.track, p.start)
	suffix := elsewhere(p.track, p.channel)
	notes := plural(len(p.edit.Items)/2, "note")
	if err := p.c.Do(&p.edit, song.Brief(what, 300)+where, p.edit.Refs(p.c.Model)...); err != nil {
		return err
	}
	p.c.Created("%s%s to %s: %s%s", song.Brief(what, 2000), where, p.c.Model.At(p.track, p.at), notes, suffix)
	return nil
}

// lengthAt reads a duration that starts where the phrase is.
func (p *phrase) lengthAt(key, def string) (int64, error) {
	return lengthParam(p.c, p.a, key, def, p.track, p.at)
}

// lengthParam is a duration parameter in ticks.
func lengthParam(c *ctx, a pdk.Args, key, def string, t *song.Track, at int64) (int64, error) {
	d, err := c.Model.Duration(t, a.String(key, def), at)
	if err == nil {
		return d, nil
	}
	if _, smpte := c.Model.PPQ(); smpte != nil {
		return 0, instead(err, a, key, "ticks:100")
	}
	return 0, instead(err, a, key, def)
}

// chordShape is how chords are spread in pitch and in time.
type chordShape struct {
	octave, inversion int
	voicing           theory.Voicing
	strum             string // a duration, from the top when it starts with "-"; "" for none
}

var shapeParams = []abi.Param{{Key: "oct", Value: "-1…9"}, {Key: "inv", Value: "0-6"}, {Key: "voicing", Value: "close|open|drop2"}, {Key: "strum", Value: "±DUR"}}

func shapeArgs(a pdk.Args) (chordShape, error) {
	s := chordShape{strum: a.String("strum", "")}
	var err error
	if s.voicing, err = theory.ParseVoicing(a.String("voicing", "close")); err != nil {
		return s, instead(err, a, "voicing", "close")
	}
	if s.octave, err = a.Int("oct", 4, -1, 9); err != nil {
		return s, instead(err, a, "oct", "4")
	}
	if s.inversion, err = a.Int("inv", 0, 0, 6); err != nil {
		return s, instead(err, a, "inv", "1")
	}
	return s, nil
}

// pitches places a chord, lowest note first.
func (s chordShape) pitches(a pdk.Args, chord theory.Chord) ([]theory.Pitch, error) {
	if s.inversion >= len(chord.Tones) {
		return nil, instead(pdk.Errorf("inv:%d: %s has %d notes, inversions 0 to %d", s.inversion, chord, len(chord.Tones), len(chord.Tones)-1), a, "inv", itoa(len(chord.Tones)-1))
	}
	all := chord.Voice(s.octave, s.inversion)
	bass := 0
	if chord.Bass != nil {
		bass = 1 // it stays below the others
	}
	copy(all[bass:], s.voicing.Spread(all[bass:]))
	for bass > 0 && all[0].Number() >= all[1].Number() {
		all[0].Octave--
	}
	for _, p := range all {
		if p.Number() < 0 || p.Number() > 127 {
			return nil, instead(pdk.Errorf("%s in octave %d has the note %s, outside the range of MIDI", chord, s.octave, p), a, "oct", "4")
		}
	}
	return all, nil
}

// chord adds a chord of a length and goes on by it. Strummed notes start one
// after another and end together.
func (p *phrase) chord(all []theory.Pitch, s chordShape, length int64) error {
	lag, down := int64(0), strings.HasPrefix(s.strum, "-")
	if s.strum != "" {
		text := strings.TrimLeft(s.strum, "+-")
		var err error
		if lag, err = p.c.Model.Duration(p.track, text, p.at); err != nil {
			return instead(err, p.a, "strum", "64th")
		}
		if lag*int64(len(all)-1) >= length {
			return instead(pdk.Errorf("strum:%s: the last of %d notes would start when the chord has ended", s.strum, len(all)), p.a, "strum", "ticks:"+itoa(int(max(1, length/int64(2*len(all))))))
		}
	}
	for i, n := range all {
		late := lag * int64(i)
		if down {
			late = lag * int64(len(all)-1-i)
		}
		p.note(n.Number(), p.velocity, p.at+late, length-late)
	}
	return p.step(length)
}

// spell prints pitches side by side.
func spell(all []theory.Pitch) string {
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.String()
	}
	return strings.Join(names, " ")
}
