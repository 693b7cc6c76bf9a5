package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// stretch is the part of a medium that is shown, in frames of the project.
type stretch struct{ in, dur int }

// readStretch reads in:, out: and dur: for a medium. Without out: and dur: the length is otherwise frames if that is
// positive, as far as the medium goes, and else the rest of the medium.
func (k *clock) readStretch(a pdk.Args, m *media.Medium, otherwise int) (s stretch, err error) {
	in, _ := optional(a, "in", k.length)
	out, outGiven := optional(a, "out", k.length)
	dur, durGiven := optional(a, "dur", k.length)
	all := m.Frames(k.f.Rate())
	s.in = in
	switch {
	case outGiven && durGiven && out-in != dur:
		return s, pdk.Errorf("in:, out: and dur: do not agree: give two of them").Try(a.Mended(pdk.Without("dur")), a.Mended(pdk.Without("out")))
	case durGiven:
		s.dur = dur
	case outGiven:
		s.dur = out - in
	case otherwise > 0:
		s.dur = otherwise
		if all >= 0 {
			s.dur = min(s.dur, all-in)
		}
	case m.Still:
		s.dur, _ = k.f.Rate().Frames(stillLength)
	case all < 0:
		return s, pdk.Errorf("the length of %s is unknown: give dur:, or declare it with media %s duration:10s", pdk.Quote(m.ID), pdk.Quote(m.ID))
	default:
		s.dur = all - in
	}
	if all >= 0 && in >= all {
		return s, pdk.Errorf("in:%s is at or after the end of %s, which is %s long", a.String("in", ""), pdk.Quote(m.ID), k.f.TimeText(all)).Try(a.Mended(pdk.WithParam("in", "0s")))
	}
	if s.dur < 1 {
		return s, pdk.Errorf("nothing would be seen: it ends at %s of the media and begins at %s", k.f.TimeText(in+s.dur), k.f.TimeText(in))
	}
	if all >= 0 && in+s.dur > all {
		err := pdk.Errorf("%s is %s long, and would be shown up to %s", pdk.Quote(m.ID), k.f.TimeText(all), k.f.TimeText(in+s.dur))
		if outGiven {
			return s, err.Try(a.Mended(pdk.WithParam("out", k.f.TimeText(all))))
		}
		return s, err.Try(a.Mended(pdk.WithParam("dur", k.f.TimeText(all-in))))
	}
	return s, nil
}

func addClip(c *film.Ctx, a pdk.Args, kind byte) error {
	pdk.Check(allowOnly(a, "add "+a.Text(0), "to", "at", "after", "in", "out", "dur", "until", "volume", "fit", "id", "ripple"))
	m := pdk.Must(film.ResolveMedium(c, a.Text(1)))
	if kind == film.VideoTrack && !m.Video {
		return pdk.Errorf("%s has no pictures", pdk.Quote(m.ID)).Try(a.Mended(pdk.WithWords(0, 1, "audio"), pdk.Without("to", "fit")))
	}
	if kind == film.AudioTrack && !m.Audio {
		return pdk.Errorf("%s has no sound", pdk.Quote(m.ID)).Try(a.Mended(pdk.WithWords(0, 1, "clip"), pdk.Without("to")))
	}
	volume, fit := loudness.Of(a), fit.Of(a)
	id := newID(c.Model, a, m.ID)
	ours := otio.Object{film.Field("media", m.ID)}
	if kind == film.VideoTrack && m.Audio {
		ours = append(ours, film.Field("sound", true))
	}
	if volume != 0 {
		ours = append(ours, film.Field("volume", volume))
	}
	if fit != "" && fit != "contain" {
		ours = append(ours, film.Field("fit", fit))
	}
	spot := pdk.Must(findSpot(c, a, m, kind))
	f := c.Model
	s := &film.Segment{Id: id, Start: spot.at, End: spot.at + spot.dur, In: float64(spot.in), Speed: 1,
		Item: &film.Item{Rate: f.Rate(), Schema: "Clip.2", Name: id, Own: true, Dur: spot.dur, In: float64(spot.in), Avail: m.Frames(f.Rate()), Medium: m.ID, Url: film.URLOfPath(m.Path), Speed: 1, Sound: kind == film.VideoTrack && m.Audio, Volume: volume, Fit: strings.TrimPrefix(fit, "contain")},
		Make: func(_, dur int, in float64) otio.Object {
			return film.NewClip(id, ours, otio.Range(in, float64(dur), f.Rate().Float()), f.MediaReference(m))
		}}
	pdk.Check(spot.insert(c, s))
	follows := pdk.Must(rippleOthers(f, c, a, spot.shift))
	c.Created("%s on %s %s%s%s%s", pdk.Quote(id), spot.on.ID, spanText(f, s.Start, s.End), spot.moved, follows, spot.noteText())
	return nil
}

// spot is where a new clip goes.
type spot struct {
	clock
	stretch
	on    *film.Track
	edit  *film.TrackEdit // nil if no other clip has to change
	at    int
	moved string
	shift trackShift // the move of the clips that follow
}

