package editing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

var removeVerb = verb{Verb: abi.Verb{
	Category: "Edit",
	Brief:    "remove @SEL… | note|cc TRACK WHAT [at:] | track NAME | tempo|marker|… [NAME] [at:]",
	Syntax:   "remove @SEL… | remove tempo|time-sig|key-sig|marker|lyric|text|cue [NAME] [at:POS] [track:TRACK] | remove note|cc TRACK WHAT [at:POS] | remove track NAME",
	Summary:  "remove what is named, nothing else",
	Examples: []string{"remove @track:Piano @range:3.1-4.4", "remove tempo at:3.1", "remove note Piano C4 at:1.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	if strings.EqualFold(a.Text(0), "track") {
		if len(a.Positionals) != 2 || len(a.Params)+len(a.Selectors) > 0 {
			e := pdk.Errorf("remove track takes one name").TryQuery("tracks")
			if len(a.Positionals) < 3 || len(a.Params)+len(a.Selectors) > 0 {
				return e
			}
			return args.Suggest(e, a.With(pdk.WithJoined(1))) // a name of several words without quotes
		}
		return mixing.RemoveTrack(c, a, 1)
	}
	pdk.Check(onlyForNames(a))
	found := pdk.Must(args.Target(c, a, 0))
	x := &song.Remove{IDs: make([]song.ID, 0, 2*len(found))}
	for _, e := range found {
		x.Add(e)
	}
	what, ids := args.Describe(c, found), args.Refs(found)
	pdk.Check(c.Do(x, "Remove "+what, ids...))
	c.Deleted("%s", what)
	return nil
}}

// onlyForNames refuses at: and track: together with selectors, and suggests selectors
// in their place.
func onlyForNames(a pdk.Args) error {
	if len(a.Selectors) == 0 {
		return nil
	}
	if v, ok := a.Param("at"); ok {
		return args.Suggest(pdk.Errorf("with selectors, a place is @range:%s-%s", v, v), a.With(pdk.Without("at"), pdk.WithSelector("range", v+"-"+v)))
	}
	if v, ok := a.Param("track"); ok {
		return args.Suggest(pdk.Errorf("with selectors, a track is @track:%s", pdk.Quote(v)), a.With(pdk.Without("track"), pdk.WithSelector("track", v)))
	}
	return nil
}
