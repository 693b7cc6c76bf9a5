package editing

import (
	"math/rand/v2"
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// looseKey is how far humanize may change a velocity.
var looseKey = value.Key[int]{Name: "vel", Type: value.Int(0, 64), Default: 8}

var humanizeVerb = verb{Keys: []pdk.Parameter{args.SeedKey, looseKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "humanize @SEL… [seed:N] [time:DUR|0] [vel:0-64]",
	Brief:    "humanize @SEL… [time: vel:]",
	Summary:  "starts and velocities a little off: at most time: (a 192nd) and vel: (8) either way; no note leaves its bar; the same seed: (1) gives the same result",
	Examples: []string{"humanize @track:Piano seed:7", "humanize @drums time:ticks:6 vel:12 seed:1"},
}, Run: func(c *ctx, a pdk.Args) error {
	notes := pdk.Must(targetNotes(c, a, 0))
	seed, loud := args.SeedKey.Of(a), looseKey.Of(a)
	late := int64(10)
	if ppq, err := c.Model.PPQ(); err == nil {
		late = max(1, ppq/48)
	}
	switch v, ok := a.Param("time"); {
	case ok && v == "0":
		late = 0
	case ok:
		late = pdk.Must(args.Length(c, a, "time", "ticks:10", notes[0].Track, 0))
	}
	if late == 0 && loud == 0 {
		return pdk.Unchanged("nothing to humanize: time: and vel: are both 0")
	}
	nudges := randomNudges(len(notes), uint64(seed), late, int64(loud))
	before := startsOf(notes)
	n := pdk.Must(reshape(c, notes, func(i int, e *song.Event) span {
		// A note stays in its bar, and so does one that ends at its end.
		start, end := args.Bar(c, e.Track, e.Tick)
		d := min(max(nudges[i].late, start-e.Tick), max(0, end-1-e.Tick))
		s := span{e.Tick + d, e.Mate.Tick + d}
		if e.Mate.Tick <= end {
			s.end = min(s.end, end)
		}
		return s
	}, "Humanize the time, seed "+strconv.Itoa(seed)))
	x := &song.Set{}
	for i, e := range notes {
		if v := min(127, max(1, e.Velocity()+nudges[i].louder)); v != e.Velocity() {
			x.Change(e).B = byte(v)
		}
	}
	args.Do(c, x, "Humanize the velocity, seed "+strconv.Itoa(seed), args.Refs(notes)...)
	if n+len(x.Items) == 0 {
		return pdk.Unchanged("this seed leaves these notes as they are; try another")
	}
	c.Changed("Humanized %s, seed %d: %d moved, %d louder or softer", pdk.Count(len(notes), "note"), seed, countMoved(notes, before), len(x.Items))
	return nil
}}

// nudge is a random change of a note: how many ticks later it starts and how much louder it
// is, either of which may be negative.
type nudge struct {
	late   int64
	louder int
}

// randomNudges draws n nudges of at most late ticks and loud steps of velocity either way.
// The same seed always gives the same nudges.
func randomNudges(n int, seed uint64, late, loud int64) []nudge {
	// Use the generator's numbers directly: they never change between Go versions, unlike
	// the methods of rand.Rand.
	random := rand.NewPCG(seed, 0x68756d616e)
	within := func(n int64) int64 { return int64(random.Uint64()%uint64(2*n+1)) - n }
	nudges := make([]nudge, n)
	for i := range nudges {
		nudges[i] = nudge{within(late), int(within(loud))}
	}
	return nudges
}
