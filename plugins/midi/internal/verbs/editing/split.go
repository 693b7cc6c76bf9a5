package editing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// partsKey is how many equal parts split makes.
var partsKey = value.Key[int]{Name: "parts", Type: value.Int(2, 64)}

var splitVerb = verb{Keys: []pdk.Parameter{partsKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "split @SEL… at:POS | parts:N | grid:DUR",
	Brief:    "split @SEL… at:POS | parts:N | grid:DUR",
	Summary:  "cut notes in two at a place, into equal parts, or at each line of a grid",
	Examples: []string{"split @track:Piano at:2.1", "split @recent parts:3", "split @track:Piano grid:quarter"},
}, Run: func(c *ctx, a pdk.Args) error {
	notes := pdk.Must(targetNotes(c, a, 0))
	if len(a.Params) != 1 {
		var ops []pdk.Args
		for _, p := range a.Params {
			ops = append(ops, a.With(func(op *abi.Op) { op.Params = []abi.KeyValue{p} }))
		}
		return args.Suggest(pdk.Errorf("split takes one of at:, parts: and grid:"), ops...)
	}
	cuts := pdk.Must(cutter(c, a, notes))
	x, more := &song.Move{}, &song.Insert{}
	for _, e := range notes {
		start, first := e.Tick, true
		for _, cut := range append(cuts(e), e.Mate.Tick) {
			if cut <= start || cut > e.Mate.Tick || first && cut == e.Mate.Tick {
				continue
			}
			if first {
				x.Add(e.Mate, e.Track, cut)
			} else {
				more.Note(e.Track, e.Channel(), e.Pitch(), e.Velocity(), int(e.Mate.B), start, cut-start)
			}
			start, first = cut, false
		}
		if len(more.Items) > 2*args.MaxCopies {
			return pdk.Errorf("that would make more than %d notes at once", args.MaxCopies)
		}
	}
	if len(more.Items) == 0 {
		return pdk.Unchanged("no note sounds across a place to cut it")
	}
	what := pdk.Count(len(x.Items), "note")
	pdk.Check(c.Do(x, "Shorten "+what, args.Refs(notes)...))
	args.Do(c, more, "Split "+what)
	c.Changed("Split %s into %d", what, len(x.Items)+len(more.Items)/2)
	return nil
}}

// cutter returns a function that lists the ticks at which to cut a note.
func cutter(c *ctx, a pdk.Args, notes []*song.Event) (func(*song.Event) []int64, error) {
	switch {
	case a.Has("at"):
		at, err := args.Position(c, a, "at", notes[0].Track, 0)
		return func(*song.Event) []int64 { return []int64{at} }, err
	case a.Has("parts"):
		parts := partsKey.Of(a)
		return func(e *song.Event) (cuts []int64) {
			for k := 1; k < parts; k++ {
				cuts = append(cuts, e.Tick+args.RoundDiv(e.Length()*int64(k), int64(parts)))
			}
			return cuts
		}, nil
	}
	grid, err := args.Grid(c, a, "quarter", notes[0].Track)
	return func(e *song.Event) (cuts []int64) {
		for at := e.Tick; at < e.Mate.Tick && len(cuts) < args.MaxCopies; {
			start, end := args.Bar(c, e.Track, at)
			at = min(start+grid.Line(grid.Cell(at-start)+1), end)
			cuts = append(cuts, at)
		}
		return cuts
	}, err
}
