package editing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var grooveVerb = verb{Keys: []pdk.Parameter{args.StrengthKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "groove TRACK|mpc-50…mpc-75|laid-back|pushed @SEL… [grid:DUR] [strength:1-100]",
	Brief: "groove TRACK|mpc-62 @SEL… [grid:16th strength:] · its timing and accents",
	Summary: "notes take the feel of another track: how early or late it plays each line of grid: (16th) in its bars, and how loud in proportion; lines on which it does not play stay. " +
		"Or that of a machine: mpc-62 puts them on the grid, with every other line at 62 percent; laid-back plays behind the beat, pushed ahead of it; strength: percent of the way",
	Examples: []string{"groove Drums @track:Bass", "groove Drums @track:Piano grid:eighth strength:60", "groove mpc-58 @drums"},
}, Run: func(c *ctx, a pdk.Args) error {
	machine, isMachine := pdk.Must2(machineArg(c, a))
	var from *song.Track
	if !isMachine {
		from = pdk.Must(args.PlayingTrack(c, a, 0))
	}
	notes := pdk.Must(args.SelectedNotes(c, a))
	grid := pdk.Must(args.Grid(c, a, "16th", notes[0].Track))
	strength := args.StrengthKey.Of(a)
	name, feelAt := strings.ToLower(a.Text(0)), machine.feelAt(c, grid)
	if !isMachine {
		name = c.Model.Name(from)
		feelAt = pdk.Must(trackFeel(c, from, grid))
	}
	before := startsOf(notes)
	n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
		at := grid.Nearest(c, e.Track, e.Tick)
		f, ok := feelAt(e.Track, at)
		if !ok {
			return span{e.Tick, e.Mate.Tick}
		}
		d := args.RoundDiv((at+f.late-e.Tick)*int64(strength), 100)
		return span{e.Tick + d, e.Mate.Tick + d}
	}, "Groove of "+name))
	x := &song.Set{}
	for i, e := range notes {
		if f, ok := feelAt(e.Track, grid.Nearest(c, e.Track, before[i])); ok {
			louder := 1 + (f.louder-1)*float64(strength)/100
			if v := min(127, max(1, int(math.Round(float64(e.Velocity())*louder)))); v != e.Velocity() {
				x.Change(e).B = byte(v)
			}
		}
	}
	if n+len(x.Items) == 0 {
		return pdk.Unchanged("these notes already have that feel")
	}
	args.Do(c, x, "Accents of "+name, args.Refs(notes)...)
	c.Changed("Groove of %s for %s: %d moved, %d louder or softer", name, pdk.Count(len(notes), "note"), countMoved(notes, before), len(x.Items))
	return nil
}}

// machine is a feel with a name: every other line of the grid is late by a percentage
// of two cells, and all lines by a part of a quarter.
type machine struct {
	percent int64
	late    int64 // 1/late of a quarter behind the beat, or ahead of it if negative; 0 for none
}

// machineArg reads the machine that the op names, unless a track has that name.
func machineArg(c *ctx, a pdk.Args) (machine, bool, error) {
	name := strings.ToLower(a.Text(0))
	if t, err := c.Model.FindTrack(a.Text(0), true); err == nil && t != nil {
		return machine{}, false, nil
	}
	switch name {
	case "laid-back":
		return machine{50, 32}, true, nil
	case "pushed":
		return machine{50, -48}, true, nil
	}
	digits, ok := strings.CutPrefix(name, "mpc-")
	if !ok {
		return machine{}, false, nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(digits, "%"))
	if err != nil || n < 50 || n > 75 {
		list := near.Number(digits, 50, 75)
		for i := range list {
			list[i] = "mpc-" + list[i]
		}
		return machine{}, false, args.InsteadAt(pdk.Errorf("%s: an MPC swings from mpc-50, which is straight, to mpc-75", a.Text(0)), a, 0, list...)
	}
	return machine{percent: int64(n)}, true, nil
}

// feelAt returns a function that returns the feel of the grid line at a tick. The first
// line of a bar is never early, because the tracks meet there.
func (m machine) feelAt(c *ctx, grid args.Cells) func(t *song.Track, at int64) (feel, bool) {
	late := int64(0)
	if ppq, err := c.Model.PPQ(); err == nil && m.late != 0 {
		late = ppq / m.late
	}
	return func(t *song.Track, at int64) (feel, bool) {
		start, end := args.Bar(c, t, at)
		f := feel{louder: 1}
		k := grid.Cell(at - start)
		if k%2 == 1 && start+grid.Line(k+1) <= end {
			two := grid.Line(k+1) - grid.Line(k-1)
			f.late = grid.Line(k-1) + args.RoundDiv(two*m.percent, 100) - (at - start)
		}
		if at > start {
			f.late += late
		}
		return f, true
	}
}

// feel is how a grid line is played: how many ticks late, and its loudness relative to
// the mean.
type feel struct {
	late   int64
	louder float64
}

// trackFeel returns a function like that of feelAt for the feel with which a track plays.
func trackFeel(c *ctx, from *song.Track, grid args.Cells) (func(t *song.Track, at int64) (feel, bool), error) {
	lines := feelOf(c, from, grid)
	if len(lines) == 0 {
		return nil, pdk.Errorf("%s has no notes to take a feel from", c.Model.Name(from)).TryQuery("tracks")
	}
	return func(t *song.Track, at int64) (feel, bool) {
		start, _ := args.Bar(c, t, at)
		f, ok := lines[at-start]
		return f, ok
	}, nil
}

// feelOf returns the mean feel of each line on which a track plays, by its ticks from
// the start of the bar.
func feelOf(c *ctx, t *song.Track, grid args.Cells) map[int64]feel {
	type sum struct{ late, loud, n int64 }
	sums := map[int64]*sum{}
	var loud, n int64
	for e := range t.Events() {
		if !e.IsNote() {
			continue
		}
		at := grid.Nearest(c, t, e.Tick)
		start, _ := args.Bar(c, t, at)
		line := at - start
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
		out[line] = feel{args.RoundDiv(s.late, s.n), float64(s.loud) / float64(s.n) * float64(n) / float64(loud)}
	}
	return out
}
