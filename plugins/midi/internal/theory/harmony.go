package theory

import (
	"math"
	"slices"
)

// Span is what sounds in one step of time, such as a beat: the amount of each pitch
// class, in any unit, and the lowest note (-1 if nothing sounds).
type Span struct {
	Weight [12]float64
	Bass   int
	Bar    bool // a bar starts with it, where a chord change is more likely
	Struck bool // everything that sounds starts with it
	Chord  bool // two pitch classes sound in it at the same time
}

// Harmony is a chord over a run of steps within one bar, if bars are marked. Chord is
// nil if nothing sounds or no chord fits.
type Harmony struct {
	From, To int // steps, To not included
	Chord    *Chord
	Sure     float64 // the share of what sounds that belongs to the chord, 0-1
}

// Weights for the fit of a chord to a step: the amount of its notes that are in the
// chord, minus that of foreign notes, minus a little for each chord note that is
// missing, and for each note beyond three, more beyond four. A chord change costs as
// much as half a step of foreign notes, so that a passing note does not make a chord of
// its own; it costs less for a chord that is struck anew over its root after the bass
// has moved, and little at the start of a bar.
const (
	foreign   = 1.2
	missing   = 0.12
	rooted    = 0.12
	elaborate = 0.05
	rich      = 0.1
	change    = 0.5
	struck    = 0.25
	barChange = 0.1
)

// passing is the least amount of a note in a run, relative to the note with the largest
// amount, for it to count for the chord's name.
const passing = 0.3

// broken lists the chords that players break into single notes. A sequence of notes of
// another chord is more likely a melody.
var broken = []string{"maj", "min", "dim", "7", "maj7", "m7", "dim7", "m7b5"}

// Harmonize finds the chords of a passage: the sequence of chords that explains its
// steps best, by dynamic programming over all templates (Viterbi). Chords whose notes
// all sound are named by their notes. The time is proportional to steps times
// templates.
func Harmonize(spans []Span, k Key) []Harmony {
	templates := Templates()
	n := len(templates)
	came := make([]int16, len(spans)*n) // the template of the step before, -1 for the best one
	best := make([]int, len(spans))     // the best template at each step
	score, next := make([]float64, n), make([]float64, n)
	for i := range spans {
		s := &spans[i]
		var total float64
		var sounding Classes
		for pc, w := range s.Weight {
			total += w
			if w > 0 {
				sounding |= 1 << pc
			}
		}
		moved := i > 0 && s.Struck && s.Bass >= 0 && spans[i-1].Bass >= 0 && s.Bass%12 != spans[i-1].Bass%12
		top := 0
		if i > 0 {
			top = best[i-1]
		}
		for j := range templates {
			t := &templates[j]
			fit := s.fit(t, total, j/12)
			from := int16(j)
			before := score[j]
			cost := change
			switch {
			case s.Bar:
				cost = barChange
			case moved && s.Bass%12 == t.Root && t.Classes&^sounding == 0:
				cost = struck
			}
			if i > 0 && score[top]-cost > before {
				from, before = int16(top), score[top]-cost
			}
			came[i*n+j], next[j] = from, before+fit
		}
		score, next = next, score
		for j := range score {
			if score[j] > score[best[i]] {
				best[i] = j
			}
		}
	}
	path := make([]int, len(spans))
	for i := len(spans) - 1; i >= 0; i-- {
		if i == len(spans)-1 {
			path[i] = best[i]
		} else {
			path[i] = int(came[(i+1)*n+path[i+1]])
		}
	}
	return joinRuns(templates, path, spans, k)
}

// fit returns how well a chord fits what sounds in the span, whose weights sum to total. Of
// chords that fit equally well, the one with the lower rank wins.
func (s *Span) fit(t *Template, total float64, rank int) (fit float64) {
	if total == 0 {
		return 0
	}
	size := t.Classes.Len()
	for pc, w := range s.Weight {
		switch {
		case t.Classes>>pc&1 == 0:
			fit -= foreign * w / total
		case w > 0:
			fit += w / total
		default:
			fit -= missing
		}
	}
	if s.Bass >= 0 && s.Bass%12 == t.Root {
		fit += rooted
	}
	fit -= elaborate*float64(max(size-3, 0)) + rich*float64(max(size-4, 0))
	return fit - 0.0004*float64(rank)
}

// joinRuns names the chord of each run of spans that have the same template in path, and
// joins runs of one bar that have the same chord.
func joinRuns(templates []Template, path []int, spans []Span, k Key) []Harmony {
	var out []Harmony
	for i := 0; i < len(spans); {
		to := i + 1
		for to < len(spans) && path[to] == path[i] && (spans[to].Bass >= 0) == (spans[i].Bass >= 0) && !spans[to].Bar {
			to++
		}
		h := Harmony{From: i, To: to}
		h.Chord, h.Sure = nameRun(templates, path[i], spans[i:to], k)
		if h.Chord != nil && !slices.ContainsFunc(spans[i:to], func(s Span) bool { return s.Chord }) && !slices.Contains(broken, h.Chord.Quality) {
			h.Sure /= 2
		}
		bar := spans[i].Bar
		i = to
		if last := len(out) - 1; last >= 0 && !bar && sameChord(out[last].Chord, h.Chord) {
			out[last].Sure = (out[last].Sure*float64(out[last].To-out[last].From) + h.Sure*float64(h.To-h.From)) / float64(h.To-out[last].From)
			out[last].To = h.To
			continue
		}
		out = append(out, h)
	}
	return out
}

// nameRun returns the chord of a run, and the share of the run that belongs to it. It tries
// the notes without passing ones, then all notes, then the template that was found, which
// must explain most of the sounding time.
func nameRun(templates []Template, found int, run []Span, k Key) (*Chord, float64) {
	if run[0].Bass < 0 {
		return nil, 0
	}
	var weight [12]float64
	low, most := 127, 3 // most classes in one step: a sequence of notes does not make a chord of many
	for i := range run {
		n := 0
		low = min(low, run[i].Bass)
		for pc, w := range run[i].Weight {
			weight[pc] += w
			n += min(1, int(math.Ceil(w)))
		}
		most = max(most, n)
	}
	// The bass is the lowest note at the start of the run, unless it merely passes.
	bass := run[0].Bass
	if weight[bass%12] < passing*weight[low%12] {
		bass = low
	}
	loudest := slices.Max(weight[:])
	var all, kept Classes
	for pc, w := range weight {
		if w > 0 {
			all |= 1 << pc
		}
		if w >= passing*loudest {
			kept |= 1 << pc
		}
	}
	inside := func(set Classes) float64 {
		var in, total float64
		for pc, w := range weight {
			total += w
			if set>>pc&1 == 1 {
				in += w
			}
		}
		return in / total
	}
	if kept.Len() < 3 {
		kept = all
	}
	for _, notes := range []Classes{kept, all} {
		if notes>>(bass%12)&1 == 0 || notes.Len() > most+1 {
			continue
		}
		if c, ok := Identify(templates, notes, bass, k); ok {
			return &c, inside(notes)
		}
	}
	t := &templates[found]
	sure := inside(t.Classes)
	if all.Len() < 2 || sure < 0.6 || t.Classes.Len() > most+1 || (all&t.Classes).Len() < min(t.Classes.Len(), 3) {
		return nil, 0
	}
	under := t.Root
	if t.Classes>>(bass%12)&1 == 1 {
		under = bass % 12
	}
	c := t.chord(under, k)
	return &c, sure
}

func sameChord(a, b *Chord) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.String() == b.String()
}
