package editing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var reverseVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "reverse @SEL…",
	Brief:    "reverse @SEL…",
	Summary:  "the notes backwards in time, within @range or from the first to the last",
	Examples: []string{"reverse @track:Piano @range:1-2"},
}, Run: func(c *ctx, a pdk.Args) error {
	notes := pdk.Must(targetNotes(c, a, 0))
	from, to := bounds(c, a, notes)
	to = max(to, args.Latest(notes)) // the last note may end after its range
	n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
		return span{from + to - e.Mate.Tick, from + to - e.Tick}
	}, "Reverse"))
	if n == 0 {
		return pdk.Unchanged("these notes read the same backwards")
	}
	c.Changed("Reversed %s", pdk.Count(len(notes), "note"))
	return nil
}}
