package timeline

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func trim(c *ctx, a pdk.Args) error {
	f := c.Model
	ripple, err := ripples(a)
	if err != nil {
		return err
	}
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if len(a.Params) == 0 {
		return f.sample(pdk.Errorf("trim needs something to change: in: out: dur: of the media, or start: end: on the timeline"), "trim", a)
	}
	if clip.kind == otherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.name(), clip.Schema)
	}
	k := clock{f: f, track: clip.Track, inClip: true}
	l := clip.Track.edit()
	at := l.indexOf(clip)
	s := l.segs[at]
	now, err := k.readTrim(a, clip, s)
	if err != nil {
		return err
	}
	if err := f.checkTrim(a, clip, now, s.speed); err != nil {
		return err
	}
	if !f.isStill(clip) {
		now.in = max(0, now.in)
	}
	if now.start == s.start && now.end == s.end && math.Abs(now.in-s.in) < 1e-6 {
		return pdk.Unchanged("%s is already %s", clip.name(), f.span(now.start, now.end))
	}
	moved, w := "", trackShift{tracks: []string{clip.Track.ID}, start: s.end, end: s.end}
	if ripple {
		w.by = now.frames() - (s.end - s.start)
		now.start, now.end = s.start, s.start+now.frames()
		if at+1 < len(l.segs) && w.by != 0 {
			moved = fmt.Sprintf("; %s and what follows it move by %s", pdk.Quote(l.segs[at+1].id), signed(f, w.by))
		}
		for _, o := range l.segs[at+1:] {
			o.start, o.end = o.start+w.by, o.end+w.by
		}
	}
	if at == len(l.segs)-1 {
		l.tail = max(0, l.tail-max(0, now.end-s.end))
	}
	s.changes = append(s.changes, f.laterKeys(clip, int(math.Round((now.in-s.in)/s.speed)))...)
	s.start, s.end, s.in = now.start, now.end, now.in
	s.changes = append(s.changes, f.shorterFades(c, clip, now.frames())...)
	if err := l.check(); err != nil && clip.floats() && w.by == 0 && s.start >= 0 {
		t, err := f.putFloating(c, clip, s, false)
		if err != nil {
			return err
		}
		c.Changed("%s on %s %s%s%s", clip.name(), t.ID, f.span(now.start, now.end), f.mediaSpan(clip, now.in, now.frames()), k.noteText())
		return nil
	} else if err != nil {
		out := pdk.Errorf("%v", err)
		if w.by == 0 && (at+1 < len(l.segs) || at > 0) {
			out = out.Try(opText(a) + " ripple")
		}
		return out
	}
	if err := l.write(c, "trim "+clip.ID, clip.ID); err != nil {
		return err
	}
	follows, err := f.rippleOthers(c, a, w)
	if err != nil {
		return err
	}
	c.Changed("%s %s%s%s%s", clip.name(), f.span(now.start, now.end), f.mediaSpan(clip, now.in, now.frames()), moved+follows, k.noteText())
	return nil
}

// trimmed is the span that an op gives to a clip.
type trimmed struct {
	start, end int     // frames of the timeline
	in         float64 // first frame of the medium that is shown, in frames of the project
}

func (t trimmed) frames() int { return t.end - t.start }

