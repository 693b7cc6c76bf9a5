package selector

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Mend corrects selectors that Elements refused. mended is nil if a selector has no
// near value: Mend never selects what the client did not name. query is a query that
// shows what can be selected.
func Mend(s *song.Song, sels []abi.Select, exactish bool) (mended []abi.Select, query string) {
	if one := joinTracks(sels); one != nil {
		return one, "tracks"
	}
	mended, faulty := slices.Clone(sels), false
	own := &pdk.Selection[*song.Song, *song.Event]{Table: selectorTypes(exactish)}
	for i := range sels {
		if own.Check(s, &sels[i]) == nil {
			if sels[i].Type == "track" && query == "" {
				query = "describe " + pdk.Quote(sels[i].Value)
			}
			continue
		}
		query = listQueries[sels[i].Type]
		value := likelyValues(s, &sels[i], func(v string) error {
			one := sels[i]
			one.Value = v
			return own.Check(s, &one)
		})
		if value == nil {
			return nil, query
		}
		faulty = true
		mended[i].Value = value[0]
		if sels[i].Type == "drums" {
			mended[i].Type = "pitch"
		}
	}
	if !faulty {
		mended = nil
	}
	return mended, query
}

// joinTracks makes one selector of several of tracks, no two of which can match; nil if there are not several.
func joinTracks(sels []abi.Select) (joined []abi.Select) {
	first := -1
	for i := range sels {
		switch {
		case sels[i].Type != "track" || sels[i].Negated:
			joined = append(joined, sels[i])
		case first < 0:
			first = len(joined)
			joined = append(joined, sels[i])
		default:
			joined[first].Value += "," + sels[i].Value
		}
	}
	if len(joined) == len(sels) {
		return nil
	}
	return joined
}

// listQueries maps a selector type to the query that shows its values.
var listQueries = map[string]string{"track": "tracks", "channel": "tracks", "marker": "map", "range": "map", "beat": "signatures", "chord": "chords", "cc": "stats", "type": "stats"}

// likelyValues returns the values that one selector was probably meant to have, or nil.
func likelyValues(s *song.Song, sel *abi.Select, read func(string) error) []string {
	v := sel.Value
	switch sel.Type {
	case "track":
		if list := near.Track(s, v); len(list) == 1 {
			return list
		}
	case "marker":
		return near.Marker(s, nil, v)
	case "channel":
		return near.Span(v, 1, 16)
	case "hand":
		return near.Word(v, []string{"left", "right"})
	case "cc":
		return near.Word(v, theory.ControllerNames())
	case "type":
		return near.Word(v, kindNames())
	case "drums":
		if _, err := ParsePitches(v); err == nil {
			return []string{v}
		}
	case "pitch":
		if list := near.Swapped(v, read); list != nil || len(v) < 3 { // a pitch without an octave is ambiguous
			return list
		}
		return near.Word(v, theory.DrumNames())
	case "range":
		return near.Swapped(v, read)
	case "beat":
		return near.Span(v, 1, maxBeat)
	case "velocity":
		return near.Span(v, 1, 127)
	}
	return nil
}

// Readable reports whether all selectors can be read, even if nothing matches.
func Readable(s *song.Song, sels []abi.Select) bool {
	own := &pdk.Selection[*song.Song, *song.Event]{Table: selectorTypes(false)}
	return !slices.ContainsFunc(sels, func(sel abi.Select) bool { return own.Check(s, &sel) != nil })
}
