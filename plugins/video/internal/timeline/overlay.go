package timeline

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func overlayVerbs() []film.Verb {
	return []film.Verb{
		{Run: overlay, Keys: []pdk.Parameter{length("dur"), length("in"), length("fade"), style, pos, shift, textColour, opacity, loudness},
			Verb: abi.Verb{Syntax: "overlay text TEXT [from:TIME] [to:TIME | dur:TIME] [style:STYLE] [pos:PLACE] [shift:X,Y] [size:PIXELS] [color:COLOR] [fade:TIME] [id:ID] · overlay image|video MEDIA [from:TIME] [to:TIME | dur:TIME] [in:TIME] [pos:PLACE] [shift:X,Y] [size:30%|480x270] [opacity:80%] [fade:TIME] [volume:DB] [id:ID]",
				Summary: "put a text, an image or a video over the picture", Brief: "overlay text TEXT [from: to:|dur: style: pos: shift: size: color: fade: id:] · overlay image|video MEDIA [from: to:|dur: in: pos: size:30% opacity: fade: volume: id:]", Category: "texts and overlays",
				Resources: []abi.Resource{probeAt(2, "image", "video")},
				Examples:  []string{`overlay text "Funny Animals" from:10s to:15s style:title-card`, `overlay text "Jane Doe\nAuthor" from:2s dur:4s style:lower-third`, "overlay image ./logo.png from:0s to:end pos:top-right size:12% opacity:80%", "overlay video ./face.mp4 from:5s to:20s pos:bottom-right size:30%"}}},
		{Run: addCaption, Keys: []pdk.Parameter{length("dur")}, Verb: abi.Verb{Syntax: "caption TEXT from:TIME to:TIME | dur:TIME", Summary: "show a caption at the bottom", Brief: "caption TEXT from:TIME to:TIME|dur:TIME", Category: "texts and overlays", Examples: []string{`caption "Hello, and welcome." from:0.5s to:2s`}}},
		{Run: addCaptions, Keys: []pdk.Parameter{relative("shift")}, Verb: abi.Verb{Syntax: "captions FILE.srt [shift:±TIME]", Summary: "import subtitles, one caption each", Category: "texts and overlays",
			Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceBytes, Accept: []string{".srt"}}}, Examples: []string{"captions ./talk.srt"}}},
	}
}

func overlay(c *film.Ctx, a pdk.Args) error {
	switch what := strings.ToLower(a.Text(0)); what {
	case "text", "title":
		return overlayText(c, a, "")
	case "image", "video":
		return overlayMedia(c, a, what)
	}
	err := pdk.Errorf("overlay puts text, an image or a video over the picture, not %s", pdk.Quote(a.Text(0)))
	if style, ok := pdk.OneOf(a.Text(0), styleNames()); ok {
		return err.Try(a.Mended(pdk.WithWords(0, 1, "text"), pdk.WithParam("style", style)))
	}
	meant := "text"
	if ext := media.Extension(a.Text(1)); slices.Contains(media.StillExtensions, ext) {
		meant = "image"
	} else if slices.Contains(media.Extensions(), ext) {
		meant = "video"
	}
	return err.Try(a.Mended(pdk.WithWords(0, 1, meant)))
}

// floats reports whether the clip may change tracks: texts and overlays are drawn over all tracks anyway.
func floats(c *film.Clip) bool { return c.Kind == film.TextItem || c.Over != nil }

// putFloating puts a text or an overlay on the first track that has room for the segment s. With keeps the clip
// itself stays where it is, as for a copy.
func putFloating(f *film.Film, c *film.Ctx, clip *film.Clip, s *film.Segment, keeps bool) *film.Track {
	n := &film.Segment{Id: s.Id, Start: s.Start, End: s.End, In: s.In, Speed: s.Speed, Base: s.Base, Text: clip.Node.Text(), Changes: s.Changes}
	if !keeps {
		l := clip.Track.Edit()
		l.Remove(l.IndexOf(clip))
		pdk.Check(l.Write(c, "move "+clip.ID, clip.ID))
	}
	room := textTrackFor
	if clip.Kind != film.TextItem {
		room = overlayTrackFor
	}
	t := room(f, c, n.Start, n.End-n.Start)
	l := t.Edit()
	l.Put(n)
	pdk.Check(l.Write(c, "move "+n.Id, n.Id))
	return t
}

// readBox reads pos:, shift:, size: and opacity:.
func readBox(f *film.Film, a pdk.Args, b *film.Box, m *media.Medium) (err error) {
	b.Anchor, b.X, b.Y = readPosition(f, a, b.Anchor, b.X, b.Y)
	if v, ok := a.Param("size"); ok {
		if b.Width, b.Height, ok = overlaySize(f, v); !ok {
			return pdk.Errorf("size:%s is not a size: a percentage of the picture's width such as 30%%, WIDTHxHEIGHT in pixels, or a width", v).Instead(v, "30%")
		}
	}
	if n, given := opacity.Lookup(a); given {
		b.Opacity = n
	}
	return nil
}

