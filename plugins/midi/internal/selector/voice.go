package selector

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Slack is how many ticks apart the notes of a chord may start.
func Slack(s *song.Song) int64 {
	if ppq, err := s.PPQ(); err == nil {
		return ppq / togetherPart
	}
	return 0
}

// outermost matches a note that is the highest (sign 1) or the lowest (-1) of those
// that sound on its track and channel when it starts, drums aside.
func outermost(sign int) reader {
	return func(s *song.Song, _ string) (func(*song.Event) bool, error) {
		in := map[*song.Event]bool{}
		eachGroup(s, func(group, sounding []*song.Event) {
			top := group[0]
			for _, e := range group {
				if (e.Pitch()-top.Pitch())*sign > 0 {
					top = e
				}
			}
			for _, e := range sounding {
				if (e.Pitch()-top.Pitch())*sign > 0 {
					return
				}
			}
			in[top] = true
		})
		return func(e *song.Event) bool { return in[e] }, nil
	}
}

// eachGroup calls visit with each group of notes that start together on a track and
// channel, drums aside, and with the notes that sound at that time.
func eachGroup(s *song.Song, visit func(group, sounding []*song.Event)) {
	late := Slack(s)
	for _, t := range s.Tracks() {
		var groups, sounding [16][]*song.Event
		finish := func(c int) {
			group := groups[c]
			if len(group) == 0 {
				return
			}
			from := group[0].Tick + late
			sounding[c] = slices.DeleteFunc(sounding[c], func(e *song.Event) bool { return e.Mate.Tick <= from })
			visit(group, sounding[c])
			sounding[c] = append(sounding[c], group...)
			groups[c] = group[:0:0]
		}
		for e := range t.Events() {
			if !e.IsNote() || e.Channel() == theory.DrumChannel {
				continue
			}
			c := e.Channel() - 1
			if len(groups[c]) > 0 && e.Tick > groups[c][0].Tick+late {
				finish(c)
			}
			groups[c] = append(groups[c], e)
		}
		for c := range groups {
			finish(c)
		}
	}
}

// byHand matches the notes of a pianist's left or right hand: each hand stays near its
// last position and reaches at most a tenth.
func byHand(s *song.Song, v string) (func(*song.Event) bool, error) {
	left := strings.EqualFold(v, "left")
	if !left && !strings.EqualFold(v, "right") {
		return nil, pdk.Errorf("@hand:%s: a hand is left or right", v)
	}
	type place struct {
		track   *song.Track
		channel int
	}
	type hands struct{ left, right float64 } // the mean pitch that each hand played last
	const reach, settle = 16, 0.4
	at := map[place]*hands{}
	in := map[*song.Event]bool{}
	eachGroup(s, func(group, _ []*song.Event) {
		where := place{group[0].Track, group[0].Channel()}
		h := at[where]
		if h == nil {
			h = &hands{48, 67}
			at[where] = h
		}
		notes := slices.Clone(group)
		slices.SortStableFunc(notes, func(a, b *song.Event) int { return a.Pitch() - b.Pitch() })
		best, least := 0, 0.0
		for cut := 0; cut <= len(notes); cut++ { // the left hand plays what is below cut
			cost := 0.0
			for i, e := range notes {
				d := float64(e.Pitch()) - h.right
				if i < cut {
					d = float64(e.Pitch()) - h.left
				}
				cost += d * d
			}
			for _, part := range [][]*song.Event{notes[:cut], notes[cut:]} {
				if n := len(part); n > 0 {
					wide := float64(part[n-1].Pitch() - part[0].Pitch())
					if cost += wide * wide; wide > reach {
						cost += 1e6
					}
				}
			}
			if cut == 0 || cost < least {
				best, least = cut, cost
			}
		}
		follow := func(middle *float64, part []*song.Event) {
			if len(part) == 0 {
				return
			}
			sum := 0
			for _, e := range part {
				sum += e.Pitch()
			}
			*middle += settle * (float64(sum)/float64(len(part)) - *middle)
		}
		follow(&h.left, notes[:best])
		follow(&h.right, notes[best:])
		for i, e := range notes {
			in[e] = (i < best) == left
		}
	})
	return func(e *song.Event) bool { return in[e] }, nil
}

// fromPitchUp matches the notes from a pitch up and below those under it: the two sides of a
// split point.
func fromPitchUp(_ *song.Song, v string) (func(*song.Event) bool, error) {
	n, _, err := onePitch(v)
	return func(e *song.Event) bool { return e.IsNote() && e.Channel() != theory.DrumChannel && e.Pitch() >= n }, err
}

func belowPitch(_ *song.Song, v string) (func(*song.Event) bool, error) {
	n, _, err := onePitch(v)
	return func(e *song.Event) bool { return e.IsNote() && e.Channel() != theory.DrumChannel && e.Pitch() < n }, err
}

// offbeat matches events that start between beats, within the tolerance of played
// notes.
func offbeat(s *song.Song, _ string) (func(*song.Event) bool, error) {
	if _, err := s.PPQ(); err != nil {
		return nil, err
	}
	late := Slack(s)
	return func(e *song.Event) bool {
		m, err := s.Meter(e.Track)
		if err != nil {
			return false
		}
		_, _, sub := m.Locate(e.Tick)
		return sub > late && m.BeatEnd(e.Tick)-e.Tick > late
	}, nil
}

// chordTones matches notes that belong to the chord that sounds where they start.
func chordTones(s *song.Song, _ string) (func(*song.Event) bool, error) {
	m, err := s.Meter(nil)
	if err != nil {
		return nil, err
	}
	if s.Format() == 2 {
		return nil, pdk.Errorf("the tracks of a format 2 file do not sound together")
	}
	all := s.Harmony(m, 0, max(s.End(), 1), func(e *song.Event) bool { return e.Channel() != theory.DrumChannel })
	return func(e *song.Event) bool {
		i, _ := slices.BinarySearchFunc(all, e.Tick, func(h song.Harmony, tick int64) int {
			if h.To <= tick {
				return -1
			}
			return 1
		})
		if !e.IsNote() || i == len(all) || all[i].Chord == nil || e.Channel() == theory.DrumChannel {
			return false
		}
		for _, p := range all[i].Chord.Voice(4, 0) {
			if p.Semitone() == e.Pitch()%12 {
				return true
			}
		}
		return false
	}, nil
}
