package song

import (
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Sums holds totals of a track's events, or of several tracks'.
type Sums struct {
	Kinds       []KindCount // of elements, in order of first occurrence
	Velocities  int         // sum over the notes
	Softest     int         // the lowest, 0 without notes
	Loudest     int
	Classes     [12]int64 // how long each pitch class sounds, in ticks, without drums
	Low, High   *Event    // the first of the lowest and of the highest notes, without drums, or nil
	First, Last int64     // from the first note's start to the last note's end, in ticks; -1 and 0 without notes
	channels    uint32    // bit n is channel n
}

// KindCount is the number of events of a kind.
type KindCount struct {
	Kind Kind
	N    int
}

// Channels lists the channels of the messages, 1-16.
func (s *Sums) Channels() []int {
	var out []int
	for c := 1; c <= 16; c++ {
		if s.channels>>c&1 != 0 {
			out = append(out, c)
		}
	}
	return out
}

// Sums returns the totals of the track's events. It reads only the blocks that changed
// since the last call.
func (t *Track) Sums() Sums {
	all := Sums{First: -1}
	for _, b := range t.events.blocks {
		if b.sums == nil {
			b.sums = t.events.sum(b)
		}
		all.Add(b.sums)
	}
	return all
}

// Add adds the totals of later events to s.
func (s *Sums) Add(o *Sums) {
	for _, k := range o.Kinds {
		s.add(k.Kind, k.N)
	}
	s.Velocities += o.Velocities
	s.louder(o.Softest, o.Loudest)
	for pc, n := range o.Classes {
		s.Classes[pc] += n
	}
	s.channels |= o.channels
	if o.Low != nil && (s.Low == nil || o.Low.Pitch() < s.Low.Pitch()) {
		s.Low = o.Low
	}
	if o.High != nil && (s.High == nil || o.High.Pitch() > s.High.Pitch()) {
		s.High = o.High
	}
	if s.First < 0 {
		s.First = o.First
	}
	s.Last = max(s.Last, o.Last)
}

func (s *Sums) louder(softest, loudest int) {
	if s.Softest == 0 || softest > 0 && softest < s.Softest {
		s.Softest = softest
	}
	s.Loudest = max(s.Loudest, loudest)
}

func (s *Sums) add(kind Kind, n int) {
	i := slices.IndexFunc(s.Kinds, func(k KindCount) bool { return k.Kind == kind })
	if i < 0 {
		i = len(s.Kinds)
		s.Kinds = append(s.Kinds, KindCount{Kind: kind})
	}
	s.Kinds[i].N += n
}

func (l *list) sum(b *block) *Sums {
	s := &Sums{First: -1}
	for i := range b.ids {
		e := l.at(b, i)
		s.channels |= 1 << e.Channel()
		if !e.IsElement() {
			continue
		}
		s.add(e.Kind(), 1)
		if !e.IsNote() {
			continue
		}
		s.Velocities += e.Velocity()
		s.louder(e.Velocity(), e.Velocity())
		if s.First < 0 {
			s.First = e.Tick
		}
		s.Last = max(s.Last, e.Mate.Tick)
		if e.Channel() == theory.DrumChannel {
			continue
		}
		s.Classes[e.Pitch()%12] += e.Length()
		if s.Low == nil || e.Pitch() < s.Low.Pitch() {
			s.Low = e
		}
		if s.High == nil || e.Pitch() > s.High.Pitch() {
			s.High = e
		}
	}
	return s
}
