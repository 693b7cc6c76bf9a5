package editing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// Limits of a stretch factor.
const (
	minStretch = 0.01
	maxStretch = 100
)

var stretchVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "stretch xF @SEL…",
	Brief:    "stretch xF @SEL…",
	Summary:  "times and lengths F times as long, from the start of @range, else of the first event",
	Examples: []string{"stretch x2 @track:Piano", "stretch x0.5 @track:Piano @range:5-8"},
}, Run: func(c *ctx, a pdk.Args) error {
	factor, err := strconv.ParseFloat(strings.TrimLeft(a.Text(0), "xX*"), 64)
	if err != nil || !(factor >= minStretch && factor <= maxStretch) {
		return args.InsteadAt(pdk.Errorf("stretch %q is not a factor from x%g to x%g", a.Text(0), minStretch, float64(maxStretch)), a, 0, near.Factor(a.Text(0), minStretch, maxStretch)...)
	}
	found := pdk.Must(args.Target(c, a, 1))
	origin := selector.Origin(c.Model, a.Selectors, found)
	if end := float64(args.Latest(found)-origin)*factor + float64(origin); end > smf.MaxTick {
		return args.CheckTick(smf.MaxTick + 1)
	}
	to := func(tick int64) int64 { return origin + int64(math.Round(float64(tick-origin)*factor)) }
	x := &song.Move{Items: make([]song.Step, 0, 2*len(found))}
	for _, e := range found {
		if e.IsMark() {
			return pdk.Errorf("stretch leaves tempo, signatures and markers where they are: name other kinds").TryQuery("stats")
		}
		if e.Tick < origin {
			continue
		}
		start := to(e.Tick)
		if start != e.Tick {
			x.Add(e, e.Track, start)
		}
		if e.Mate == nil {
			continue
		}
		end := to(e.Mate.Tick)
		if e.Length() > 0 {
			end = max(end, start+1)
		}
		if end != e.Mate.Tick {
			x.Add(e.Mate, e.Track, end)
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("nothing there is long enough for that to change it")
	}
	what := args.Describe(c, found)
	pdk.Check(c.Do(x, "Stretch by "+a.Text(0), args.Refs(found)...))
	c.Changed("Stretched %s by x%s, to %s", what, strconv.FormatFloat(factor, 'g', -1, 64), c.Model.At(found[0].Track, args.Latest(found)))
	return nil
}}
