package score

import (
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// turn is how far, in velocity, the mean of a bar must be from the last dynamic that
// was printed to print another one. It is most of a step, because players vary.
const turn = 12

// dynamics returns for each bar its dynamic where it changes, else "".
func (w *writer) dynamics(notes []*song.Event) []string {
	sum, count := make([]int, len(w.score.Bars)), make([]int, len(w.score.Bars))
	for _, e := range notes {
		i := w.bar(e.Tick)
		sum[i] += e.Velocity()
		count[i]++
	}
	out := make([]string, len(w.score.Bars))
	printed := -2 * turn
	for i := range out {
		if count[i] == 0 {
			continue
		}
		mean := sum[i] / count[i]
		if mean > printed-turn && mean < printed+turn {
			continue
		}
		d := dynamic(mean)
		if d.Velocity != printed {
			out[i], printed = d.Name, d.Velocity
		}
	}
	return out
}

// dynamic returns the marking, other than sfz, whose velocity is nearest.
func dynamic(velocity int) theory.Dynamic {
	far := func(d theory.Dynamic) int { return max(d.Velocity-velocity, velocity-d.Velocity) }
	best := theory.Dynamics()[0]
	for _, d := range theory.Dynamics() {
		if d.Name != "sfz" && far(d) < far(best) {
			best = d
		}
	}
	return best
}
