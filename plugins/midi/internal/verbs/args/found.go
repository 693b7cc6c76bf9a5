package args

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Describe prints what events are: one by its content and place, several by their
// number of each kind.
func Describe(c *ctx, found []*song.Event) string {
	if len(found) == 1 {
		e := found[0]
		return c.Model.Say(e) + " on " + c.Model.Name(e.Track) + " at " + c.Model.At(e.Track, e.Tick)
	}
	return DescribeKinds(found)
}

// DescribeKinds counts events by their kinds.
func DescribeKinds(found []*song.Event) string {
	var kinds []song.Kind
	count := map[song.Kind]int{}
	for _, e := range found {
		k := e.Kind()
		if count[k]++; count[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	return strings.Join(pdk.Map(kinds, func(k song.Kind) string {
		if k == song.KindNote {
			return pdk.Count(count[k], "note")
		}
		return strconv.Itoa(count[k]) + " " + string(k)
	}), ", ")
}

// Refs returns the ids of events.
func Refs(found []*song.Event) []string { return pdk.Map(found, (*song.Event).Ref) }

func Earliest(found []*song.Event) int64 {
	first := found[0].Tick
	for _, e := range found {
		first = min(first, e.Tick)
	}
	return first
}

func Latest(found []*song.Event) int64 {
	var last int64
	for _, e := range found {
		last = max(last, e.Tick)
		if e.Mate != nil {
			last = max(last, e.Mate.Tick)
		}
	}
	return last
}

// PitchedNotes returns the notes that are not drums.
func PitchedNotes(notes []*song.Event) []*song.Event {
	return pdk.Filter(notes, func(e *song.Event) bool { return e.Channel() != theory.DrumChannel })
}
