package editing

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var moveVerb = verb{Keys: []pdk.Parameter{args.ChKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "move @SEL… to:POS | by:±DUR | track:TRACK [ch:N] | move tempo|time-sig|key-sig|marker|lyric|text|cue [NAME] [at:POS] to:POS",
	Brief:    "move @SEL… to:POS | by:±DUR | track: | ch: | marker|tempo|… to:",
	Summary:  "move events to another time or track; to: places the start of @range or @marker, else the first event, and keeps distances",
	Examples: []string{"move @track:Piano @range:1.1-2.4 to:5.1", "move @recent by:-eighth", "move tempo at:3.1 to:5.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	named := len(a.Positionals) > 0
	if v, ok := a.Param("at"); ok && !named {
		err := pdk.Errorf("with selectors, a place is @range:%s-%s; the destination is to:", v, v)
		if a.Has("to") || a.Has("by") {
			return args.Suggest(err, a.With(pdk.Without("at"), pdk.WithSelector("range", v+"-"+v)))
		}
		return args.Suggest(err, a.With(pdk.WithKey("at", "to")))
	}
	found := pdk.Must(args.Target(c, a, 0))
	if a.Has("to") == a.Has("by") && (a.Has("to") || named || !a.Has("track")) {
		err := pdk.Errorf("move needs one of to:POS and by:±DUR, or track:NAME")
		if a.Has("to") {
			return args.Suggest(err, a.With(pdk.Without("by")), a.With(pdk.Without("to")))
		}
		return err
	}
	var to *song.Track
	if a.Has("track") && !named {
		to = pdk.Must(destination(c, a, found))
	}
	delta := pdk.Must(readShift(c, a, found))
	ids := args.Refs(found)
	what := args.Describe(c, found)
	pdk.Check(relocate(c, a, found, to, delta, "Move "+what))
	where := " to " + c.Model.At(found[0].Track, args.Earliest(found))
	if to != nil {
		where += " on " + c.Model.Name(to)
	}
	c.Touch(ids...)
	c.Bulk("Moved %s%s", what, where)
	return nil
}}

// checkNoMark refuses to put a mark where there is another of its kind.
func checkNoMark(c *ctx, t *song.Track, e *song.Event, tick int64) error {
	at := c.Model.At(t, tick)
	return pdk.Errorf("there is already a %s at %s", e.Kind(), at).TryQuery(fmt.Sprintf("list @type:%s @range:%s-%s", e.Kind(), at, at))
}

// destination resolves the track: that the events found go to.
func destination(c *ctx, a pdk.Args, found []*song.Event) (*song.Track, error) {
	to := pdk.Must(args.TrackOf(c, a, "track"))
	for _, e := range found {
		if e.IsChannel() {
			return to, args.RefuseConductor(to)
		}
	}
	return to, nil
}

// readShift returns how far to: or by: moves the events, 0 without either. It refuses to
// move them outside the song.
func readShift(c *ctx, a pdk.Args, found []*song.Event) (int64, error) {
	delta := int64(0)
	t := found[0].Track
	origin := selector.Origin(c.Model, a.Selectors, found)
	if by, ok := a.Param("by"); ok {
		sign := int64(1)
		text := by
		switch {
		case len(by) > 0 && by[0] == '-':
			sign, text = -1, by[1:]
		case len(by) > 0 && by[0] == '+':
			text = by[1:]
		}
		d, err := c.Model.Duration(t, text, origin)
		if err != nil {
			return 0, args.Instead(err, a, "by", args.WithSign(by, near.Duration(c.Model, t, text, origin))...)
		}
		delta = sign * d
	} else if a.Has("to") {
		to := pdk.Must(args.Position(c, a, "to", t, 0))
		delta = to - origin
	}
	if first := args.Earliest(found); first+delta < 0 {
		return 0, args.Instead(pdk.Errorf("that would start before the song: the first event is at %s", c.Model.At(t, first)), a.With(pdk.Without("by")), "to", c.Model.At(t, 0))
	}
	if args.Latest(found)+delta > smf.MaxTick {
		return 0, args.CheckTick(smf.MaxTick + 1)
	}
	return delta, nil
}

// relocate moves events by delta ticks and, unless to is nil, to a track, where they
// take its channel or that of ch:. It refuses to move nothing, and to put a tempo,
// signature or marker on another one.
func relocate(c *ctx, a pdk.Args, found []*song.Event, to *song.Track, delta int64, summary string) error {
	channel := 0
	if to != nil {
		channel = args.Channel(c, a, to)
	} else if a.Has("ch") {
		return args.Suggest(pdk.Errorf("ch: goes with track:; to change channels alone use modify"), a.With(pdk.Without("ch")))
	}
	moving := map[song.ID]bool{}
	for _, e := range found {
		if e.IsMark() {
			moving[e.ID] = true
		}
	}
	x, set := &song.Move{Items: make([]song.Step, 0, 2*len(found))}, &song.Set{}
	for _, e := range found {
		home := cmp.Or(to, e.Track)
		if e.IsMark() {
			if old := args.FindMeta(c, home, e.A, e.Tick+delta); old != nil && !moving[old.ID] {
				return checkNoMark(c, home, e, e.Tick+delta)
			}
		}
		for _, half := range []*song.Event{e, e.Mate} {
			if half == nil || delta == 0 && half.Track == home {
				continue
			}
			x.Add(half, home, half.Tick+delta)
			if channel > 0 && half.IsChannel() && half.Channel() != channel {
				set.Change(half).Status = half.Status&0xF0 | byte(channel-1)
			}
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("%s: already there", args.Describe(c, found))
	}
	pdk.Check(c.Do(x, summary, args.Refs(found)...))
	if len(set.Items) > 0 {
		return c.Do(set, "to channel "+strconv.Itoa(channel), args.Refs(found)...)
	}
	return nil
}
