package verbs

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func quantizeVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "quantize", Category: "Edit", Syntax: "quantize @SEL… [grid:DUR] [strength:1-100] [ends:true]",
		Brief:   "quantize @SEL… [grid:16th strength:]",
		Summary: "move starts to the nearest line of grid: (16th), counted from each bar; strength: percent of the way; lengths stay unless ends:true",
		Params:  []abi.Param{{Key: "grid", Value: "DUR"}, {Key: "strength", Value: "1-100"}, {Key: "ends", Value: "true|false"}}, Select: true, Min: 0, Max: -1,
		Examples: []string{"quantize @track:Piano grid:eighth", "quantize @all grid:16th strength:60 ends:true"},
	}, Run: func(c *ctx, a pdk.Args) error {
		notes, err := targetNotes(c, a, 0)
		if err != nil {
			return err
		}
		grid, err := cellsArg(c, a, "16th", notes[0].Track)
		if err != nil {
			return err
		}
		strength, err := strconv.Atoi(strings.TrimSuffix(a.String("strength", "100"), "%"))
		if err != nil || strength < 1 || strength > 100 {
			return instead(pdk.Errorf("strength:%s is not a percentage from 1 to 100", a.String("strength", "")), a, "strength", near.Number(a.String("strength", ""), 1, 100)...)
		}
		ends, err := a.Bool("ends", false)
		if err != nil {
			return instead(pdk.Errorf("%v", err), a, "ends", near.Word(a.String("ends", ""), []string{"true", "false"})...)
		}
		pull := func(t *song.Track, tick int64) int64 {
			return tick + roundDiv((grid.nearest(c, t, tick)-tick)*int64(strength), 100)
		}
		n, err := reshape(c, notes, func(_ int, e *song.Event) span {
			s := span{start: pull(e.Track, e.Tick)}
			s.end = s.start + e.Length()
			if ends {
				if s.end = pull(e.Track, e.Mate.Tick); s.end <= s.start {
					s.end = s.start + max(1, grid.line(1))
				}
			}
			return s
		}, "Quantize to "+a.String("grid", "16th"))
		if err != nil {
			return err
		}
		if n == 0 {
			return pdk.Unchanged("every note is already on the grid of %s", a.String("grid", "16th"))
		}
		c.Changed("Quantized %d of %s to %s", n, pdk.Count(len(notes), "note"), a.String("grid", "16th"))
		return nil
	}}
}