// overlaySize reads the size of an overlay: a percentage of the film's width, WIDTHxHEIGHT or a width. h is 0 if it
// is not given.
func overlaySize(f *film.Film, text string) (w, h int, ok bool) {
	s := f.Parsed().Settings
	if p, percent := strings.CutSuffix(text, "%"); percent {
		x, err := strconv.ParseFloat(p, 64)
		if err != nil || !(x >= 1 && x <= 400) {
			return 0, 0, false
		}
		w = int(math.Round(float64(s.Width)*x/200)) * 2
		return min(max(w, 2), 8192), 0, true
	}
	text = strings.TrimSuffix(strings.ToLower(text), "px")
	ws, hs, both := strings.Cut(text, "x")
	w, err := strconv.Atoi(ws)
	if err == nil && both {
		h, err = strconv.Atoi(hs)
	}
	return w, h, err == nil && w >= 2 && w <= 8192 && h >= 0 && h <= 8192
}

// overlayMedia handles overlay image and overlay video.
func overlayMedia(c *film.Ctx, a pdk.Args, what string) error {
	keys := []string{"from", "to", "dur", "in", "pos", "shift", "size", "opacity", "fade", "volume", "id"}
	pdk.Check(allowOnly(a, "overlay "+what, keys...))
	m := pdk.Must(film.ResolveMedium(c, a.Text(1)))
	if !m.Video {
		return pdk.Errorf("%s has no pictures", pdk.Quote(m.ID)).Tryf("add audio %s", pdk.Quote(a.Text(1)))
	}
	f := c.Model
	k := clock{f: f}
	in, from, frames := k.readOverlaySpan(a, m)
	b := film.Box{Opacity: 100}
	if b.Width, b.Height, _ = overlaySize(f, "30%"); m.Width > 0 && m.Width < b.Width {
		b.Width = 0
	}
	pdk.Check(readBox(f, a, &b, m))
	db := loudness.Of(a)
	fade, _ := optional(a, "fade", k.length)
	if 2*fade > frames {
		return pdk.Errorf("fades of %s do not fit into %s", f.TimeText(2*fade), f.TimeText(frames))
	}
	id := newID(f, a, m.ID)
	metadata := otio.Object{film.Field("media", m.ID), film.Field("over", b.Object())}
	if m.Audio {
		metadata = append(metadata, film.Field("sound", true))
	}
	if db != 0 {
		metadata = append(metadata, film.Field("volume", db))
	}
	if fade > 0 {
		metadata = append(metadata, film.Field("fade_in", timeOrNil(f, fade)), film.Field("fade_out", timeOrNil(f, fade)))
	}
	t := overlayTrackFor(f, c, from, frames)
	l := t.Edit()
	l.Put(&film.Segment{Id: id, Start: from, End: from + frames, In: float64(in), Speed: 1, Make: func(_, dur int, at float64) otio.Object {
		return film.NewClip(id, metadata, otio.Range(at, float64(dur), f.Rate().Float()), f.MediaReference(m))
	}})
	pdk.Check(l.Write(c, "overlay "+id, id))
	heard := ""
	if m.Audio {
		heard = ", with its sound"
	}
	c.Created("overlay %s on %s %s%s%s%s", pdk.Quote(id), t.ID, spanText(f, from, from+frames), b, heard, k.noteText())
	return nil
}

// readOverlaySpan reads in:, from:, to: and dur: of an overlay of a medium: the first frame of the medium that is
// shown, and where on the timeline it is shown for how many frames.
func (k *clock) readOverlaySpan(a pdk.Args, m *media.Medium) (in, from, frames int) {
	f := k.f
	in, _ = optional(a, "in", k.length)
	all := m.Frames(f.Rate())
	otherwise := all - in
	if m.Still {
		otherwise, _ = f.Rate().Frames(stillLength)
	}
	from, frames = pdk.Must2(k.readSpan(a, otherwise))
	if all >= 0 && in+frames > all {
		if in >= all {
			pdk.Check(pdk.Errorf("in:%s is at or after the end of %s, which is %s long", a.String("in", ""), pdk.Quote(m.ID), f.TimeText(all)))
		}
		pdk.Check(pdk.Errorf("%s is %s long, and would be shown up to %s", pdk.Quote(m.ID), f.TimeText(all), f.TimeText(in+frames)).Try(a.Mended(pdk.Without("to"), pdk.WithParam("dur", f.TimeText(all-in)))))
	}
	return in, from, frames
}

// overlayTrackFor returns a video track above the lowest that has room, or adds one.
func overlayTrackFor(f *film.Film, c *film.Ctx, from, frames int) *film.Track {
	first := true
	for _, t := range f.Parsed().Tracks {
		if t.Kind != film.VideoTrack {
			continue
		}
		if !first && !t.Hidden && t.Edit().Overlapping(from, from+frames) == nil {
			return t
		}
		first = false
	}
	if first { // without video tracks the lowest must be added first
		addTrack(c, film.VideoTrack, nextTrack(f, film.VideoTrack))
	}
	return addTrack(c, film.VideoTrack, nextTrack(f, film.VideoTrack))
}
