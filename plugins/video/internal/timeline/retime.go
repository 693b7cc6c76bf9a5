package timeline

import "math"

// retime changes the project's settings. At a new frame rate all cuts move to the nearest frames, so that tracks stay in sync: no
// clip disappears or leaves its media, and no gap or overlap appears.
func (f *Film) retime(c *ctx, s settings) error {
	was := f.parsed()
	if err := f.setProject(c, s); err != nil {
		return err
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
	return nil
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
				shared = l.segs[i-1].next.frames
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
			s.next.frames = max(1, min(near(was.right.Frames()), to-from-shared))
		}
		s.start, s.end, end = from, to, to
	}
	l.tail = near(old.tail)
}
