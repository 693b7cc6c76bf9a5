// Package editing has the verbs that change notes and other events.
package editing

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
		removeVerb, moveVerb, copyVerb, repeatVerb, modifyVerb, transposeVerb, snapVerb,
		reharmonizeVerb, velocityVerb, crescendoVerb(), decrescendoVerb(), quantizeVerb, swingVerb,
		humanizeVerb, grooveVerb, legatoVerb, staccatoVerb, strumVerb, invertVerb, stretchVerb,
		reverseVerb, splitVerb,
	)
}
