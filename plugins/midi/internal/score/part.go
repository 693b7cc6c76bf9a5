package score

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// maxVoices is how many voices a staff has, the number of common notation programs.
const maxVoices = 4

// chord is a set of notes of one staff that start and end together. Times are in units
// from the start of the piece.
type chord struct {
	start, end int
	notes      []Note
	lyric      string
}

// part converts the notes of a track on a channel to a part.
func (w *writer) part(t *song.Track, channel int) {
	s := w.song
	p := Part{Name: s.Name(t), Channel: channel}
	for e := range t.Events() {
		if e.Kind() == song.KindProgram && e.Channel() == channel {
			p.Program, p.Sound = int(e.A), s.SoundOf(e)
			break
		}
	}
	if p.Sound == "" {
		p.Sound = song.SoundName(p.Program, channel)
	}
	if len(channels(t)) > 1 {
		p.Name = strings.TrimSpace(p.Name + " (" + p.Sound + ")")
	}
	var notes []*song.Event
	lyrics := map[int64]string{}
	for e := range t.Events() {
		switch {
		case e.IsNote() && e.Channel() == channel:
			notes = append(notes, e)
		case e.Kind() == song.KindLyric:
			lyrics[e.Tick] = strings.Trim(e.Text(), " /\\\r\n")
		}
	}
	p.Staves = staves(notes, channel)
	if channel == theory.DrumChannel {
		p.Drums = drumsOf(notes)
	}
	p.Dynamics = w.dynamics(notes)
	triplets := w.triplets(notes)
	lines := make([][]*voice, len(p.Staves))
	chords := w.chords(notes, p.Staves, triplets, lyrics)
	for i := range lines { // the first voice has most of the chords
		lines[i] = []*voice{{chords: make([]chord, 0, len(chords)/len(lines)+8)}}
	}
	for _, c := range chords {
		if p.Drums != nil {
			lines[0] = c.drum(lines[0])
			continue
		}
		lines[c.staff] = c.addTo(lines[c.staff])
	}
	for _, staff := range lines {
		for _, v := range staff {
			v.smooth(w.score.Bars)
		}
	}
	p.Bars = make([][]Voice, len(w.score.Bars))
	var room []Item
	for staff := range p.Staves {
		for number, v := range lines[staff] {
			next := 0
			for i := range w.score.Bars {
				b := &w.score.Bars[i]
				var items []Item
				items, next = v.bar(b, next, triplets[i], &room)
				if number > 0 && onlyRests(items) {
					continue
				}
				p.Bars[i] = append(p.Bars[i], Voice{Staff: staff, Number: number, Items: items})
			}
		}
	}
	w.score.Parts = append(w.score.Parts, p)
}

// onlyRests reports whether all items are rests.
func onlyRests(items []Item) bool {
	return !slices.ContainsFunc(items, func(i Item) bool { return len(i.Notes) > 0 })
}

// middle is the lowest pitch of the upper of two staves: middle C.
const middle = 60

// staves chooses clefs: one staff, or two if the part extends well to both sides of
// middle C.
func staves(notes []*song.Event, channel int) []Clef {
	if channel == theory.DrumChannel {
		return []Clef{Percussion}
	}
	low, high, sum := 127, 0, 0
	for _, e := range notes {
		low, high, sum = min(low, e.Pitch()), max(high, e.Pitch()), sum+e.Pitch()
	}
	switch {
	case low < middle-7 && high > middle+7:
		return []Clef{Treble, Bass}
	case sum < (middle-3)*len(notes):
		return []Clef{Bass}
	}
	return []Clef{Treble}
}

