package queries

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type (
	view  = pdk.View[*song.Song]
	query = pdk.Query[*song.Song]
)

// All lists the queries.
func All() []query {
	return pdk.Folding(brief([]query{
		textQuery("map", "map", "the song at a glance: time, keys, markers, tracks", 0, 0, showMap),
		textQuery("tracks", "tracks", "the tracks, one a line", 0, 0, showTracks),
		withAudio(textQuery("events", "events TRACK|* [P-P]", "everything on a track, or on all, in order of time", 1, 2, showEvents)),
		textQuery("list", "list [@SEL…]", "what selectors match; without: all notes", 0, 0, showList),
		textQuery("describe", "describe TRACK|*|ID", "a track: sound, range, controllers, where it plays; or an event by its id", 1, 1, showTrack),
		textQuery("stats", "stats", "counts, length in bars and in time, pitch range, kinds of events", 0, 0, showStats),
		textQuery("find", "find PITCH|DRUM|TEXT", "where a pitch or a drum sounds, or where text occurs; chords: list @chord:Am7", 1, -1, find),
		textQuery("piano-roll", "piano-roll TRACK [P-P] [res:16th]", "notes as a grid, time to the right", 1, 2, pianoRoll, "res"),
		textQuery("tracker", "tracker TRACK[,TRACK…] P-P [res:16th]", "notes as a grid, time downwards; sent back as an op, it makes the same notes", 2, 2, showTracker, "res"),
		withPicture(pictureQuery("preview", "preview [P-P] [width:PIXELS]", "a picture of the notes, 16 bars by default", 0, 1, preview, "width", "format")),
		textQuery("chords", "chords [TRACK[,TRACK…]] [P-P] [@SEL…]", "the harmony, bar by bar, of all that sounds or of some of it", 0, 2, showChords),
		textQuery("off-scale", "off-scale [KEY|SCALE] [@SEL…]", "notes outside a scale; without: outside the key", 0, 1, showOffScale),
		textQuery("key", "key", "key signatures, and the key by the notes", 0, 0, showKey),
		textQuery("tempo", "tempo [@range:P-P]", "the tempo map with its times; many changes, bar by bar, and in a range one by one", 0, 0, showTempo),
		textQuery("signatures", "signatures", "time and key signatures with their bars", 0, 0, showSignatures),
		textQuery("instruments", "instruments [FILTER]", "the sounds of General MIDI and of loaded SoundFonts, with what they can play", 0, -1, showInstruments),
		textQuery("lint", "lint [TRACK]", "what is likely wrong: overlaps, hanging notes, pitches out of range, empty bars, too many voices", 0, 1, showLint),
	}), []string{"piano-roll", "tracker"}, []string{"find", "off-scale", "instruments"})
}

// brief shortens the queries' lines on the reference card: most of them only need their
// syntax.
func brief(list []query) []query {
	means := map[string]string{
		"tracker": "a grid, time downwards", "preview": "a picture",
		"lint": "what is likely wrong",
	}
	for i := range list {
		q := &list[i].Query
		if q.Brief = q.Syntax; means[q.Name] != "" {
			q.Brief += " · " + means[q.Name]
		}
	}
	return list
}

// textQuery makes a query that answers with text. It takes least to most positionals
// (any number if most is -1), the keys, and selectors if the syntax has them.
func textQuery(name, syntax, summary string, least, most int, run func(*view, pdk.Args) (string, error), keys ...string) query {
	return pictureQuery(name, syntax, summary, least, most, func(v *view, a pdk.Args) (string, []abi.Content, error) {
		out, err := run(v, a)
		return out, nil, err
	}, keys...)
}

// pictureQuery makes a query that also answers with pictures.
func pictureQuery(name, syntax, summary string, least, most int, run func(*view, pdk.Args) (string, []abi.Content, error), keys ...string) query {
	return query{Query: abi.Query{Name: name, Syntax: syntax, Summary: summary}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		a = withPlaces(a)
		if len(a.Selectors) > 0 && !strings.Contains(syntax, "@") {
			return abi.QueryResponse{}, pdk.Errorf("%s takes no selectors; list does", name).TryQuery("list " + pdk.SelectorText(a.Selectors))
		}
		for _, p := range a.Params {
			if slices.Contains(keys, p.Key) {
				continue
			}
			e := pdk.Errorf("%s takes no %s:; it reads: %s", name, p.Key, syntax)
			if list := near.Word(p.Key, keys); list != nil {
				return abi.QueryResponse{}, e.TryQuery(a.Mended(pdk.Without(p.Key), pdk.WithParam(list[0], p.Value)))
			}
			return abi.QueryResponse{}, e.TryQuery(a.Mended(pdk.Without(p.Key)))
		}
		if n := len(a.Positionals); n < least {
			return abi.QueryResponse{}, pdk.Errorf("%s: it reads: %s", name, syntax).TryQuery("tracks")
		} else if most >= 0 && n > most {
			return abi.QueryResponse{}, pdk.Errorf("%s: it reads: %s", name, syntax).TryQuery(dropPositionals(v.Model, a, most))
		}
		out, content, err := run(v, a)
		return abi.QueryResponse{Text: strings.TrimRight(out, "\n"), Content: content}, err
	}}
}

// withPlaces turns tick:0-tick:480, marker:A-marker:B, end:Piano and midi:60 back into
// positionals: the grammar of queries reads them as parameters.
func withPlaces(a pdk.Args) pdk.Args {
	op := *a.Op
	op.Positionals, op.Params = slices.Clone(op.Positionals), nil
	for _, p := range a.Params {
		if slices.Contains(places, strings.ToLower(p.Key)) {
			op.Positionals = append(op.Positionals, abi.Positional{Text: p.Key + ":" + p.Value})
		} else {
			op.Params = append(op.Params, p)
		}
	}
	return pdk.Args{Op: &op}
}
