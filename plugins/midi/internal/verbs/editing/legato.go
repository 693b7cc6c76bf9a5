package editing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var legatoVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "legato @SEL… [gap:DUR]",
	Brief:    "legato @SEL… [gap:DUR]",
	Summary:  "each note lasts until the next of those named on its track and channel starts, less gap:",
	Examples: []string{"legato @track:Piano", "legato @track:Piano @range:1-4 gap:ticks:10"},
}, Run: func(c *ctx, a pdk.Args) error {
	notes := pdk.Must(targetNotes(c, a, 0))
	gap := int64(0)
	if a.Has("gap") {
		gap = pdk.Must(args.Length(c, a, "gap", "64th", notes[0].Track, 0))
	}
	type voice struct {
		track   song.TrackID
		channel int
	}
	type start struct{ at, next int64 }
	following := make([]int64, len(notes)) // start of the next note, -1 after the last
	heard := map[voice]start{}
	for i := len(notes) - 1; i >= 0; i-- {
		e := notes[i]
		v := voice{e.Track.ID, e.Channel()}
		h, ok := heard[v]
		if !ok {
			h = start{e.Tick, -1}
		}
		if e.Tick != h.at {
			h = start{e.Tick, h.at}
		}
		heard[v], following[i] = h, h.next
	}
	n := pdk.Must(reshape(c, notes, func(i int, e *song.Event) span {
		if next := following[i]; next >= 0 {
			return span{e.Tick, max(e.Tick+1, next-gap)}
		}
		return span{e.Tick, e.Mate.Tick}
	}, "Legato"))
	if n == 0 {
		return pdk.Unchanged("these notes are already joined")
	}
	c.Changed("Legato for %s, %d changed", pdk.Count(len(notes), "note"), n)
	return nil
}}
