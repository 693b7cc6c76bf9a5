package theory

// Span is what sounds in one step of time, such as a beat: for each pitch class
// how much of it, in any unit, and the lowest note (-1 when nothing sounds).
type Span struct {
	Weight [12]float64
	Bass   int
}

// Harmony is a chord over a run of steps. Chord is nil where nothing sounds or
// no chord fits.
type Harmony struct {
	From, To int // steps, To not included
	Chord    *Chord
}

// What a step counts for a chord: its notes that the chord has, less those it
// has not, less a little for each note of the chord that is missing, and for
// each note beyond three. Changing the chord costs as much as half a step of
// foreign notes, so that a passing note makes no chord of its own.
const (
	foreign   = 1.2
	missing   = 0.12
	rooted    = 0.12
	elaborate = 0.05
	change    = 0.5
)

// Harmonize finds the chords of a passage: the row of chords that explains its
// steps best, by dynamic programming over all templates (Viterbi). Chords that
// sound whole are named by all their notes. The time is steps times templates.
func Harmonize(spans []Span, k Key) []Harmony {
	templates := Templates()
	n := len(templates)
	came := make([]int16, len(spans)*n) // the template of the step before, -1 for the best of all
	best := make([]int, len(spans))     // the best template of each step's paths
	score, next := make([]float64, n), make([]float64, n)
	for i := range spans {
		s := &spans[i]
		var total float64
		for _, w := range s.Weight {
			total += w
		}
		top := 0
		if i > 0 {
			top = best[i-1]
		}
		for j := range templates {
			t := &templates[j]
			fit := 0.0
			if total > 0 {
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
				fit -= elaborate * float64(max(size-3, 0))
				fit -= 0.0004 * float64(j/12) // of equals the likelier
			}
			from := int16(j)
			before := score[j]
			if i > 0 && score[top]-change > before {
				from, before = int16(top), score[top]-change
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
	var out []Harmony
	for i := 0; i < len(spans); {
		to := i + 1
		for to < len(spans) && path[to] == path[i] && (spans[to].Bass >= 0) == (spans[i].Bass >= 0) {
			to++
		}
		h := Harmony{From: i, To: to, Chord: name(templates, path[i], spans[i:to], k)}
		i = to
		if last := len(out) - 1; last >= 0 && same(out[last].Chord, h.Chord) {
			out[last].To = h.To
			continue
		}
		out = append(out, h)
	}
	return out
}

// name is the chord of a run: by all its notes when they make one, else the
// template that was found, if most of what sounds belongs to it.
func name(templates []Template, found int, run []Span, k Key) *Chord {
	if run[0].Bass < 0 {
		return nil
	}
	var notes Classes
	bass := run[0].Bass
	var inside, total float64
	t := &templates[found]
	for i := range run {
		for pc, w := range run[i].Weight {
			total += w
			if w > 0 {
				notes |= 1 << pc
			}
			if t.Classes>>pc&1 == 1 {
				inside += w
			}
		}
	}
	if c, ok := Identify(templates, notes, bass, k); ok {
		return &c
	}
	if notes.Len() < 2 || inside < 0.6*total {
		return nil
	}
	under := t.Root
	if t.Classes>>(bass%12)&1 == 1 {
		under = bass % 12
	}
	c := t.chord(under, k)
	return &c
}

func same(a, b *Chord) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.String() == b.String()
}
