package song

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
)

// Meter counts bars and beats under any sequence of time signatures. A
// signature that comes inside a bar ends that bar early.
type Meter struct {
	Changes []Signature // never empty; the first is at tick 0
	ppq     int64
}

// Signature is a time signature and where it starts.
type Signature struct {
	Tick     int64
	Bar      int // number of its first bar, from 1
	Num, Den int
}

func newMeter(ppq int64, marks []*Event) *Meter {
	m := &Meter{Changes: []Signature{{Bar: 1, Num: 4, Den: 4}}, ppq: ppq}
	for _, e := range marks {
		num, den := int(e.Payload[0]), 1<<e.Payload[1]
		last := &m.Changes[len(m.Changes)-1]
		if e.Tick == last.Tick {
			last.Num, last.Den = num, den
			continue
		}
		bar, beat, sub := m.Locate(e.Tick)
		if beat > 1 || sub > 0 {
			bar++
		}
		m.Changes = append(m.Changes, Signature{e.Tick, bar, num, den})
	}
	return m
}

// equal reports whether two meters, which may be nil, count in the same way.
func (m *Meter) equal(o *Meter) bool {
	if m == nil || o == nil {
		return m == o
	}
	return m.ppq == o.ppq && slices.Equal(m.Changes, o.Changes)
}

// beats returns the tick of beat n (from 0) from the start of g, rounded down if a beat
// is not a whole number of ticks.
func (m *Meter) beats(g *Signature, n int64) int64 { return g.Tick + n*m.ppq*4/int64(g.Den) }

// at returns the signature in force at tick.
func (m *Meter) at(tick int64) *Signature {
	i := sort.Search(len(m.Changes), func(i int) bool { return m.Changes[i].Tick > tick })
	return &m.Changes[i-1]
}

// At returns the signature in force at tick.
func (m *Meter) At(tick int64) Signature { return *m.at(tick) }

// Locate returns the bar and beat (from 1) of a tick, and the ticks past the beat.
func (m *Meter) Locate(tick int64) (bar, beat int, sub int64) {
	g := m.at(tick)
	d := tick - g.Tick
	// The last beat k with k*ppq*4/den (rounded down) <= d.
	k := ((d+1)*int64(g.Den)+m.ppq*4-1)/(m.ppq*4) - 1
	return g.Bar + int(k)/g.Num, int(k)%g.Num + 1, tick - m.beats(g, k)
}

// inBar returns the index of the signature in force in a bar.
func (m *Meter) inBar(bar int) (i int) {
	return sort.Search(len(m.Changes), func(i int) bool { return m.Changes[i].Bar > bar }) - 1
}

// BarTick returns the tick at which a bar (from 1) starts.
func (m *Meter) BarTick(bar int) int64 {
	g := &m.Changes[m.inBar(bar)]
	return m.beats(g, int64(bar-g.Bar)*int64(g.Num))
}

// Tick returns the tick of a bar and beat (from 1) and ticks past it. It returns an
// error if the bar has no such beat, or the beat no such tick.
func (m *Meter) Tick(bar, beat int, sub int64) (int64, error) {
	if bar < 1 || beat < 1 {
		return 0, pdk.Errorf("position %d.%d: bars and beats count from 1", bar, beat)
	}
	i := m.inBar(bar)
	g := &m.Changes[i]
	if beat > g.Num {
		return 0, pdk.Errorf("position %d.%d: bar %d has %s (%d/%d)", bar, beat, bar, pdk.Count(g.Num, "beat"), g.Num, g.Den)
	}
	n := int64(bar-g.Bar)*int64(g.Num) + int64(beat-1)
	if n > smf.MaxTick {
		return 0, pdk.Errorf("position %d.%d is beyond the longest song a file can hold", bar, beat)
	}
	tick := m.beats(g, n) + sub
	if tick > smf.MaxTick {
		return 0, pdk.Errorf("position %d.%d is beyond the longest song a file can hold", bar, beat)
	}
	if next := m.beats(g, n+1); sub < 0 || tick >= next {
		return 0, pdk.Errorf("position %d.%d.%d: a beat has %d ticks here, 0 to %d", bar, beat, sub, next-m.beats(g, n), next-m.beats(g, n)-1)
	}
	if i+1 < len(m.Changes) && tick >= m.Changes[i+1].Tick {
		return 0, pdk.Errorf("position %d.%d: bar %d is cut short by the time signature that follows", bar, beat, bar)
	}
	return tick, nil
}

// BarEnd returns the tick at which the bar of a tick ends.
func (m *Meter) BarEnd(tick int64) int64 {
	bar, _, _ := m.Locate(tick)
	return m.BarTick(bar + 1)
}

// BeatEnd returns the tick at which the beat of a tick ends.
func (m *Meter) BeatEnd(tick int64) int64 {
	g := m.at(tick)
	bar, beat, _ := m.Locate(tick)
	end := m.beats(g, int64(bar-g.Bar)*int64(g.Num)+int64(beat))
	return min(end, m.BarTick(bar+1))
}

// Bars returns the number of bars that begin before tick.
func (m *Meter) Bars(tick int64) int {
	if tick <= 0 {
		return 0
	}
	bar, _, _ := m.Locate(tick - 1)
	return bar
}

// Filled returns how many bars music fills that ends at end and whose last note starts
// at start. A note that sounds a 32nd or less into a bar without note starts does not
// count for that bar: players release late.
func (m *Meter) Filled(start, end int64) int {
	return max(m.Bars(start+1), m.Bars(end-m.ppq/8))
}

// SignaturePayload returns the payload of a time signature event. The metronome clicks
// on the beat, in compound time on the dotted beat.
func SignaturePayload(num, den int) []byte {
	clocks := 96 / den
	if den >= 8 && num > 3 && num%3 == 0 {
		clocks *= 3
	}
	return []byte{byte(num), byte(bits.TrailingZeros(uint(den))), byte(max(clocks, 1)), 8}
}
