package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// maxVoices is how many voices a player of General MIDI level 1 must have.
const maxVoices = 24

// maxFindings is how many places are listed for one finding.
const maxFindings = 6

// finding is one kind of mistake on a track, with its places.
type finding struct {
	what   string
	places []string
	more   int
}

func (f *finding) add(place string) {
	if len(f.places) < maxFindings {
		f.places = append(f.places, place)
	} else {
		f.more++
	}
}

func (f *finding) report(b *strings.Builder) int {
	if len(f.places) == 0 {
		return 0
	}
	fmt.Fprintf(b, "  %s: %s", f.what, strings.Join(f.places, ", "))
	if f.more > 0 {
		fmt.Fprintf(b, " and %d more", f.more)
	}
	b.WriteByte('\n')
	return len(f.places) + f.more
}

// showLint lists likely mistakes, track by track.
func showLint(v *view, a pdk.Args) (string, error) {
	s := v.Model
	tracks := s.Tracks()
	if a.Text(0) != "" {
		t := pdk.Must(namedTrack(v, a, 0))
		tracks = []*song.Track{t}
	}
	var out strings.Builder
	n := 0
	for _, t := range tracks {
		var b strings.Builder
		if k := lintTrack(&b, s, t); k > 0 {
			fmt.Fprintf(&out, "%s:\n%s", song.Brief(s.Name(t), 60), b.String())
			n += k
		}
	}
	if a.Text(0) == "" {
		for _, w := range s.Clashes() {
			fmt.Fprintf(&out, "%s\n", w)
			n++
		}
		for _, w := range rivals(s) {
			fmt.Fprintf(&out, "%s\n", w)
			n++
		}
		if most, at := voices(s); most > maxVoices {
			fmt.Fprintf(&out, "%d notes sound at once at %s; General MIDI players are only required to have %d voices\n", most, s.At(nil, at), maxVoices)
			n++
		}
	}
	if n == 0 {
		return "nothing found", nil
	}
	return fmt.Sprintf("%d found\n%s", n, out.String()), nil
}

// lintTrack prints the findings of a track and returns how many there are.
func lintTrack(b *strings.Builder, s *song.Song, t *song.Track) int {
	overlap := finding{what: "starts while the same pitch still sounds, which ends both"}
	hanging := finding{what: "never ends (a note-on without its note-off)"}
	stray := finding{what: "ends no note (a note-off without its note-on)"}
	empty := finding{what: "has no length"}
	outside := finding{}
	silent := finding{what: "empty bars"}
	hidden := finding{what: "holds what nobody sees"}
	var until [16][128]int64
	low, high, sound := 0, 127, ""
	if p := t.Program(); p != nil {
		low, high, _ = theory.Compass(int(p.A))
		sound = song.SoundName(int(p.A), 1)
	}
	m, _ := s.Meter(t)
	bar := 0 // the last bar with a note
	for e := range t.Events() {
		switch kind := e.Kind(); {
		case kind == song.KindNoteOn:
			hanging.add(s.PitchName(e) + " at " + s.At(t, e.Tick))
		case kind == song.KindNoteOff:
			stray.add(s.PitchName(e) + " at " + s.At(t, e.Tick))
		case kind.IsText():
			if said := pdk.Hidden(e.Text()); said != "" {
				hidden.add(fmt.Sprintf("%s at %s: %s", kind, s.At(t, e.Tick), said))
			}
		case kind != song.KindNote || !e.IsNote():
			continue
		}
		if !e.IsNote() {
			continue
		}
		place := s.PitchName(e) + " at " + s.At(t, e.Tick)
		end := &until[e.Channel()-1][e.Pitch()]
		if e.Tick < *end {
			overlap.add(place)
		}
		*end = max(*end, e.Mate.Tick)
		if e.Length() == 0 {
			empty.add(place)
		}
		if p := e.Pitch(); e.Channel() != theory.DrumChannel && (p < low || p > high) {
			outside.what = fmt.Sprintf("outside the range of %s (%s to %s)", sound, theory.Spell(low, theory.Key{}), theory.Spell(high, theory.Key{}))
			outside.add(place)
		}
		if m == nil {
			continue
		}
		first, _, _ := m.Locate(e.Tick)
		switch {
		case bar > 0 && first == bar+2:
			silent.add(fmt.Sprint(bar + 1))
		case bar > 0 && first > bar+2:
			silent.add(fmt.Sprintf("%d-%d", bar+1, first-1))
		}
		last, _, _ := m.Locate(max(e.Tick, e.Mate.Tick-1))
		bar = max(bar, last)
	}
	n := 0
	for _, f := range []*finding{&overlap, &hanging, &stray, &empty, &outside, &silent, &hidden} {
		n += f.report(b)
	}
	return n
}

// rivals finds controllers and bends that two tracks change on one channel during the
// same time.
func rivals(s *song.Song) (out []string) {
	if s.Format() == 2 {
		return nil
	}
	type knob struct{ status, number byte }
	type turn struct {
		track       *song.Track
		first, last int64
	}
	turns := map[knob][]turn{}
	for _, t := range s.Music() {
		mine := map[knob]turn{}
		for e := range t.Events() {
			k := knob{e.Status, e.A}
			switch {
			case e.Kind() == song.KindBend:
				k.number = 0
			case e.Kind() != song.KindCC:
				continue
			}
			now, there := mine[k]
			if !there {
				now = turn{t, e.Tick, e.Tick}
			}
			now.last = e.Tick
			mine[k] = now
		}
		for k, now := range mine {
			for _, before := range turns[k] {
				from, to := max(before.first, now.first), min(before.last, now.last)
				if from < to {
					what := "bend"
					if k.status&0xF0 == 0xB0 {
						what = "cc " + theory.ControllerName(int(k.number))
					}
					out = append(out, fmt.Sprintf("channel %d: %s and %s both turn %s from %s to %s", k.status&15+1,
						song.Brief(s.Name(before.track), 40), song.Brief(s.Name(t), 40), what, s.At(t, from), s.At(t, to)))
				}
			}
			turns[k] = append(turns[k], now)
		}
	}
	slices.Sort(out)
	return out
}

// voices returns the largest number of notes that sound at once, and where they first
// do.
func voices(s *song.Song) (most int, at int64) {
	if s.Format() == 2 {
		return 0, 0
	}
	var changes []change
	for _, t := range s.Music() {
		for e := range t.Events() {
			switch {
			case e.Mate == nil:
			case e.IsNote():
				changes = append(changes, change{e.Tick, 1})
			default:
				changes = append(changes, change{e.Tick, -1})
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return int(a.tick - b.tick) })
	now := 0
	for i := 0; i < len(changes); {
		tick := changes[i].tick
		for ; i < len(changes) && changes[i].tick == tick; i++ {
			now += changes[i].by
		}
		if now > most {
			most, at = now, tick
		}
	}
	return most, at
}

// change is the start or the end of a voice.
type change struct {
	tick int64
	by   int
}
