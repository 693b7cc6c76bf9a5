package timeline

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func runTrim(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	ripple := ripples(a)
	clip := pdk.Must(f.Clip(a.Text(0), false))
	if len(a.Params) == 0 {
		return withSample(f, pdk.Errorf("trim needs something to change: in: out: dur: of the media, or start: end: on the timeline"), "trim", a)
	}
	if clip.Kind == film.OtherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.Ref(), clip.Schema)
	}
	k := clock{f: f, track: clip.Track, inClip: true}
	l := clip.Track.Edit()
	at := l.IndexOf(clip)
	s := l.Segs[at]
	now := pdk.Must(k.readTrim(a, clip, s))
	pdk.Check(checkTrim(f, a, clip, now, s.Speed))
	if !f.IsStill(clip) {
		now.in = max(0, now.in)
	}
	if now.start == s.Start && now.end == s.End && math.Abs(now.in-s.In) < 1e-6 {
		return pdk.Unchanged("%s is already %s", clip.Ref(), spanText(f, now.start, now.end))
	}
	moved, w := "", trackShift{tracks: []string{clip.Track.ID}, start: s.End, end: s.End}
	if ripple {
		w.by = now.frames() - (s.End - s.Start)
		now.start, now.end = s.Start, s.Start+now.frames()
		if at+1 < len(l.Segs) && w.by != 0 {
			moved = fmt.Sprintf("; %s and what follows it move by %s", pdk.Quote(l.Segs[at+1].Id), signed(f, w.by))
		}
		for _, o := range l.Segs[at+1:] {
			o.Start, o.End = o.Start+w.by, o.End+w.by
		}
	}
	if at == len(l.Segs)-1 {
		l.Tail = max(0, l.Tail-max(0, now.end-s.End))
	}
	s.Changes = append(s.Changes, f.LaterKeys(clip, int(math.Round((now.in-s.In)/s.Speed)))...)
	s.Start, s.End, s.In = now.start, now.end, now.in
	s.Changes = append(s.Changes, shorterFades(f, c, clip, now.frames())...)
	if err := l.Check(); err != nil && floats(clip) && w.by == 0 && s.Start >= 0 {
		t := putFloating(f, c, clip, s, false)
		c.Changed("%s on %s %s%s%s", clip.Ref(), t.ID, spanText(f, now.start, now.end), mediaSpan(f, clip, now.in, now.frames()), k.noteText())
		return nil
	} else if err != nil {
		out := pdk.Errorf("%v", err)
		if w.by == 0 && (at+1 < len(l.Segs) || at > 0) {
			out = out.Try(opText(a) + " ripple")
		}
		return out
	}
	pdk.Check(l.Write(c, "trim "+clip.ID, clip.ID))
	follows := pdk.Must(rippleOthers(f, c, a, w))
	c.Changed("%s %s%s%s%s", clip.Ref(), spanText(f, now.start, now.end), mediaSpan(f, clip, now.in, now.frames()), moved+follows, k.noteText())
	return nil
}

// trimmed is the span that an op gives to a clip.
type trimmed struct {
	start, end int     // frames of the timeline
	in         float64 // first frame of the medium that is shown, in frames of the project
}

func (t trimmed) frames() int { return t.end - t.start }

