package theory

// The chords that harmonize a melody, the most likely first: triads of the key and, in
// minor, the dominant with the leading note.
var (
	majorDegrees = []string{"I", "V", "IV", "vi", "ii", "iii"}
	minorDegrees = []string{"i", "V", "iv", "VI", "VII", "III"}
)

// follows rates how well one degree of a key (0 is the first of the list above) follows
// another; falling fifths are best.
var follows = [6][6]float64{
	{-0.1, 0.2, 0.2, 0.2, 0.15, 0.05},
	{0.4, -0.1, 0, 0.2, -0.1, 0},
	{0.25, 0.3, -0.1, 0, 0.15, 0},
	{0, 0.1, 0.25, -0.1, 0.3, 0.05},
	{0, 0.4, 0.05, 0, -0.1, 0},
	{0, 0, 0.2, 0.3, 0, -0.1},
}

// Accompany chooses a chord of the key for each step of a melody, given as the amount
// of each pitch class. The chords contain the melody's notes and follow one another
// well, from the tonic to the tonic if the melody allows. A step without notes has no
// chord.
func Accompany(melody [][12]float64, k Key) []*Chord {
	names := majorDegrees
	if k.Minor {
		names = minorDegrees
	}
	chords := make([]Chord, len(names))
	sets := make([]Classes, len(names))
	for i, n := range names {
		chords[i], _ = ParseRoman(n, k)
		for _, p := range chords[i].Voice(4, 0) {
			sets[i] |= ClassesOf(p.Number())
		}
	}
	out := make([]*Chord, len(melody))
	came := make([][]int, len(melody))
	score := make([]float64, len(names))
	var steps []int // steps with notes
	for i, w := range melody {
		if w != [12]float64{} {
			steps = append(steps, i)
		}
	}
	for n, i := range steps {
		next := make([]float64, len(names))
		came[i] = make([]int, len(names))
		var total float64
		for _, w := range melody[i] {
			total += w
		}
		for j := range names {
			fit := 0.0
			for pc, w := range melody[i] {
				if sets[j]>>pc&1 == 1 {
					fit += 2 * w / total
				}
			}
			if j == 0 && (n == 0 || n == len(steps)-1) {
				fit += 0.8
			}
			best := 0
			for b := range names {
				if n > 0 && score[b]+follows[b][j] > score[best]+follows[best][j] {
					best = b
				}
			}
			came[i][j], next[j] = best, fit-0.02*float64(j)
			if n > 0 {
				next[j] += score[best] + follows[best][j]
			}
		}
		score = next
	}
	at := 0
	for j := range score {
		if score[j] > score[at] {
			at = j
		}
	}
	for n := len(steps) - 1; n >= 0; n-- {
		c := chords[at]
		out[steps[n]] = &c
		at = came[steps[n]][at]
	}
	return out
}
