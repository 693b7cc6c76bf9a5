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
func showEvents(v *view, a pdk.Args) (string, error) {
	s := v.Model
	everything := a.Text(0) == "*" && !a.Positionals[0].Quoted
	tracks := s.Tracks()
	var of *song.Track
	if !everything {
		t, err := track(v, a, 0)
		if err != nil {
			return "", err
		}
		tracks, of = []*song.Track{t}, t
	}
	from, to := int64(0), int64(smf.MaxTick)
	if a.Text(1) != "" {
		var err error
		if from, to, err = span(v, a, 1, of); err != nil {
			return "", err
		}
	}
	var found []*song.Event
	for _, t := range tracks {
		for e := range t.EventsFrom(from) {
			if e.Tick > to {
				break
			}
			if e.IsElement() {
				found = append(found, e)
			}
		}
	}
	if len(tracks) > 1 {
		slices.SortStableFunc(found, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	}
	if len(found) == 0 {
		return "no events there", nil
	}
	return lines(s, found, everything), nil
}

// lines prints one line for each event: its place, its track if asked for, and its
// content.
func lines(s *song.Song, found []*song.Event, named bool) string {
	var b strings.Builder
	names := map[*song.Track]string{}
	own := map[*song.Track]int{}
	for _, e := range found {
		fmt.Fprintf(&b, "%-9s ", s.At(e.Track, e.Tick))
		if _, ok := names[e.Track]; !ok {
			names[e.Track] = song.Brief(s.Name(e.Track), 30)
			own[e.Track] = e.Track.Channel()
		}
		if named {
			b.WriteString(names[e.Track] + ": ")
		}
		b.WriteString(s.Say(e))
		if c := e.Channel(); c > 0 && c != own[e.Track] {
			fmt.Fprintf(&b, " ch:%d", c)
		}
		b.WriteByte('\n')
	}
	return b.String()
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
	return fmt.Sprintf("%d:\n%s", len(found), lines(v.Model, found, len(v.Model.Music()) > 1)), nil
}

// find searches for a pitch, a drum or text.
func find(v *view, a pdk.Args) (string, error) {
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
	return fmt.Sprintf("%d found:\n%s", len(found), lines(s, found, true)), nil
}
