// Package timing has the verbs of the song's time: tempo, signatures, marks and bars, and what goes into it from
// other music.
package timing

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
		abcVerb, tempoVerb, timeSigVerb, keySigVerb, markerVerb, sectionVerb, barsVerb, importVerb,
		appendVerb, insertVerb, arrangeVerb, lyricsVerb, lyricVerb(), textVerb(), cueVerb(), titleVerb,
	)
}