// findSpot reads to:, at:, after: and until: of add clip and add audio, and the part of the medium that is shown.
func findSpot(c *film.Ctx, a pdk.Args, m *media.Medium, kind byte) (*spot, error) {
	f := c.Model
	s := &spot{clock: clock{f: f}}
	_, toGiven := a.Param("to")
	_, atGiven := a.Param("at")
	t, behind, at := findTrack(f, c, a, kind)
	s.track = t
	switch {
	case behind != nil:
		s.at = behind.End
	case atGiven:
		s.at = pdk.Must(s.moment("at", at))
	case kind == film.VideoTrack || toGiven:
		s.at = t.End()
	}
	pdk.Check(s.readMediaPart(c, a, m))
	if !toGiven && behind == nil && kind == film.AudioTrack { // the first audio track with room
		for _, other := range f.Parsed().Tracks {
			if other.Kind == film.AudioTrack && other.Free(s.at, s.at+s.dur) {
				s.on = other
				return s, nil
			}
		}
		t = addTrack(c, film.AudioTrack, nextTrack(f, film.AudioTrack))
	}
	s.on = t
	if behind == nil && t.Free(s.at, s.at+s.dur) {
		return s, nil
	}
	s.edit = t.Edit()
	if behind != nil {
		pdk.Check(s.pushFollowing(a, behind))
		return s, nil
	}
	h := s.edit.Overlapping(s.at, s.at+s.dur)
	taken := pdk.Errorf("%s has %s from %s to %s", t.ID, pdk.Quote(h.Id), f.TimeText(h.Start), f.TimeText(h.End))
	if !atGiven {
		return nil, taken
	}
	later := a.Mended(pdk.WithParam("at", "end"))
	if h.Start > s.at {
		return nil, taken.Try(a.Mended(pdk.Without("dur", "out", "until"), pdk.WithParam("dur", f.TimeText(h.Start-s.at))), later)
	}
	return nil, taken.Try(later, a.Mended(pdk.Without("at"), pdk.WithParam("after", s.edit.LastJoined(h))))
}

// findTrack finds the track that to: or after: name, or the first one of the kind, and adds it if it is the next one
// of its kind. behind is the clip of after:, nil without it; at is the text of at:.
func findTrack(f *film.Film, c *film.Ctx, a pdk.Args, kind byte) (t *film.Track, behind *film.Clip, at string) {
	ref, toGiven := a.Param("to")
	if !toGiven {
		ref = string(kind) + "1"
	}
	at, after := atOrAfter(a)
	if after != "" {
		behind = pdk.Must(f.Clip(after, false))
		if toGiven && !strings.EqualFold(behind.Track.ID, ref) {
			pdk.Check(pdk.Errorf("%s is on %s, not %s", behind.Ref(), behind.Track.ID, ref).Try(a.Mended(pdk.Without("to"))))
		}
		ref = behind.Track.ID
	}
	t = trackOrNext(c, a, ref)
	if (t.Kind == film.AudioTrack) != (kind == film.AudioTrack) || t.Kind == film.TextTrack {
		right := tracksOf(f, kind)
		if len(right) == 0 {
			right = []string{string(kind) + "1"}
		}
		pdk.Check(pdk.Errorf("%s holds %s: give %s", t.ID, map[byte]string{film.VideoTrack: "pictures", film.AudioTrack: "sounds", film.TextTrack: "texts"}[t.Kind], pdk.List(right, 5)).Instead(ref, right[0]))
	}
	return t, behind, at
}

// readMediaPart reads in:, out:, dur: and until:.
func (s *spot) readMediaPart(c *film.Ctx, a pdk.Args, m *media.Medium) (err error) {
	f, otherwise := s.f, 0
	until, bounded := a.Param("until")
	if bounded {
		film := s.clock
		film.track = nil
		end := pdk.Must(film.moment("until", until))
		s.notes = append(s.notes, film.notes...)
		if otherwise = end - s.at; otherwise < 1 {
			return pdk.Errorf("until:%s is %s, and it would start at %s", until, f.TimeText(end), f.TimeText(s.at))
		}
	}
	s.stretch = pdk.Must(s.readStretch(a, m, otherwise))
	if bounded && s.dur < otherwise {
		c.Warn("%s ends at %s, %s before until:%s: there is no more of its media", pdk.Quote(m.ID), f.TimeText(s.at+s.dur), f.TimeText(otherwise-s.dur), until)
	}
	return nil
}

// pushFollowing moves what follows a clip, so that the new one fits after it. It fails where the clip is joined to
// its follower.
func (s *spot) pushFollowing(a pdk.Args, behind *film.Clip) error {
	if next := behind.Right; next != nil {
		return pdk.Errorf("%s and %s are joined by %s: remove that, or add after %s", behind.Ref(), next.B.Ref(), pdk.Quote(next.ID), next.B.Ref()).Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", next.B.ID)))
	}
	at := s.edit.IndexOf(behind)
	if at+1 == len(s.edit.Segs) {
		return nil
	}
	next := s.edit.Segs[at+1]
	if push := s.at + s.dur - next.Start; push > 0 {
		s.shift = trackShift{tracks: []string{s.on.ID}, start: next.Start, end: next.Start, by: push}
		s.edit.Shift(next.Start, push)
		s.moved = fmt.Sprintf("; %s and what follows it start %s later", pdk.Quote(next.Id), s.f.TimeText(push))
	}
	return nil
}

// insert writes the new clip.
func (s *spot) insert(c *film.Ctx, n *film.Segment) error {
	if s.edit == nil {
		if ok, err := s.on.Append(c, n); ok {
			return err
		}
		s.edit = s.on.Edit()
	}
	s.edit.Put(n)
	return s.edit.Write(c, "add "+n.Id, n.Id)
}

// tracksOf returns the ids of the tracks of a kind.
func tracksOf(f *film.Film, kind byte) []string {
	return pdk.Map(pdk.Filter(f.Parsed().Tracks, func(t *film.Track) bool { return t.Kind == kind }), trackID)
}
