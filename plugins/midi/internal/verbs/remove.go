package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func removeVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "remove", Category: "Edit", Syntax: "remove @SEL…",
		Summary: "takes out what the selectors name", Select: true, Min: 0, Max: 0,
		Examples: []string{"remove @track:Piano @range:3.1-4.4"},
	}, Run: func(c *ctx, a pdk.Args) error {
		found, err := selector.Elements(c.Model, c.Recent, a.Selectors, true)
		if err != nil {
			return err
		}
		x := &song.Remove{}
		refs := make([]string, len(found))
		for i, e := range found {
			refs[i] = e.Ref()
			x.IDs = append(x.IDs, e.ID)
			if e.Mate != nil {
				x.IDs = append(x.IDs, e.Mate.ID)
			}
		}
		what := describe(found)
		if err := c.Do(x, "Remove "+what, refs...); err != nil {
			return err
		}
		c.Deleted("%s", what)
		return nil
	}}
}

// describe counts events by what they are: "12 notes, 1 tempo".
func describe(found []*song.Event) string { return plural(len(found), "note") }