// readTrim applies in:, out:, dur:, start: and end: of an op to the span of a clip's segment. It does not check the result.
func (k *clock) readTrim(a pdk.Args, clip *Clip, s *segment) (t trimmed, err error) {
	inMedia := a.Has("in") || a.Has("out")
	if inMedia && (a.Has("start") || a.Has("end")) {
		return t, pdk.Errorf("in: and out: count in the media, start: and end: on the timeline: give one pair").Try(a.Mended(pdk.Without("start", "end")), a.Mended(pdk.Without("in", "out")))
	}
	if inMedia && clip.kind == textItem {
		return t, pdk.Errorf("%s is a text, which has no in: and out:", clip.name())
	}
	t = trimmed{start: s.start, end: s.end, in: s.in}
	if t.start, err = k.adjusted(a, "start", s.start, k.moment); err != nil {
		return t, err
	}
	t.in += float64(t.start-s.start) * s.speed
	if t.end, err = k.adjusted(a, "end", s.end, k.moment); err != nil {
		return t, err
	}
	// in media counts in whole frames, unless it stays
	media := func(key string, now float64) (float64, error) {
		was := int(math.Round(now))
		n, err := k.adjusted(a, key, was, k.length)
		return now + float64(n-was), err
	}
	in, err := media("in", t.in)
	if err != nil {
		return t, err
	}
	t.end -= int(math.Round((in - t.in) / s.speed)) // keeps the last frame of the media that was shown
	t.in = in
	if a.Has("out") {
		out, err := media("out", t.in+float64(t.frames())*s.speed)
		if err != nil {
			return t, err
		}
		t.end = t.start + int(math.Round((out-t.in)/s.speed))
	}
	if a.Has("dur") {
		if a.Has("out") || a.Has("end") {
			return t, pdk.Errorf("dur: and the end: give one of them").Try(a.Mended(pdk.Without("dur")))
		}
		n, err := k.adjusted(a, "dur", t.frames(), k.length)
		if err != nil {
			return t, err
		}
		t.end = t.start + n
	}
	return t, nil
}

// checkTrim refuses a span that is empty or that leaves the clip's media. speed is the clip's.
func (f *Film) checkTrim(a pdk.Args, clip *Clip, t trimmed, speed float64) error {
	all := f.source(clip)
	past := t.in + float64(t.frames())*speed
	switch {
	case t.end <= t.start:
		return pdk.Errorf("nothing of %s would be left: it would start at %s and end at %s", clip.name(), f.timeText(t.start), f.timeText(t.end))
	case t.in < -0.5 && clip.kind == clipItem && !f.isStill(clip):
		return pdk.Errorf("%s would start %s before its media does", clip.name(), f.timeText(int(math.Ceil(-t.in))))
	case all >= 0 && past > float64(all)+0.5:
		most := int((float64(all) - t.in) / speed)
		err := pdk.Errorf("%s would be seen up to %s of its media, which is %s long", clip.name(), f.timeText(int(past)), f.timeText(all))
		if v, ok := a.Param("out"); ok && most > 0 {
			return err.Instead(v, f.timeText(all))
		}
		if v, ok := a.Param("dur"); ok && most > 0 {
			return err.Instead(v, f.timeText(most))
		}
		if v, ok := a.Param("end"); ok && most > 0 {
			return err.Instead(v, f.timeText(t.start+most))
		}
		return err
	}
	return nil
}

// opText returns an op as it was written.
func opText(a pdk.Args) string { return strings.TrimSpace(a.Raw) }

// mediaSpan prints which part of its medium a clip shows.
func (f *Film) mediaSpan(c *Clip, in float64, frames int) string {
	m := f.mediumOf(c)
	if m == nil || m.Still {
		return ""
	}
	s := fmt.Sprintf(", %s-%s of %s", f.timeText(int(math.Round(in))), f.timeText(int(math.Round(in+float64(frames)*c.Speed))), pdk.Quote(m.ID))
	if c.Speed != 1 {
		s += " at " + num(c.Speed) + "x"
	}
	return s
}

func signed(f *Film, frames int) string {
	if frames > 0 {
		return "+" + f.timeText(frames)
	}
	return f.timeText(frames)
}

// shorterFades returns the changes of a clip that becomes so short that its fades would overlap, and names them in the reply.
func (f *Film) shorterFades(c *ctx, clip *Clip, frames int) []otio.Change {
	n := frames + clip.cut.Before + clip.cut.After
	if clip.FadeIn+clip.FadeOut <= n {
		return nil
	}
	in, out := min(clip.FadeIn, n/2), min(clip.FadeOut, n/2)
	c.Warn("%s is too short for its fades, which are in %s and out %s now", clip.name(), f.timeText(in), f.timeText(out))
	return []otio.Change{fcpChange("fade_in", f.timeOrNil(in)), fcpChange("fade_out", f.timeOrNil(out))}
}

// timeOrNil returns a number of frames as a RationalTime, nil for 0.
func (f *Film) timeOrNil(frames int) any {
	if frames <= 0 {
		return nil
	}
	return otio.Time(float64(frames), f.rate().Float())
}
