package timeline

import (
	"fmt"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

// interval is a span of frames.
type interval struct{ from, to int }

// uncovered returns the intervals between 0 and end that no other interval covers.
func uncovered(covered []interval, end int) (out []interval) {
	slices.SortFunc(covered, func(a, b interval) int { return a.from - b.from })
	at := 0
	for _, c := range covered {
		if c.from > at {
			out = append(out, interval{at, min(c.from, end)})
		}
		at = max(at, c.to)
	}
	if at < end {
		out = append(out, interval{at, end})
	}
	return slices.DeleteFunc(out, func(h interval) bool { return h.from >= h.to })
}

// warnings lists what is probably unintended, judging by the document alone: it does not read the media files.
func warnings(f *film.Film) (out []string) {
	w := f.Parsed()
	say := func(what string, list []string) {
		if len(list) > 0 {
			out = append(out, what+pdk.List(list, 5))
		}
	}
	spanned := func(list []interval) (texts []string) {
		for _, h := range list {
			texts = append(texts, f.Rate().Clock(h.from)+"-"+f.Rate().Clock(h.to))
		}
		return texts
	}
	found := clipWarnings{film: f, compared: map[*media.Medium]bool{}}
	var ducks []string
	first := "" // the lowest video track that is not hidden
	for _, t := range w.Tracks {
		if t.Hidden {
			continue
		}
		if t.Kind == film.VideoTrack && first == "" {
			first = t.ID
		}
		for _, d := range t.Ducks {
			if film.Find(w.Tracks, func(o *film.Track) bool { return o.ID == d.Under && !o.Hidden && !o.Mute && len(o.Clips) > 0 }) == nil {
				ducks = append(ducks, t.ID+" under "+d.Under)
			}
		}
		for _, c := range t.Clips {
			found.add(c)
		}
	}
	say(first+": gap at ", spanned(uncovered(found.seen, found.pictured)))
	say("transition longer than a handle (its media ends within it): ", found.handles)
	say("past the end of its media: ", found.past)
	say("without media, which prevents rendering (modify CLIP media:FILE): ", found.bare)
	say("of unknown length (media NAME probes it, or declares it): ", found.unknown)
	out = append(out, found.mixed[:min(len(found.mixed), 5)]...)
	say("seen for less than 0.5s: ", found.fast)
	textWarnings(f, &out)
	if found.pictured > 0 {
		sounding := 0 // where the last sound ends
		for _, h := range found.heard {
			sounding = max(sounding, h.to)
		}
		if n := sounding - found.pictured; n > 0 {
			out = append(out, fmt.Sprintf("sound goes on for %s after the pictures end, at %s", f.TimeText(n), f.TimeText(found.pictured)))
		}
		second, _ := w.Rate.Frames(oneSecond)
		if len(found.heard) == 0 {
			out = append(out, "no sound in the film")
		} else {
			say("silence at ", spanned(slices.DeleteFunc(uncovered(found.heard, found.pictured), func(h interval) bool { return h.to-h.from < second })))
		}
	}
	say("ducked under a track that is not heard: ", ducks)
	say("nested, kept and not rendered: ", found.nested)
	say("effects of other programs, kept and not rendered: ", found.foreign)
	return out
}

// clipWarnings collects the clips that warnings are about.
type clipWarnings struct {
	film        *film.Film
	seen, heard []interval // what video clips and sounds cover
	pictured    int        // where the last video clip ends
	compared    map[*media.Medium]bool

	past    []string // show more than their media have
	handles []string // their media end within a transition
	bare    []string // without media
	unknown []string // with media of unknown length
	fast    []string // shown for less than half a second
	nested  []string
	foreign []string // with effects of other programs
	mixed   []string // media of another format than the film
}

func (w *clipWarnings) add(c *film.Clip) {
	f, t := w.film, c.Track
	of := f.Parsed()
	switch {
	case c.Kind == film.OtherItem:
		w.nested = append(w.nested, c.Ref())
		return
	case c.Off || c.Kind == film.TextItem:
		return
	}
	if slices.ContainsFunc(c.Effects, func(e film.Effect) bool { return e.Kind == "" }) {
		w.foreign = append(w.foreign, c.Ref())
	}
	m := f.MediumOf(c)
	if t.Kind == film.VideoTrack && c.Over == nil {
		w.seen = append(w.seen, interval{c.Start, c.End})
		w.pictured = max(w.pictured, c.End)
	}
	if m == nil {
		w.bare = append(w.bare, c.Ref())
		return
	}
	if m.Audio && !c.Mute && !t.Mute && (t.Kind == film.AudioTrack || c.Sound) {
		w.heard = append(w.heard, interval{c.Start, c.End})
	}
	all := m.Frames(of.Rate)
	switch over := c.Source() + float64(c.Frames())*c.Speed - float64(all); {
	case all < 0 && !m.Still:
		w.unknown = append(w.unknown, c.Ref())
	case all >= 0 && (over > 0.5 || c.Source() < -0.5):
		cut := c.In + float64(c.Dur)*c.Speed
		if c.In >= -0.5 && cut <= float64(all)+0.5 {
			w.handles = append(w.handles, c.Ref())
		} else {
			w.past = append(w.past, fmt.Sprintf("%s by %s", c.Ref(), f.TimeText(int(math.Ceil(max(over, -c.Source()))))))
		}
	}
	if !w.compared[m] && t.Kind == film.VideoTrack && c.Over == nil {
		w.compared[m] = true
		if text := formatMismatch(m, of.Settings, c); text != "" {
			w.mixed = append(w.mixed, text)
		}
	}
	if c.Frames()*int(of.Rate.Den)*2 < int(of.Rate.Num) && t.Kind == film.VideoTrack && c.Left == nil && c.Right == nil {
		w.fast = append(w.fast, c.Ref())
	}
}

// formatMismatch says how the format of a medium differs from the film's.
func formatMismatch(m *media.Medium, s film.Settings, c *film.Clip) string {
	var parts []string
	if m.Rate.Num > 0 && m.Rate != s.Rate && !m.Still {
		parts = append(parts, fmt.Sprintf("%s fps in a film of %s", m.Rate, s.Rate))
	}
	if m.Width > 0 && m.Height > 0 && (c.Fit == "" || c.Fit == "contain") {
		if a, b := float64(m.Width)/float64(m.Height), float64(s.Width)/float64(s.Height); math.Abs(a/b-1) > 0.01 {
			parts = append(parts, fmt.Sprintf("%dx%d leaves bars in %dx%d (modify %s fit:cover fills it)", m.Width, m.Height, s.Width, s.Height, c.Ref()))
		} else if m.Width*2 < s.Width {
			parts = append(parts, fmt.Sprintf("%dx%d is enlarged to %dx%d", m.Width, m.Height, s.Width, s.Height))
		}
	}
	if m.Rotation != 0 && len(parts) > 0 {
		parts = append(parts, fmt.Sprintf("it is rotated by %d°", m.Rotation))
	}
	if parts == nil {
		return ""
	}
	return pdk.Quote(m.ID) + ": " + pdk.List(parts, 3)
}
