package judge

import (
	"bytes"
	"fmt"
	"slices"

	"gitlab.com/gomidi/midi/v2/smf"
)

// tempoFacts returns the mean tempo of each beat of a Standard MIDI File, whatever the tempo events in it, in quarters a minute, up to its
// last event:
//
//	bar 12 beat 3 bpm 96.4
func tempoFacts(data []byte) (facts []string, err error) {
	file, err := smf.ReadFrom(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	ppq, _ := file.TimeFormat.(smf.MetricTicks)
	if ppq == 0 {
		return nil, fmt.Errorf("it does not count in beats, but in %v", file.TimeFormat)
	}
	type change struct {
		tick int
		bpm  float64
	}
	changes, last := []change{{0, 120}}, 0
	for _, track := range file.Tracks {
		tick := 0
		for _, e := range track {
			tick += int(e.Delta)
			var bpm float64
			if e.Message.GetMetaTempo(&bpm) && bpm > 0 {
				changes = append(changes, change{tick, bpm})
			}
		}
		last = max(last, tick)
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.tick - b.tick })
	bars := newBars(file, int(ppq))
	for i, tick := 0, 0; tick < last; {
		m := bars.meter(tick)
		beat := max(m.beat, 1)
		end, minutes := tick+beat, 0.0
		for at := tick; at < end; {
			for i+1 < len(changes) && changes[i+1].tick <= at {
				i++
			}
			next := end
			if i+1 < len(changes) {
				next = min(next, changes[i+1].tick)
			}
			minutes += float64(next-at) / float64(ppq) / changes[i].bpm
			at = next
		}
		facts = append(facts, fmt.Sprintf("%s bpm %.1f", bars.at(tick), float64(beat)/float64(ppq)/minutes))
		tick = end
	}
	return facts, nil
}
