package editing

import (
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var swingVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "swing PERCENT @SEL… [grid:DUR]",
	Brief:    "swing PERCENT @SEL… [grid:]",
	Summary:  "put the second of each two steps of grid: (eighths) at PERCENT of their time (50 is straight, 67 triplets), whatever swing it has; notes around it move in proportion, triplets stay",
	Examples: []string{"swing 62 @track:Drums", "swing 58 @all grid:16th"},
}, Run: func(c *ctx, a pdk.Args) error {
	percent, err := args.SwingArg(a.Text(0))
	if err != nil {
		return args.InsteadAt(err, a, 0, near.Number(a.Text(0), 20, 80)...)
	}
	notes := pdk.Must(targetNotes(c, a, 1))
	grid := pdk.Must(args.Grid(c, a, "eighth", notes[0].Track))
	s := args.NewSwing(c, grid, percent, notes)
	before := startsOf(notes)
	n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
		return span{s.Place(e.Track, e.Tick), s.Place(e.Track, e.Mate.Tick)}
	}, "Swing "+strconv.Itoa(percent)))
	if n == 0 {
		return pdk.Unchanged("no note is at a place where %d percent of swing would move it", percent)
	}
	c.Changed("Swing %d%% for %s, %d moved", percent, pdk.Count(len(notes), "note"), countMoved(notes, before))
	return nil
}}
