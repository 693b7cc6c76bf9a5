package verbs

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func grooveVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "groove", Category: "Edit", Syntax: "groove TRACK @SEL… [grid:DUR] [strength:1-100]",
		Brief:   "groove TRACK @SEL… [grid:16th strength:] · its timing and accents",
		Summary: "notes take the feel of another track: how early or late it plays each line of grid: (16th) in its bars, and how loud in proportion; strength: percent of the way; lines on which it does not play stay",
		Params:  []abi.Param{{Key: "grid", Value: "DUR"}, {Key: "strength", Value: "1-100"}}, Select: true, Min: 1, Max: 1,
		Examples: []string{"groove Drums @track:Bass", "groove Drums @track:Piano grid:eighth strength:60"},
	}, Run: func(c *ctx, a pdk.Args) error {
		from, err := playing(c, a, 0)
		if err != nil {
			return err
		}
		notes, err := selectedBehind(c, a)
		if err != nil {
			return err
		}
		grid, err := cellsArg(c, a, "16th", from)
		if err != nil {
			return err
		}
		strength, err := strconv.Atoi(strings.TrimSuffix(a.String("strength", "100"), "%"))
		if err != nil || strength < 1 || strength > 100 {
			return instead(pdk.Errorf("strength:%s is not a percentage from 1 to 100", a.String("strength", "")), a, "strength", near.Number(a.String("strength", ""), 1, 100)...)
		}
		feel := feelOf(c, from, grid)
		if len(feel) == 0 {
			return pdk.Errorf("%s has no notes to take a feel from", c.Model.Name(from)).TryQuery("tracks")
		}
		before := ticks(notes)
		n, err := reshape(c, notes, func(_ int, e *song.Event) span {
			line, at := lineOf(c, grid, e)
			f, ok := feel[line]
			if !ok {
				return span{e.Tick, e.Mate.Tick}
			}
			d := roundDiv((at+f.late-e.Tick)*int64(strength), 100)
			return span{e.Tick + d, e.Mate.Tick + d}
		}, "Groove of "+c.Model.Name(from))
		if err != nil {
			return err
		}
		x := &song.Set{}
		for i, e := range notes {
			line, _ := lineAt(c, grid, e.Track, before[i])
			if f, ok := feel[line]; ok {
				louder := 1 + (f.louder-1)*float64(strength)/100
				if v := min(127, max(1, int(math.Round(float64(e.Velocity())*louder)))); v != e.Velocity() {
					x.Change(e).B = byte(v)
				}
			}
		}
		if n+len(x.Items) == 0 {
			return pdk.Unchanged("these notes have that feel already")
		}
		if len(x.Items) > 0 {
			if err := c.Do(x, "Accents of "+c.Model.Name(from), refs(notes)...); err != nil {
				return err
			}
		}
		moved := 0
		for i, e := range notes {
			moved += btoi(e.Tick != before[i])
		}
		c.Changed("Groove of %s for %s: %d moved, %d louder or softer", c.Model.Name(from), pdk.Count(len(notes), "note"), moved, len(x.Items))
		return nil
	}}
}

// feel is how a line of a bar is played: how many ticks late, and how loud in
// proportion to all.
type feel struct {
	late   int64
	louder float64
}

// lineOf is the line of a grid that a note is nearest to, counted from its bar,
// and its tick.
func lineOf(c *ctx, grid cells, e *song.Event) (line, tick int64) {
	return lineAt(c, grid, e.Track, e.Tick)
}

func lineAt(c *ctx, grid cells, t *song.Track, tick int64) (line, at int64) {
	at = grid.nearest(c, t, tick)
	start, _ := bar(c, t, at)
	return at - start, at
}

// feelOf is the mean feel of each line on which a track plays, by its ticks from
// the bar.
func feelOf(c *ctx, t *song.Track, grid cells) map[int64]feel {
	type sum struct{ late, loud, n int64 }
	sums := map[int64]*sum{}
	var loud, n int64
	for e := range t.Events() {
		if !e.IsNote() {
			continue
		}
		line, at := lineOf(c, grid, e)
		s := sums[line]
		if s == nil {
			s = &sum{}
			sums[line] = s
		}
		s.late, s.loud, s.n = s.late+e.Tick-at, s.loud+int64(e.Velocity()), s.n+1
		loud, n = loud+int64(e.Velocity()), n+1
	}
	out := map[int64]feel{}
	for line, s := range sums {
		out[line] = feel{roundDiv(s.late, s.n), float64(s.loud) / float64(s.n) * float64(n) / float64(loud)}
	}
	return out
}
