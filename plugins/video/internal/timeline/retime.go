package timeline

import "math"

// retime changes the project's settings. At another rate cuts come to the frames nearest to where they were, so that tracks stay in
// step with each other: no clip goes, none leaves its media, and no gap or overlap is made.
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
		l := f.parsed().tracks[i].lane()
		l.retimeFrom(f, old)
		if err := l.write(c, "project "+s.String(), "project"); err != nil {
			return err
		}
	}
	return nil
}

// retimeFrom has a lane, which was read at a new rate, do what its track did at the old one.
func (l *lane) retimeFrom(f *Film, old *Track) {
	factor := l.track.rate.Float() / old.rate.Float()
	near := func(frames int) int { return int(math.Floor(float64(frames)*factor + 0.5)) }
	end := 0 // of the seg before
	for i, s := range l.segs {
		was, shared, before := old.Clips[i], 0, 0 // what it shares with the seg before
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
		if was.kind == otherItem { // kept as it is
			to = from + s.clip.Frames()
		} else if most := f.source(s.clip); most >= 0 { // rather than to leave its media it begins up to a frame earlier in it
			to = min(to, max(from+shared+1, from+int((float64(most)+1e-6)/s.speed)))
			s.in = max(0, min(s.in, float64(most)-float64(to-from)*s.speed))
		}
		if s.next != nil {
			s.next.frames = max(1, min(near(was.right.Frames()), to-from-shared))
		}
		s.start, s.end, end = from, to, to
	}
	l.tail = near(old.tail)
}
