// Package verbs implements the verbs of the midi domain: one function for each verb,
// from its parsed op to edits and a reply.
package verbs

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type (
	ctx  = pdk.Ctx[*song.Song]
	verb = pdk.Verb[*song.Song]
)

// All lists the verbs, in the order of the reference card.
func All() []verb {
	verbs := []verb{
		noteVerb(), lineVerb(), chordVerb(), progressionVerb(), harmonizeVerb(), arpVerb(), scaleVerb(), drumsVerb(), beatVerb(), trackerVerb(), abcVerb(),
		trackVerb(), programVerb(), volumeVerb(), panVerb(), muteVerb(), soloVerb(), pedalVerb(), ccVerb(), bendVerb(), pressureVerb(), rpnVerb(), nrpnVerb(), sysexVerb(), mpeVerb(),
		tempoVerb(), timeSigVerb(), keySigVerb(), markerVerb(), sectionVerb(), barsVerb(), importVerb(), appendVerb(), insertVerb(), arrangeVerb(), lyricsVerb(), lyricVerb(), textVerb(), cueVerb(), titleVerb(),
		removeVerb(), moveVerb(), copyVerb(), repeatVerb(), modifyVerb(), transposeVerb(), snapVerb(), reharmonizeVerb(), velocityVerb(), crescendoVerb(), decrescendoVerb(),
		quantizeVerb(), swingVerb(), humanizeVerb(), grooveVerb(), legatoVerb(), staccatoVerb(), strumVerb(), invertVerb(), stretchVerb(), reverseVerb(), splitVerb(),
	}
	for i := range verbs {
		verbs[i] = withSuggestions(verbs[i])
	}
	return slices.Insert(slices.Clone(verbs), 1, withSuggestions(addVerb(verbs))) // after note
}

// Parameters that several verbs take.
var (
	atParam   = abi.Param{Key: "at", Value: "POS"}
	durParam  = abi.Param{Key: "dur", Value: "DUR"}
	velParam  = abi.Param{Key: "vel", Value: "1-127|ppp…fff"}
	chParam   = abi.Param{Key: "ch", Value: "1-16"}
	toParam   = abi.Param{Key: "to", Value: "POS"}
	onlyTrack = abi.Param{Key: "track", Value: "TRACK"}
)
