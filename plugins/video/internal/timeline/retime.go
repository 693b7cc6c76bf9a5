package timeline

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// retime changes the project's settings. At a new frame rate all cuts move to the nearest frames, so that tracks stay in sync: no
// clip disappears or leaves its media, and no gap or overlap appears. It names what does not keep its time or its share of the picture.
func (f *Film) retime(c *ctx, s settings) error {
	was, clips := f.parsed(), f.clips()
	if err := f.setProject(c, s); err != nil {
		return err
	}
	if s.width != was.settings.width || s.height != was.settings.height {
		warnOf(c, "keep their size and place in pixels", func(yield func(id string)) {
			for _, clip := range clips {
				o, p := clip.Over, clip.Caption
				if o != nil && (o.Width != 0 || o.Height != 0 || o.X != 0 || o.Y != 0) || p != nil && (p.Size != 0 || p.X != 0 || p.Y != 0) {
					yield(clip.ID)
				}
			}
		})
	}
	if was.rate == s.rate {
		return nil
	}
	for i, old := range was.tracks {
		if len(old.Clips) == 0 {
			continue
		}
		l := f.parsed().tracks[i].edit()
		l.retimeFrom(f, old)
		if err := l.write(c, "project "+s.String(), "project"); err != nil {
			return err
		}
	}
	warnOf(c, "adapted to the frames of the new rate, by less than one", func(yield func(id string)) {
		changed := func(now, before *Item) bool { return now.node.Text() != before.node.Text() }
		for i, t := range f.parsed().tracks {
			for k, clip := range t.Clips {
				if changed(clip.Item, was.tracks[i].Clips[k].Item) {
					yield(clip.ID)
				}
			}
			for k, j := range t.Joins {
				if changed(j.Item, was.tracks[i].Joins[k].Item) {
					yield(j.ID)
				}
			}
		}
	})
	return nil
}

// warnOf names the elements of which a side effect is true, on lines of 20.
func warnOf(c *ctx, what string, of func(yield func(id string))) {
	var found []string
	of(func(id string) { found = append(found, pdk.Quote(id)) })
	for some := range slices.Chunk(found, 20) {
		c.Warn("%s: %s", what, strings.Join(some, ", "))
	}
}

// retimeFrom gives an edit of a track that was read at a new rate the cuts that its track had at the old rate.
func (l *trackEdit) retimeFrom(f *Film, old *Track) {
	factor := l.track.rate.Float() / old.rate.Float()
	near := func(frames int) int { return int(math.Floor(float64(frames)*factor + 0.5)) }
	end := 0 // of the previous segment
	for i, s := range l.segs {
		was, shared, before := old.Clips[i], 0, 0 // frames shared with the previous segment
		if i > 0 {
			before = old.Clips[i-1].End
			if l.segs[i-1].next != nil {
				shared = l.segs[i-1].next.frames()
			}
		}
		from := end - shared
		if shared == 0 && was.Start > before {
			from = max(end, near(was.Start))
		}
		to := max(near(was.End), from+shared+1)
		s.in = was.source() * factor
		if was.kind == otherItem { // its length cannot change
			to = from + s.clip.Frames()
		} else if most := f.source(s.clip); most >= 0 { // start up to a frame earlier in the media rather than leave them
			to = min(to, max(from+shared+1, from+int((float64(most)+1e-6)/s.speed)))
			s.in = max(0, min(s.in, float64(most)-float64(to-from)*s.speed))
		}
		if p := was.Caption; p != nil && p.Fade > 0 { // in frames
			faded := *p
			faded.Fade = max(1, near(p.Fade))
			s.changes = append(s.changes, textChanges(s.clip, faded)...)
		}
		if s.next != nil {
			s.next.resize(max(1, min(near(was.right.Frames()), to-from-shared)))
		}
		s.start, s.end, end = from, to, to
	}
	l.tail = near(old.tail)
}
