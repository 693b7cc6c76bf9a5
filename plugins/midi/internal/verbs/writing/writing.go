// Package writing has the verbs that write notes: single ones, melodies, chords and drums.
package writing

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type (
	ctx  = pdk.Ctx[*song.Song]
	verb = pdk.Verb[*song.Song]
)

// Verbs lists them, in the order of the reference card.
func Verbs() []verb {
	return pdk.Declare(
		noteVerb, lineVerb, chordVerb, progressionVerb, harmonizeVerb, arpVerb, scaleVerb, drumsVerb,
		beatVerb, trackerVerb,
	)
}
