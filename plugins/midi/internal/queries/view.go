package queries

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
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

// Keys that say how a query answers: as text for models, or for the view.
var (
	drawAs   = value.Key[string]{Name: "format", Type: value.OneOf("png", "svg")}
	listenAs = value.Key[string]{Name: "format", Type: value.OneOf("notes")}
	pageKey  = value.Key[int]{Name: "page", Type: value.Int(1, math.MaxInt32), Default: 1}
)

// pageOf returns page n of the bars of a song, as ticks, and the first and the last bar of each page; none if there
// are no bars.
func pageOf(s *song.Song, n int) (from, to int64, pages [][2]int, err error) {
	to = max(s.End(), 1)
	m, _ := s.Meter(nil)
	if m == nil {
		return 0, to, nil, nil
	}
	last := m.Bars(to)
	for bar := 1; bar <= max(last, 1); bar += previewed {
		pages = append(pages, [2]int{bar, min(bar+previewed-1, last)})
	}
	if n > len(pages) {
		return 0, 0, nil, pdk.Errorf("there are pages 1 to %d", len(pages))
	}
	return m.BarTick(pages[n-1][0]), m.BarTick(pages[n-1][1] + 1), pages, nil
}

// wholePicture draws what the view shows: one page of bars, with the places of notes and times.
func wholePicture(s *song.Song, page int) (out abi.QueryResponse, err error) {
	from, to, pages, err := pageOf(s, page)
	if err != nil {
		return out, err
	}
	if len(pages) > 0 {
		out.Page = page
	}
	if len(pages) > 1 {
		out.Pages = pdk.Map(pages, func(bars [2]int) string { return fmt.Sprintf("bars %d to %d", bars[0], bars[1]) })
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

// exactSelector returns a selector of exactly one note on its track.
func exactSelector(s *song.Song, e *song.Event) string {
	at := s.At(e.Track, e.Tick)
	if strings.Count(at, ".") == 1 {
		at += ".0" // the beat itself, not everything that starts within it
	}
	return pdk.SelectorText([]abi.Select{{Type: "range", Value: at}, {Type: "pitch", Value: s.PitchName(e)}})
}

func millis(m *song.TempoMap, tick int64) int { return int(math.Round(m.Seconds(tick) * 1000)) }
