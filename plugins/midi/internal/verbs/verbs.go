// Package verbs implements the verbs of the midi domain: one function for each verb,
// from its parsed op to edits and a reply.
package verbs

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type (
	ctx  = pdk.Ctx[*song.Song]
	verb = pdk.Verb[*song.Song]
)

// All lists the verbs, in the order of the reference card.
func All() []verb {
	verbs := pdk.Declare(
		noteVerb(), lineVerb(), chordVerb(), progressionVerb(), harmonizeVerb(), arpVerb(), scaleVerb(), drumsVerb(), beatVerb(), trackerVerb(), abcVerb(),
		trackVerb(), programVerb(), volumeVerb(), panVerb(), muteVerb(), soloVerb(), pedalVerb(), ccVerb(), bendVerb(), pressureVerb(), rpnVerb(), nrpnVerb(), sysexVerb(), mpeVerb(),
		tempoVerb(), timeSigVerb(), keySigVerb(), markerVerb(), sectionVerb(), barsVerb(), importVerb(), appendVerb(), insertVerb(), arrangeVerb(), lyricsVerb(), lyricVerb(), textVerb(), cueVerb(), titleVerb(),
		removeVerb(), moveVerb(), copyVerb(), repeatVerb(), modifyVerb(), transposeVerb(), snapVerb(), reharmonizeVerb(), velocityVerb(), crescendoVerb(), decrescendoVerb(),
		quantizeVerb(), swingVerb(), humanizeVerb(), grooveVerb(), legatoVerb(), staccatoVerb(), strumVerb(), invertVerb(), stretchVerb(), reverseVerb(), splitVerb(),
	)
	for i := range verbs {
		if verbs[i].Category == "Edit" && verbs[i].Name != "groove" {
			verbs[i].Max = -1 // target refuses names, and suggests selectors
		}
		verbs[i] = withSuggestions(verbs[i])
	}
	add := pdk.Declare(addVerb(verbs))[0]
	return slices.Insert(slices.Clone(verbs), 1, withSuggestions(add)) // after note
}
