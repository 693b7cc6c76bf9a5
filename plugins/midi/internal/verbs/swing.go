package verbs

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func swingVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "swing", Category: "Edit", Syntax: "swing PERCENT @SEL… [grid:DUR]",
		Brief:   "swing PERCENT @SEL… [grid:]",
		Summary: "give the first of each two steps of grid: (eighths) PERCENT of their time (50 is straight, 67 triplets); notes in between move in proportion",
		Params:  []abi.Param{{Key: "grid", Value: "DUR"}}, Select: true, Min: 1, Max: -1,
		Examples: []string{"swing 62 @track:Drums", "swing 58 @all grid:16th"},
	}, Run: func(c *ctx, a pdk.Args) error {
		percent, err := swingArg(a.Text(0))
		if err != nil {
			return insteadAt(err, a, 0, near.Number(a.Text(0), 20, 80)...)
		}
		notes, err := targetNotes(c, a, 1)
		if err != nil {
			return err
		}
		grid, err := cellsArg(c, a, "eighth", notes[0].Track)
		if err != nil {
			return err
		}
		warp := swinger(c, grid, percent)
		before := ticks(notes)
		n, err := reshape(c, notes, func(_ int, e *song.Event) span {
			return span{warp(e.Track, e.Tick), warp(e.Track, e.Mate.Tick)}
		}, "Swing "+itoa(percent))
		if err != nil {
			return err
		}
		if n == 0 {
			return pdk.Unchanged("no note is at a place where %d percent of swing would move it", percent)
		}
		moved := 0
		for i, e := range notes {
			moved += btoi(e.Tick != before[i])
		}
		c.Changed("Swing %d%% for %s, %d moved", percent, pdk.Count(len(notes), "note"), moved)
		return nil
	}}
}

func swingArg(text string) (percent int, err error) {
	percent, err = strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || percent < 20 || percent > 80 {
		return 0, pdk.Errorf("swing %q is not a whole percentage from 20 to 80 (50 is straight)", text)
	}
	return percent, nil
}

// swinger returns a function that applies swing to a tick of a track: the first of each
// two cells of a grid gets percent of their time, and ticks in between move in
// proportion.
func swinger(c *ctx, grid cells, percent int) func(t *song.Track, tick int64) int64 {
	return func(t *song.Track, tick int64) int64 {
		start, end := bar(c, t, tick)
		pair := grid.cell(tick-start) / 2 * 2
		low, middle, high := start+grid.line(pair), start+grid.line(pair+1), start+grid.line(pair+2)
		if high > end || middle == low || high == middle {
			return tick // a last cell without a second one, or cells too short to divide
		}
		swung := low + roundDiv((high-low)*int64(percent), 100)
		if tick <= middle {
			return low + roundDiv((tick-low)*(swung-low), middle-low)
		}
		return swung + roundDiv((tick-middle)*(high-swung), high-middle)
	}
}
