package queries

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type (
	view  = pdk.View[*song.Song]
	query = pdk.Query[*song.Song]
)

// All lists the queries.
func All() []query {
	list := pdk.DeclareQueries(
		textQuery("map", "the song at a glance: time, keys, markers, tracks", showMap),
		textQuery("tracks", "the tracks, one a line", showTracks),
		query{Query: abi.Query{Syntax: "events TRACK|* [P-P]", Summary: "everything on a track, or on all, in order of time"}, Keys: []pdk.Parameter{listenAs}, Run: showEvents},
		textQuery("list [@SEL…]", "what selectors match; without: all notes", showList),
		textQuery("describe TRACK|*|ID", "a track: sound, range, controllers, where it plays; or an event by its id", showTrack),
		textQuery("stats", "counts, length in bars and in time, pitch range, kinds of events", showStats),
		textQuery("find PITCH|DRUM|TEXT…", "where a pitch or a drum sounds, or where text occurs; chords: list @chord:Am7", showFound),
		textQuery("piano-roll TRACK [P-P] [res:16th]", "notes as a grid, time to the right", pianoRoll),
		textQuery("tracker TRACK[,TRACK…] P-P [res:16th]", "notes as a grid, time downwards; sent back as an op, it makes the same notes", showTracker),
		query{Query: abi.Query{Syntax: "preview [P-P] [width:N]", Summary: "a picture of the notes, 16 bars by default"}, Keys: []pdk.Parameter{drawAs, pageKey}, Run: preview},
		textQuery("chords [TRACK[,TRACK…]] [P-P] [@SEL…]", "the harmony, bar by bar, of all that sounds or of some of it", showChords),
		textQuery("off-scale [KEY|SCALE] [@SEL…]", "notes outside a scale; without: outside the key", showOffScale),
		textQuery("key", "key signatures, and the key by the notes", showKey),
		textQuery("tempo [@range:P-P]", "the tempo map with its times; many changes, bar by bar, and in a range one by one", showTempo),
		textQuery("signatures", "time and key signatures with their bars", showSignatures),
		textQuery("instruments [FILTER…]", "the sounds of General MIDI and of loaded SoundFonts, with what they can play", showInstruments),
		textQuery("lint [TRACK]", "what is likely wrong: overlaps, hanging notes, pitches out of range, empty bars, too many voices", showLint),
	)
	for i := range list { // on the reference card most need only their syntax
		q := &list[i].Query
		if q.Brief = q.Syntax; briefly[q.Name] != "" {
			q.Brief += " · " + briefly[q.Name]
		}
	}
	return pdk.Folding(list, []string{"piano-roll", "tracker"}, []string{"find", "off-scale", "instruments"})
}

// briefly says on the reference card what some queries answer.
var briefly = map[string]string{"tracker": "a grid, time downwards", "preview": "a picture", "lint": "what is likely wrong"}

// textQuery makes a query that answers with text, without the end of its last line.
func textQuery(syntax, summary string, run func(*view, pdk.Args) (string, error)) query {
	return pdk.NewQuery(syntax, summary, func(v *view, a pdk.Args) (string, error) {
		text, err := run(v, a)
		return strings.TrimRight(text, "\n"), err
	})
}
