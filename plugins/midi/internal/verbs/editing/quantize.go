package editing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// endsKey makes quantize move the ends of notes, too.
var endsKey = value.Key[bool]{Name: "ends", Type: value.Bool}

var quantizeVerb = verb{Keys: []pdk.Parameter{args.StrengthKey, endsKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "quantize @SEL… [grid:DUR] [strength:1-100] [ends:true]",
	Brief:    "quantize @SEL… [grid:16th strength:]",
	Summary:  "move starts to the nearest line of grid: (16th), counted from each bar; strength: percent of the way; lengths stay unless ends:true",
	Examples: []string{"quantize @track:Piano grid:eighth", "quantize @all grid:16th strength:60 ends:true"},
}, Run: func(c *ctx, a pdk.Args) error {
	notes := pdk.Must(targetNotes(c, a, 0))
	grid := pdk.Must(args.Grid(c, a, "16th", notes[0].Track))
	strength, ends := args.StrengthKey.Of(a), endsKey.Of(a)
	pull := func(t *song.Track, tick int64) int64 {
		return tick + args.RoundDiv((grid.Nearest(c, t, tick)-tick)*int64(strength), 100)
	}
	n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
		s := span{start: pull(e.Track, e.Tick)}
		s.end = s.start + e.Length()
		if ends {
			if s.end = pull(e.Track, e.Mate.Tick); s.end <= s.start {
				s.end = s.start + max(1, grid.Line(1))
			}
		}
		return s
	}, "Quantize to "+a.String("grid", "16th")))
	if n == 0 {
		return pdk.Unchanged("every note is already on the grid of %s", a.String("grid", "16th"))
	}
	c.Changed("Quantized %d of %s to %s", n, pdk.Count(len(notes), "note"), a.String("grid", "16th"))
	return nil
}}
