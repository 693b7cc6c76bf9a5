package queries

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/picture"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// These are the queries for what the view shows and plays of a song, as declared in the
// manifest's View.

// Picture and Audio are its queries.
const (
	Picture = "preview format:svg"
	Audio   = "events * format:notes"
)

// hasFormat reports whether a query has a format and no other parameters than these
// keys.
func hasFormat(a pdk.Args, format string, keys ...string) bool {
	return a.String("format", "") == format && !slices.ContainsFunc(a.Params, func(p abi.KeyValue) bool { return p.Key != "format" && !slices.Contains(keys, p.Key) })
}

// withPicture adds to a query the picture format of the view: one page of bars, with
// the places of notes and times.
func withPicture(q query) query {
	run := q.Run
	q.Run = func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		if !hasFormat(a, "svg", "page") || len(a.Positionals)+len(a.Selectors) > 0 {
			return run(v, a)
		}
		s := v.Model
		from, to := int64(0), max(s.End(), 1)
		var out abi.QueryResponse
		if m, _ := s.Meter(nil); m != nil {
			last := m.Bars(to)
			for bar := 1; bar <= last && last > previewed; bar += previewed {
				out.Pages = append(out.Pages, fmt.Sprintf("bars %d to %d", bar, min(bar+previewed-1, last)))
			}
			page, err := strconv.Atoi(a.String("page", "1"))
			if err != nil || page < 1 || page > max(1, len(out.Pages)) {
				return out, pdk.Errorf("there are pages 1 to %d", max(1, len(out.Pages)))
			}
			first := (page-1)*previewed + 1
			out.Page, from, to = page, m.BarTick(first), m.BarTick(min(first+previewed-1, last)+1)
		}
		svg, places, x := picture.Places(s, from, to, min(picture.Width(s, from, to), picture.MaxWidth))
		out.Text = s.At(nil, from) + " to " + s.At(nil, to)
		out.Content = []abi.Content{{MIME: "image/svg+xml", Data: svg}}
		tracks := map[*song.Track]string{}
		for _, p := range places[:min(len(places), abi.MaxAreas)] {
			t := p.Note.Track
			if tracks[t] == "" {
				tracks[t] = "@track:" + s.TracksRef([]*song.Track{t})
			}
			out.Areas = append(out.Areas, pdk.Area(tracks[t]+" "+exactSelector(s, p.Note), p.X, p.Y, p.Width, p.Height, p.Note.Ref()))
		}
		tempo := s.Tempo(nil)
		at := func(tick int64) {
			out.Times = append(out.Times, abi.Moment{At: millis(tempo, tick), X: pdk.Hundredths(x(tick))})
		}
		at(from)
		for _, c := range tempo.Changes {
			if c.Tick > from && c.Tick < to {
				at(c.Tick)
			}
		}
		at(to)
		return out, nil
	}
	return q
}

// exactSelector returns a selector of exactly one note on its track.
func exactSelector(s *song.Song, e *song.Event) string {
	at := s.At(e.Track, e.Tick)
	if strings.Count(at, ".") == 1 {
		at += ".0" // the beat itself, not everything that starts within it
	}
	return pdk.SelectorText([]abi.Select{{Type: "range", Value: at}, {Type: "pitch", Value: s.PitchName(e)}})
}

func millis(m *song.TempoMap, tick int64) int { return int(math.Round(m.Seconds(tick) * 1000)) }
