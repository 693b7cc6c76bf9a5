package verbs

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func humanizeVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "humanize", Category: "Edit", Syntax: "humanize @SEL… [seed:N] [time:DUR|0] [vel:0-64]",
		Brief:   "humanize @SEL… [time: vel:]",
		Summary: "starts and velocities a little off: at most time: (a 192nd) and vel: (8) either way; no note leaves its bar; the same seed: (1) gives the same result",
		Params:  []abi.Param{{Key: "seed", Value: "N"}, {Key: "time", Value: "DUR|0"}, {Key: "vel", Value: "0-64"}}, Select: true, Min: 0, Max: -1,
		Examples: []string{"humanize @track:Piano seed:7", "humanize @drums time:ticks:6 vel:12 seed:1"},
	}, Run: func(c *ctx, a pdk.Args) error {
		notes, err := targetNotes(c, a, 0)
		if err != nil {
			return err
		}
		seed, err := strconv.ParseUint(a.String("seed", "1"), 10, 64)
		if err != nil {
			return instead(pdk.Errorf("seed:%s is not a whole number from 0 on", a.String("seed", "")), a, "seed", near.Number(a.String("seed", ""), 0, math.MaxInt32)...)
		}
		loud, err := intArg(a, "vel", 8, 0, 64)
		if err != nil {
			return err
		}
		late := int64(10)
		if ppq, err := c.Model.PPQ(); err == nil {
			late = max(1, ppq/48)
		}
		switch v, ok := a.Param("time"); {
		case ok && v == "0":
			late = 0
		case ok:
			if late, err = lengthParam(c, a, "time", "ticks:10", notes[0].Track, 0); err != nil {
				return err
			}
		}
		if late == 0 && loud == 0 {
			return pdk.Unchanged("nothing to humanize: time: and vel: are both 0")
		}
		nudges := randomNudges(len(notes), seed, late, int64(loud))
		before := ticks(notes)
		n, err := reshape(c, notes, func(i int, e *song.Event) span {
			// A note stays in its bar, and so does one that ends at its end.
			start, end := bar(c, e.Track, e.Tick)
			d := min(max(nudges[i].late, start-e.Tick), max(0, end-1-e.Tick))
			s := span{e.Tick + d, e.Mate.Tick + d}
			if e.Mate.Tick <= end {
				s.end = min(s.end, end)
			}
			return s
		}, "Humanize the time, seed "+strconv.FormatUint(seed, 10))
		if err != nil {
			return err
		}
		x := &song.Set{}
		for i, e := range notes {
			if v := min(127, max(1, e.Velocity()+nudges[i].louder)); v != e.Velocity() {
				x.Change(e).B = byte(v)
			}
		}
		if len(x.Items) > 0 {
			if err := c.Do(x, "Humanize the velocity, seed "+strconv.FormatUint(seed, 10), refs(notes)...); err != nil {
				return err
			}
		}
		if n+len(x.Items) == 0 {
			return pdk.Unchanged("this seed leaves these notes as they are; try another")
		}
		moved := 0
		for i, e := range notes {
			moved += btoi(e.Tick != before[i])
		}
		c.Changed("Humanized %s, seed %d: %d moved, %d louder or softer", pdk.Count(len(notes), "note"), seed, moved, len(x.Items))
		return nil
	}}
}

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
