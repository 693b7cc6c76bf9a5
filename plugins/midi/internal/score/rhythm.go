package score

import (
	"math"
	"slices"
	"sort"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// triplets finds the quarters of each bar in which notes start on thirds: a flag for
// each whole quarter of each bar. It compares the distances of the starts from 32nds
// with those from triplets. The rarer half of each grid counts as a little off.
func (w *writer) triplets(notes []*song.Event) [][]bool {
	out := make([][]bool, len(w.score.Bars))
	from := make([]int, len(out)+1) // index of the first beat of each bar among all beats
	for i := range out {
		from[i+1] = from[i] + w.score.Bars[i].Length/Quarter
	}
	all, straight, thirds := make([]bool, from[len(out)]), make([]float64, from[len(out)]), make([]float64, from[len(out)])
	for _, e := range notes {
		i := w.bar(e.Tick)
		at := w.units(e.Tick - w.score.Bars[i].tick)
		beat := int(at / Quarter)
		at -= float64(beat * Quarter)
		if beat += from[i]; beat < from[i+1] {
			straight[beat] += distance(at, 6)
			thirds[beat] += distance(at, 8)
		}
	}
	for beat := range all {
		all[beat] = thirds[beat] < straight[beat]-0.5
	}
	for i := range out {
		out[i] = all[from[i]:from[i+1]]
	}
	return out
}

// distance returns how far a time is from a grid of step units. Odd grid points count
// as a little off.
func distance(at, step float64) float64 {
	n := math.Round(at / step)
	d := math.Abs(at - n*step)
	if int(n)%2 == 1 {
		d += 1.5
	}
	return d
}

// round returns the place of a tick on the grid, in units from the start of the piece.
func (w *writer) round(tick int64, triplets [][]bool) int {
	i := w.bar(tick)
	b := &w.score.Bars[i]
	at := w.units(tick - b.tick)
	beat := int(at / Quarter)
	step := float64(gridStep(triplets[i], beat))
	from := float64(beat * Quarter)
	return b.at + min(int(from+step*math.Round((at-from)/step)), b.Length)
}

// after returns the next place on the grid.
func (w *writer) after(at int, triplets [][]bool) int {
	i := w.barOf(at)
	b := &w.score.Bars[i]
	return min(at+gridStep(triplets[i], (at-b.at)/Quarter), b.at+b.Length)
}

// gridStep returns the step of the grid of a beat, in units: a 32nd or a triplet 16th.
func gridStep(triplets []bool, beat int) int {
	if beat < len(triplets) && triplets[beat] {
		return 8
	}
	return 6
}

// barOf returns the index of the bar that holds a time in units.
func (w *writer) barOf(at int) int {
	behind := sort.Search(len(w.score.Bars), func(i int) bool { return w.score.Bars[i].at > at })
	return max(behind-1, 0)
}

// bar writes the chords of a voice in a bar, starting with chord next. It returns the
// items and the first chord that lasts past the bar or starts after it. The items are
// allocated from room.
func (v *voice) bar(b *Bar, next int, triplets []bool, room *[]Item) ([]Item, int) {
	// The items of successive bars share one allocation: growing a slice for each bar
	// costs more.
	if cap(*room)-len(*room) < roomOfBar {
		*room = make([]Item, 0, 64*roomOfBar)
	}
	items := (*room)[len(*room):]
	end := b.at + b.Length
	at := b.at
	for next < len(v.chords) && v.chords[next].start < end {
		c := &v.chords[next]
		start := max(c.start, b.at)
		items = pieces(items, at-b.at, start-b.at, b, triplets, nil)
		stop := min(c.end, end)
		items = pieces(items, start-b.at, stop-b.at, b, triplets, c)
		at = stop
		if c.end > end {
			break
		}
		next++
	}
	if at == b.at {
		return []Item{{Length: b.Length, Whole: true, Value: Value{Den: 1}}}, next
	}
	items = pieces(items, at-b.at, b.Length, b, triplets, nil)
	if used := len(*room) + len(items); used <= cap(*room) && &items[0] == &(*room)[:used][len(*room)] {
		*room = (*room)[:used]
	}
	return markTriplets(items[:len(items):len(items)]), next
}

// roomOfBar is the number of items that are reserved for a bar of a voice; few bars
// have more.
const roomOfBar = 32

// values lists the lengths that one note or rest can have, longest first.
var values = [...]struct {
	length int
	Value
}{
	{288, Value{1, 1, false}}, {192, Value{1, 0, false}}, {144, Value{2, 1, false}}, {96, Value{2, 0, false}}, {72, Value{4, 1, false}},
	{48, Value{4, 0, false}}, {36, Value{8, 1, false}}, {24, Value{8, 0, false}}, {18, Value{16, 1, false}}, {12, Value{16, 0, false}},
	{9, Value{32, 1, false}}, {6, Value{32, 0, false}}, {3, Value{64, 0, false}},
}

var thirds = [...]struct {
	length int
	Value
}{{32, Value{4, 0, true}}, {16, Value{8, 0, true}}, {8, Value{16, 0, true}}}

// pieces appends the notes of c (or rests if c is nil) from one place of a bar to
// another, split into note values that are tied together.
func pieces(items []Item, from, to int, b *Bar, triplets []bool, c *chord) []Item {
	for at := from; at < to; {
		length, value := longestValue(at, to, triplets, c == nil)
		it := Item{At: at, Length: length, Value: value}
		if c != nil {
			if b.at+at == c.start {
				it.Lyric = c.lyric
			}
			it.Notes = c.notes
			if tieIn, tieOut := b.at+at > c.start, b.at+at+length < c.end; tieIn || tieOut {
				it.Notes = slices.Clone(c.notes)
				for i := range it.Notes {
					it.Notes[i].TieIn, it.Notes[i].TieOut = tieIn, tieOut
				}
			}
		}
		items = append(items, it)
		at += length
	}
	return items
}

// longestValue returns the longest value that may start at a place and ends no later than to.
func longestValue(at, to int, triplets []bool, rest bool) (int, Value) {
	beat := at / Quarter
	left := (beat+1)*Quarter - at // left of this quarter
	if beat < len(triplets) && triplets[beat] && (left < Quarter || to-at < Quarter) {
		for _, v := range thirds {
			if v.length <= min(left, to-at) {
				return v.length, v.Value
			}
		}
	}
	limit := to - at
	for q := beat + 1; q*Quarter < to && q < len(triplets); q++ {
		if triplets[q] {
			limit = min(limit, q*Quarter-at)
			break
		}
	}
	for _, v := range values {
		if v.length > limit {
			continue
		}
		// A value may cross a beat only if it starts on the beat or is one syncopated
		// note.
		across := v.length > left && at%Quarter != 0
		if across && (rest || v.length != limit || at%(Quarter/2) != 0) {
			continue
		}
		// Rests off the beat grow towards the beat: a 32nd, a 16th, an eighth.
		if rest && at%Quarter != 0 && at%v.length != 0 {
			continue
		}
		return v.length, v.Value
	}
	return limit, Value{Den: 64}
}

// markTriplets marks the items that open and close triplets. Each triplet fills a quarter.
func markTriplets(items []Item) []Item {
	for i := range items {
		it := &items[i]
		if it.Value.Triplet {
			it.First = it.At%Quarter == 0
			it.Last = (it.At+it.Length)%Quarter == 0
		}
	}
	return items
}
