package selector

import (
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// togetherPart is the part of a quarter note, a 64th, within which the notes of a chord
// start. Nobody plays a chord exactly together.
const togetherPart = 16

// chords matches the notes of chords: three or more pitches that start together on a
// track and channel, drums aside. With a value it matches only chords of exactly those
// pitch classes, in any octave and inversion, or over the bass that the value names
// after a slash.
func chords(s *song.Song, v string) (func(*song.Event) bool, error) {
	wanted := func([]*song.Event) bool { return true }
	if v != "" {
		chord, err := theory.ParseChord(v)
		if err != nil {
			return nil, err
		}
		set := theory.ClassesOf()
		for _, p := range chord.Voice(4, 0) {
			set |= theory.ClassesOf(p.Number())
		}
		wanted = func(group []*song.Event) bool {
			var sounds theory.Classes
			low := 127
			for _, e := range group {
				sounds |= theory.ClassesOf(e.Pitch())
				low = min(low, e.Pitch())
			}
			return sounds == set && (chord.Bass == nil || chord.Bass.Semitone() == low%12)
		}
	}
	slack := Slack(s)
	in := map[*song.Event]bool{}
	for _, t := range s.Tracks() {
		var groups [16][]*song.Event // for each channel, the last notes that started together
		finish := func(group []*song.Event) {
			var pitches [128]bool
			n := 0
			for _, e := range group {
				if !pitches[e.Pitch()] {
					pitches[e.Pitch()] = true
					n++
				}
			}
			if n >= 3 && wanted(group) {
				for _, e := range group {
					in[e] = true
				}
			}
		}
		for e := range t.Events() {
			if !e.IsNote() || e.Channel() == theory.DrumChannel {
				continue
			}
			g := &groups[e.Channel()-1]
			if len(*g) > 0 && e.Tick > (*g)[0].Tick+slack {
				finish(*g)
				*g = (*g)[:0]
			}
			*g = append(*g, e)
		}
		for _, g := range groups {
			finish(g)
		}
	}
	return func(e *song.Event) bool { return in[e] }, nil
}
