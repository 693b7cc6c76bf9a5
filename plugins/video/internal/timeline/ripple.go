package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// trackShift is a move of everything that starts at or after a frame. It has happened on some tracks, and others may
// follow.
type trackShift struct {
	tracks     []string // tracks that have moved already
	start, end int      // the span that disappeared; empty where frames were inserted
	by         int
}

// ripplesAll reports whether an op says ripple:all.
func ripplesAll(a pdk.Args) bool { return follows.Of(a) == "all" }

// ripples reports whether an op says ripple, ripple:track or ripple:all, which moves what follows.
func ripples(a pdk.Args) bool {
	at := 1
	if len(a.Selectors) > 0 {
		at = 0
	}
	return keyword(a, at, "ripple") != "" || a.Has("ripple")
}

// placed is the name of an element, and its track, "" for a marker.
type placed struct{ name, track string }

// inBrief prints elements: their names, or how many on which tracks if the names are long.
func inBrief(list []placed) string {
	var names, tracks []string
	for _, p := range list {
		name, on := p.name, "no track"
		if p.track != "" {
			name, on = p.name+" on "+p.track, p.track
		}
		names, tracks = append(names, name), append(tracks, on)
	}
	names, tracks = unique(names), unique(tracks)
	if text := strings.Join(names, ", "); len(text) <= 60 {
		return text
	}
	return fmt.Sprintf("%d on %s", len(names), strings.Join(tracks, ", "))
}

// rippleOthers moves the other tracks and the markers along if the op says ripple:all. It returns text for the
// result, which names what moved along and what stayed and is now out of sync.
func rippleOthers(f *film.Film, c *film.Ctx, a pdk.Args, waves ...trackShift) (string, error) {
	all := ripplesAll(a)
	var moved, stay []placed
	for _, w := range waves {
		if w.by == 0 || !all && w.tracks[0][0] != film.VideoTrack { // only moves on video tracks can bring others out of sync
			continue
		}
		for _, t := range slices.Clone(f.Parsed().Tracks) {
			if slices.Contains(w.tracks, t.ID) {
				continue
			}
			l := t.Edit()
			var some []placed
			var ids []string
			for i, s := range l.Segs {
				name := placed{pdk.Quote(s.Id), t.ID}
				switch {
				case s.Start < w.start || s.Start == 0: // what starts with the film stays there
					continue
				case s.Start < w.end || !all:
					stay = append(stay, name)
					continue
				case i > 0 && l.Segs[i-1].Next != nil && l.Segs[i-1].Start < w.end:
					return "", pdk.Errorf("%s joins %s and %s on %s, and only the second begins after %s: ripple:all would part them", pdk.Quote(l.Segs[i-1].Next.Old.ID), pdk.Quote(l.Segs[i-1].Id), pdk.Quote(s.Id), t.ID, f.TimeText(w.end)).Try(a.Mended(pdk.Without("ripple")))
				}
				some, ids = append(some, name), append(ids, s.Id)
			}
			if len(some) == 0 {
				continue
			}
			for _, s := range l.Segs {
				if s.Start >= w.end {
					s.Start, s.End = s.Start+w.by, s.End+w.by
				}
			}
			if err := l.Check(); err != nil {
				return "", pdk.Errorf("%s cannot follow by %s: %v", t.ID, signed(f, w.by), err).Try(a.Mended(pdk.Without("ripple")))
			}
			pdk.Check(l.Write(c, "ripple", ids...))
			moved = append(moved, some...)
		}
		if all {
			names := shiftMarkers(f, c, w)
			for _, name := range names {
				moved = append(moved, placed{name: name})
			}
		}
	}
	said := ""
	if len(moved) > 0 {
		said = "; so do " + inBrief(moved)
	}
	if len(stay) > 0 {
		said += "; not moved along: " + inBrief(stay)
		if !all {
			said += " (ripple:all moves all tracks)"
		}
	}
	return said, nil
}

// unique removes duplicates.
func unique(words []string) (out []string) {
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// shiftMarkers moves the markers after a shift.
func shiftMarkers(f *film.Film, c *film.Ctx, w trackShift) (names []string) {
	for _, m := range f.Markers() {
		if m.At < w.end {
			continue
		}
		text := f.Doc.Edited(f.Doc.At(film.MarkersPath).Item(m.Index), otio.Change{Path: []string{"marked_range", "start_time"}, Value: otio.Time(float64(max(0, m.At+w.by)), f.Rate().Float())})
		pdk.Check(film.Change(c, f.Doc.Set(film.MarkersPath, m.Index, text), "marker "+m.Name))
		names = append(names, "marker "+pdk.Quote(m.Name))
	}
	return names
}
