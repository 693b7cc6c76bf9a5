package song

import (
	"fmt"
	"slices"
	"strings"
)

// silence is the empty bars of a track, a list for each block.
type silence struct {
	bars   int
	gaps   [][][2]int
	behind [][]ID
}

// silenceOf lists the empty bars of a track between bars that play.
func (s *Song) silenceOf(t *Track) (out silence) {
	meter, err := s.Meter(t)
	if t.notes == 0 || err != nil {
		return out
	}
	s.examine(t, meter)
	if out.bars = t.facts.silent; out.bars == 0 {
		return out
	}
	for _, b := range t.events.blocks {
		if len(b.facts.gaps) > 0 {
			out.gaps, out.behind = append(out.gaps, b.facts.gaps), append(out.behind, b.facts.behind)
		}
	}
	return out
}

// maxTogether is how many tracks a line about the same bars lists.
const maxTogether = 3

// Watch records the bars that are empty now. The function that it returns reports, when
// it is called later, the bars that have become empty since. It reports only tracks
// that already had empty bars, because Troubles reports the first ones of a track. It
// does not report bars that have only moved, which it recognises by the note after
// them.
func (s *Song) Watch() func() []string {
	before := map[TrackID]silence{}
	for _, t := range s.Music() {
		if now := s.silenceOf(t); now.bars > 0 {
			before[t.ID] = now
		}
	}
	if len(before) == 0 {
		return func() []string { return nil }
	}
	return func() (out []string) {
		var where []string // keys of tracks, in order
		tracks := map[string][]string{}
		for _, t := range s.Music() {
			was, ok := before[t.ID]
			if !ok {
				continue
			}
			now := s.silenceOf(t)
			if now.bars <= was.bars {
				continue
			}
			known := map[ID]int{}
			for i, gaps := range was.gaps {
				for k, g := range gaps {
					known[was.behind[i][k]] = g[1] - g[0] + 1
				}
			}
			var fresh [][2]int
			for i, gaps := range now.gaps {
				for k, g := range gaps {
					if g[1]-g[0]+1 > known[now.behind[i][k]] {
						fresh = append(fresh, g)
					}
				}
			}
			if len(fresh) == 0 {
				continue
			}
			bars := Bars(printRuns(fresh[:min(len(fresh), maxRuns)], len(fresh)))
			if tracks[bars] == nil {
				where = append(where, bars)
			}
			tracks[bars] = append(tracks[bars], Brief(s.Name(t), 60))
		}
		for _, bars := range where {
			names := tracks[bars]
			if more := len(names) - maxTogether; more > 0 {
				names = append(slices.Clone(names[:maxTogether]), fmt.Sprintf("%d more tracks", more))
			}
			out = append(out, strings.Join(names, ", ")+": empty at "+bars)
		}
		return out
	}
}
