// Package verbs implements the verbs of the midi domain: one function for each verb,
// from its parsed op to edits and a reply.
package verbs

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/editing"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/timing"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/writing"
)

type (
	ctx  = pdk.Ctx[*song.Song]
	verb = pdk.Verb[*song.Song]
)

// All lists the verbs, in the order of the reference card.
func All() []verb {
	verbs := slices.Concat(writing.Verbs(), mixing.Verbs(), timing.Verbs(), editing.Verbs())
	for i := range verbs {
		if verbs[i].Category == "Edit" && verbs[i].Name != "groove" {
			verbs[i].Max = -1 // target refuses names, and suggests selectors
		}
		verbs[i] = args.Suggesting(verbs[i])
	}
	add := pdk.Declare(addVerb(verbs))[0]
	return slices.Insert(slices.Clone(verbs), 1, args.Suggesting(add)) // after note
}