// drumsOf lists the drums that a percussion part plays.
func drumsOf(notes []*song.Event) []int {
	var out []int
	for _, e := range notes {
		out = append(out, e.Pitch())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// staffChord is a chord and its staff.
type staffChord struct {
	chord
	staff int
	feet  bool // a drum that is played by a foot
}

// playedByFoot reports whether a foot plays a drum; these drums have a voice of their
// own.
func playedByFoot(note int) bool { return note == 35 || note == 36 || note == 44 }

// chords rounds notes to the grid and groups those of a staff that start and end
// together. It sorts the chords by start, the longer first.
func (w *writer) chords(notes []*song.Event, staves []Clef, triplets [][]bool, lyrics map[int64]string) []staffChord {
	type key struct {
		staff, start, end int
		feet              bool
	}
	index := map[key]int{} // of chords with the latest start
	latest := -1
	out := make([]staffChord, 0, len(notes))
	heads := make([]Note, len(notes)) // backing for chords with one note, and for the first note of others
	starts := make([]int, len(notes))
	for i, e := range notes {
		starts[i] = w.round(e.Tick, triplets)
	}
	var drums drumOnsets
	if staves[0] == Percussion {
		drums = onsetsOf(notes, starts)
	}
	begins := func(at int) bool { _, found := slices.BinarySearch(starts, at); return found }
	spelled := w.song.SpelledAll(notes)
	for i, e := range notes {
		k := key{start: starts[i], end: w.round(e.Mate.Tick, triplets)}
		if len(staves) == 2 && e.Pitch() < middle {
			k.staff = 1
		}
		if last := &w.score.Bars[len(w.score.Bars)-1]; k.start >= last.at+last.Length {
			step := gridStep(triplets[len(triplets)-1], (last.Length-1)/Quarter)
			k.start = last.at + max(last.Length-step, 0) // it was rounded past the end of the piece
		}
		// A note held a little into the next one is loose playing, not a tie.
		for _, late := range []int{6, 8} {
			if k.end-late >= k.start+12 && begins(k.end-late) {
				k.end -= late
			}
		}
		if k.end <= k.start {
			k.end = w.after(k.start, triplets)
		}
		if staves[0] == Percussion {
			k.feet = playedByFoot(e.Pitch())
			k.end = w.drumEnd(k.start, drums[k.feet])
		}
		if k.start != latest {
			clear(index)
			latest = k.start
		}
		n, ok := index[k]
		if !ok {
			n = len(out)
			index[k] = n
			out = append(out, staffChord{chord{start: k.start, end: k.end, notes: heads[i : i : i+1]}, k.staff, k.feet})
		}
		c := &out[n]
		if slices.ContainsFunc(c.notes, func(n Note) bool { return n.MIDI == e.Pitch() }) {
			continue
		}
		if text := lyrics[e.Tick]; text != "" {
			c.lyric = text
			delete(lyrics, e.Tick)
		}
		c.notes = append(c.notes, Note{Pitch: spelled[i], MIDI: e.Pitch(), Velocity: e.Velocity()})
	}
	for i := range out {
		if len(out[i].notes) > 1 {
			slices.SortFunc(out[i].notes, func(a, b Note) int { return a.MIDI - b.MIDI })
		}
	}
	slices.SortStableFunc(out, func(a, b staffChord) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	return out
}

// drumOnsets are the starts of drum notes, in ascending order, by whether a foot plays them.
type drumOnsets map[bool][]int

func onsetsOf(notes []*song.Event, starts []int) drumOnsets {
	out := drumOnsets{}
	for i, e := range notes {
		out[playedByFoot(e.Pitch())] = append(out[playedByFoot(e.Pitch())], starts[i])
	}
	return out
}

// drumEnd returns where a drum note that is struck at start ends in the score, whatever
// its length in the file: at the next stroke of its voice or at the end of the beat.
// The sound of a drum does not depend on its length, and short notes and rests are hard
// to read.
func (w *writer) drumEnd(start int, onsets []int) int {
	b := &w.score.Bars[w.barOf(start)]
	beat := Quarter
	if b.Den == 8 && b.Num%3 == 0 {
		beat = Quarter * 3 / 2
	}
	end := min(b.at+((start-b.at)/beat+1)*beat, b.at+b.Length)
	if i, _ := slices.BinarySearch(onsets, start+1); i < len(onsets) {
		end = min(end, onsets[i])
	}
	return end
}

// voice is a sequence of chords that do not overlap.
type voice struct{ chords []chord }

func (v *voice) end() int {
	if len(v.chords) == 0 {
		return 0
	}
	return v.chords[len(v.chords)-1].end
}

// addTo adds a chord to the first voice that is free. If none is free, it joins a chord
// that starts at the same time, or else cuts short the chord that ends first.
func (c *staffChord) addTo(voices []*voice) []*voice {
	for _, v := range voices {
		if v.end() <= c.start {
			v.chords = append(v.chords, c.chord)
			return voices
		}
	}
	if len(voices) < maxVoices {
		return append(voices, &voice{chords: []chord{c.chord}})
	}
	first := voices[0]
	for _, v := range voices {
		last := &v.chords[len(v.chords)-1]
		if last.start == c.start {
			for _, n := range c.notes {
				if !slices.ContainsFunc(last.notes, func(o Note) bool { return o.MIDI == n.MIDI }) {
					last.notes = append(last.notes, n)
				}
			}
			slices.SortFunc(last.notes, func(a, b Note) int { return a.MIDI - b.MIDI })
			return voices
		}
		if v.end() < first.end() {
			first = v
		}
	}
	first.chords[len(first.chords)-1].end = c.start
	first.chords = append(first.chords, c.chord)
	return voices
}

// drum puts a stroke into the first voice, that of the hands, or into that of the feet.
func (c *staffChord) drum(voices []*voice) []*voice {
	n := 0
	if c.feet {
		n = 1
	}
	for len(voices) <= n {
		voices = append(voices, &voice{})
	}
	voices[n].chords = append(voices[n].chords, c.chord)
	return voices
}

// smooth lengthens chords that stop a little early, off the 16ths, up to the next
// chord: a short gap between notes is loose playing, not a rest.
func (v *voice) smooth(bars []Bar) {
	b := 0
	for i := range v.chords {
		c := &v.chords[i]
		for b+1 < len(bars) && bars[b+1].at < c.end {
			b++
		}
		if off := c.end - bars[b].at; off%12 == 0 || off%16 == 0 {
			continue
		}
		next := bars[b].at + bars[b].Length
		if i+1 < len(v.chords) {
			next = min(next, v.chords[i+1].start)
		}
		if gap := next - c.end; gap > 0 && gap <= 12 && 2*gap <= c.end-c.start {
			c.end = next
		}
	}
}
