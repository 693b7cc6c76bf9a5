// Package mixing has the verbs of tracks: their sounds, controllers and channels.
package mixing

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
		trackVerb, programVerb, volumeVerb, panVerb, muteVerb, soloVerb, pedalVerb, ccVerb,
		bendVerb, pressureVerb, rpnVerb, nrpnVerb, sysexVerb, mpeVerb,
	)
}
