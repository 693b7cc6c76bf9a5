// Package args reads the words of an op: its track, places, lengths and targets. What cannot be read is refused with
// what it may have meant.
package args

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type (
	ctx  = pdk.Ctx[*song.Song]
	verb = pdk.Verb[*song.Song]
)
