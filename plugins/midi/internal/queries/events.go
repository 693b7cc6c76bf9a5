package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// showEvents lists a track's events, or all tracks' in order of time.
func showEvents(v *view, a pdk.Args) (abi.QueryResponse, error) {
	s := v.Model
	if a.Has(listenAs.Name) && a.Text(0) == "*" && len(a.Positionals) == 1 {
		return hearSong(s), nil
	}
	everything := a.Text(0) == "*" && !a.Positionals[0].Quoted
	tracks := s.Tracks()
	var of *song.Track
	if !everything {
		t := pdk.Must(namedTrack(v, a, 0))
		tracks, of = []*song.Track{t}, t
	}
	from, to := int64(0), int64(smf.MaxTick)
	if a.Text(1) != "" {
		from, to = pdk.Must2(namedSpan(v, a, 1, of))
	}
	var found []*song.Event
	for _, t := range tracks {
		for e := range t.Between(from, to+1) {
			if e.IsElement() {
				found = append(found, e)
			}
		}
	}
	if len(tracks) > 1 {
		slices.SortStableFunc(found, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	}
	if len(found) == 0 {
		return abi.QueryResponse{Text: "no events there"}, nil
	}
	return abi.QueryResponse{Text: strings.TrimSuffix(eventLines(s, found, everything), "\n")}, nil
}

// foldAbove is how many events are listed one by one. Of more, those other than notes that
// occur foldFrom times or more share a line.
const foldAbove, foldFrom = 20, 4

// eventLines prints one line for each event: its place, its track if asked for, and its
// content. In a long list, equal events have one line together.
func eventLines(s *song.Song, found []*song.Event, named bool) string {
	var b strings.Builder
	own := map[*song.Track]int{}
	text := func(e *song.Event) string {
		if _, ok := own[e.Track]; !ok {
			own[e.Track] = e.Track.Channel()
		}
		out := s.Say(e)
		if c := e.Channel(); c > 0 && c != own[e.Track] {
			out += fmt.Sprintf(" ch:%d", c)
		}
		return out
	}
	equal := map[string][]*song.Event{}
	if len(found) > foldAbove {
		for _, e := range found {
			if !e.IsNote() {
				equal[text(e)] = append(equal[text(e)], e)
			}
		}
	}
	names := map[*song.Track]string{}
	name := func(t *song.Track) string {
		if _, ok := names[t]; !ok {
			names[t] = song.Brief(s.Name(t), 30)
		}
		return names[t]
	}
	for _, e := range found {
		what := text(e)
		if all := equal[what]; len(all) < foldFrom || e.IsNote() {
			fmt.Fprintf(&b, "%-9s ", s.At(e.Track, e.Tick))
			if named {
				b.WriteString(name(e.Track) + ": ")
			}
			b.WriteString(what)
		} else if all[0] == e {
			b.WriteString(folded(s, all, what, name))
		} else {
			continue
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// folded prints equal events as one line: from where to where, how many, and on which
// tracks.
func folded(s *song.Song, all []*song.Event, what string, name func(*song.Track) string) string {
	var on []*song.Track
	count := map[*song.Track]int{}
	for _, e := range all {
		if count[e.Track] == 0 {
			on = append(on, e.Track)
		}
		count[e.Track]++
	}
	var each []string
	for i, t := range on {
		if i == 8 {
			each = append(each, "…")
			break
		}
		each = append(each, fmt.Sprintf("%s %d", name(t), count[t]))
	}
	first, last := all[0], all[len(all)-1]
	return fmt.Sprintf("%s to %s: %d × %s (%s)", s.At(first.Track, first.Tick), s.At(last.Track, last.Tick), len(all), what, strings.Join(each, ", "))
}

// showList lists what selectors match.
func showList(v *view, a pdk.Args) (string, error) {
	sels := a.Selectors
	if len(sels) == 0 {
		sels = []abi.Select{{Raw: "@all", Type: "all"}}
		if v.Model.Notes() == 0 {
			return "no notes yet", nil
		}
	}
	found, err := selector.Elements(v.Model, v.Recent, sels, false)
	if err != nil {
		if selector.Readable(v.Model, sels) {
			return "none: " + err.Error(), nil
		}
		return "", selectorsRefused(v, a, sels, err)
	}
	slices.SortStableFunc(found, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	return fmt.Sprintf("%d:\n%s", len(found), eventLines(v.Model, found, len(v.Model.Music()) > 1)), nil
}

// showFound searches for a pitch, a drum or text.
func showFound(v *view, a pdk.Args) (string, error) {
	s := v.Model
	what := strings.Join(a.Texts(0), " ")
	pitches, err := selector.ParsePitches(what)
	isPitch := err == nil && !a.Positionals[0].Quoted
	needle := strings.ToLower(what)
	var found []*song.Event
	for _, t := range s.Tracks() {
		for e := range t.Events() {
			switch {
			case isPitch && e.IsNote() && pitches.Match(e):
				found = append(found, e)
			case e.Status == smf.Meta && e.A >= 1 && e.A <= 15 && strings.Contains(strings.ToLower(e.Text()), needle):
				found = append(found, e)
			}
		}
	}
	if len(found) == 0 {
		return fmt.Sprintf("nothing found for %q: find takes a pitch (C4, C3-C5), a drum (kick) or a part of a text; chords: list @chord:Am7", what), nil
	}
	slices.SortStableFunc(found, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	return fmt.Sprintf("%d found:\n%s", len(found), eventLines(s, found, true)), nil
}
