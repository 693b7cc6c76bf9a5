package timeline

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// retime changes the project's settings. At a new frame rate all cuts move to the nearest frames, so that tracks stay
// in sync: no clip disappears or leaves its media, and no gap or overlap appears. It names what does not keep its
// time or its share of the picture.
func retime(f *film.Film, c *film.Ctx, s film.Settings) {
	was, clips := f.Parsed(), f.Clips()
	pdk.Check(f.SetProject(c, s))
	if s.Width != was.Settings.Width || s.Height != was.Settings.Height {
		warnOf(c, "keep their size and place in pixels", func(yield func(id string)) {
			for _, clip := range clips {
				o, p := clip.Over, clip.Caption
				if o != nil && (o.Width != 0 || o.Height != 0 || o.X != 0 || o.Y != 0) || p != nil && (p.Size != 0 || p.X != 0 || p.Y != 0) {
					yield(clip.ID)
				}
			}
		})
	}
	if was.Rate == s.Rate {
		return
	}
	for i, old := range was.Tracks {
		if len(old.Clips) == 0 {
			continue
		}
		l := f.Parsed().Tracks[i].Edit()
		retimeFrom(l, f, old)
		pdk.Check(l.Write(c, "project "+s.String(), "project"))
	}
	warnOf(c, "adapted to the frames of the new rate, by less than one", func(yield func(id string)) {
		changed := func(now, before *film.Item) bool { return now.Node.Text() != before.Node.Text() }
		for i, t := range f.Parsed().Tracks {
			for k, clip := range t.Clips {
				if changed(clip.Item, was.Tracks[i].Clips[k].Item) {
					yield(clip.ID)
				}
			}
			for k, j := range t.Joins {
				if changed(j.Item, was.Tracks[i].Joins[k].Item) {
					yield(j.ID)
				}
			}
		}
	})
}

// warnOf names the elements of which a side effect is true, on lines of 20.
func warnOf(c *film.Ctx, what string, of func(yield func(id string))) {
	var found []string
	of(func(id string) { found = append(found, pdk.Quote(id)) })
	for some := range slices.Chunk(found, 20) {
		c.Warn("%s: %s", what, strings.Join(some, ", "))
	}
}

// retimeFrom gives an edit of a track that was read at a new rate the cuts that its track had at the old rate.
func retimeFrom(l *film.TrackEdit, f *film.Film, old *film.Track) {
	factor := l.Track.Rate.Float() / old.Rate.Float()
	near := func(frames int) int { return int(math.Floor(float64(frames)*factor + 0.5)) }
	end := 0 // of the previous segment
	for i, s := range l.Segs {
		was, shared, before := old.Clips[i], 0, 0 // frames shared with the previous segment
		if i > 0 {
			before = old.Clips[i-1].End
			if l.Segs[i-1].Next != nil {
				shared = l.Segs[i-1].Next.Frames()
			}
		}
		from := end - shared
		if shared == 0 && was.Start > before {
			from = max(end, near(was.Start))
		}
		to := max(near(was.End), from+shared+1)
		s.In = was.Source() * factor
		if was.Kind == film.OtherItem { // its length cannot change
			to = from + s.Clip.Frames()
		} else if most := f.Source(s.Clip); most >= 0 { // start up to a frame earlier in the media rather than leave them
			to = min(to, max(from+shared+1, from+int((float64(most)+1e-6)/s.Speed)))
			s.In = max(0, min(s.In, float64(most)-float64(to-from)*s.Speed))
		}
		if p := was.Caption; p != nil && p.Fade > 0 { // in frames
			faded := *p
			faded.Fade = max(1, near(p.Fade))
			s.Changes = append(s.Changes, textChanges(s.Clip, faded)...)
		}
		if s.Next != nil {
			s.Next.Resize(max(1, min(near(was.Right.Frames()), to-from-shared)))
		}
		s.Start, s.End, end = from, to, to
	}
	l.Tail = near(old.Tail)
}