// readTrim applies in:, out:, dur:, start: and end: of an op to the span of a clip's segment. It does not check the
// result.
func (k *clock) readTrim(a pdk.Args, clip *film.Clip, s *film.Segment) (t trimmed, err error) {
	inMedia := a.Has("in") || a.Has("out")
	if inMedia && (a.Has("start") || a.Has("end")) {
		return t, pdk.Errorf("in: and out: count in the media, start: and end: on the timeline: give one pair").Try(a.Mended(pdk.Without("start", "end")), a.Mended(pdk.Without("in", "out")))
	}
	if inMedia && clip.Kind == film.TextItem {
		return t, pdk.Errorf("%s is a text, which has no in: and out:", clip.Ref())
	}
	t = trimmed{start: s.Start, end: s.End, in: s.In}
	t.start = k.adjusted(a, "start", s.Start, k.moment)
	t.in += float64(t.start-s.Start) * s.Speed
	t.end = k.adjusted(a, "end", s.End, k.moment)
	// in media counts in whole frames, unless it stays
	media := func(key string, now float64) float64 {
		was := int(math.Round(now))
		return now + float64(k.adjusted(a, key, was, k.length)-was)
	}
	in := media("in", t.in)
	t.end -= int(math.Round((in - t.in) / s.Speed)) // keeps the last frame of the media that was shown
	t.in = in
	if a.Has("out") {
		out := media("out", t.in+float64(t.frames())*s.Speed)
		t.end = t.start + int(math.Round((out-t.in)/s.Speed))
	}
	if a.Has("dur") {
		if a.Has("out") || a.Has("end") {
			return t, pdk.Errorf("dur: and the end: give one of them").Try(a.Mended(pdk.Without("dur")))
		}
		t.end = t.start + k.adjusted(a, "dur", t.frames(), k.length)
	}
	return t, nil
}

// checkTrim refuses a span that is empty or that leaves the clip's media. speed is the clip's.
func checkTrim(f *film.Film, a pdk.Args, clip *film.Clip, t trimmed, speed float64) error {
	all := f.Source(clip)
	past := t.in + float64(t.frames())*speed
	switch {
	case t.end <= t.start:
		return pdk.Errorf("nothing of %s would be left: it would start at %s and end at %s", clip.Ref(), f.TimeText(t.start), f.TimeText(t.end))
	case t.in < -0.5 && clip.Kind == film.ClipItem && !f.IsStill(clip):
		return pdk.Errorf("%s would start %s before its media does", clip.Ref(), f.TimeText(int(math.Ceil(-t.in))))
	case all >= 0 && past > float64(all)+0.5:
		most := int((float64(all) - t.in) / speed)
		err := pdk.Errorf("%s would be seen up to %s of its media, which is %s long", clip.Ref(), f.TimeText(int(past)), f.TimeText(all))
		if v, ok := a.Param("out"); ok && most > 0 {
			return err.Instead(v, f.TimeText(all))
		}
		if v, ok := a.Param("dur"); ok && most > 0 {
			return err.Instead(v, f.TimeText(most))
		}
		if v, ok := a.Param("end"); ok && most > 0 {
			return err.Instead(v, f.TimeText(t.start+most))
		}
		return err
	}
	return nil
}

// opText returns an op as it was written.
func opText(a pdk.Args) string { return strings.TrimSpace(a.Raw) }

// mediaSpan prints which part of its medium a clip shows.
func mediaSpan(f *film.Film, c *film.Clip, in float64, frames int) string {
	m := f.MediumOf(c)
	if m == nil || m.Still {
		return ""
	}
	s := fmt.Sprintf(", %s-%s of %s", f.TimeText(int(math.Round(in))), f.TimeText(int(math.Round(in+float64(frames)*c.Speed))), pdk.Quote(m.ID))
	if c.Speed != 1 {
		s += " at " + value.FormatNumber(c.Speed) + "x"
	}
	return s
}

func signed(f *film.Film, frames int) string {
	if frames > 0 {
		return "+" + f.TimeText(frames)
	}
	return f.TimeText(frames)
}

// shorterFades returns the changes of a clip that becomes so short that its fades would overlap, and names them in
// the reply.
func shorterFades(f *film.Film, c *film.Ctx, clip *film.Clip, frames int) []otio.Change {
	n := frames + clip.Cut.Before + clip.Cut.After
	if clip.FadeIn+clip.FadeOut <= n {
		return nil
	}
	in, out := min(clip.FadeIn, n/2), min(clip.FadeOut, n/2)
	c.Warn("%s is too short for its fades, which are in %s and out %s now", clip.Ref(), f.TimeText(in), f.TimeText(out))
	return []otio.Change{fcpChange("fade_in", timeOrNil(f, in)), fcpChange("fade_out", timeOrNil(f, out))}
}

// timeOrNil returns a number of frames as a RationalTime, nil for 0.
func timeOrNil(f *film.Film, frames int) any {
	if frames <= 0 {
		return nil
	}
	return otio.Time(float64(frames), f.Rate().Float())
}
