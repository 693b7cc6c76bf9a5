package timeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func overlayVerbs() []verb {
	return []verb{
		{Run: overlay, Keys: []pdk.Parameter{length("dur"), length("in"), length("fade"), style, pos, shift, textColour, opacity, loudness},
			Verb: abi.Verb{Syntax: "overlay text TEXT [from:TIME] [to:TIME | dur:TIME] [style:STYLE] [pos:PLACE] [shift:X,Y] [size:PIXELS] [color:COLOR] [fade:TIME] [id:ID] · overlay image|video MEDIA [from:TIME] [to:TIME | dur:TIME] [in:TIME] [pos:PLACE] [shift:X,Y] [size:30%|480x270] [opacity:80%] [fade:TIME] [volume:DB] [id:ID]",
				Summary: "put a text, an image or a video over the picture", Brief: "overlay text TEXT [from: to:|dur: style: pos: shift: size: color: fade: id:] · overlay image|video MEDIA [from: to:|dur: in: pos: size:30% opacity: fade: volume: id:]", Category: "texts and overlays",
				Resources: []abi.Resource{probe(2, "image", "video")},
				Examples:  []string{`overlay text "Funny Animals" from:10s to:15s style:title-card`, `overlay text "Jane Doe\nAuthor" from:2s dur:4s style:lower-third`, "overlay image ./logo.png from:0s to:end pos:top-right size:12% opacity:80%", "overlay video ./face.mp4 from:5s to:20s pos:bottom-right size:30%"}}},
		{Run: addCaption, Keys: []pdk.Parameter{length("dur")}, Verb: abi.Verb{Syntax: "caption TEXT from:TIME to:TIME | dur:TIME", Summary: "show a caption at the bottom", Brief: "caption TEXT from:TIME to:TIME|dur:TIME", Category: "texts and overlays", Examples: []string{`caption "Hello, and welcome." from:0.5s to:2s`}}},
		{Run: addCaptions, Keys: []pdk.Parameter{relative("shift")}, Verb: abi.Verb{Syntax: "captions FILE.srt [shift:±TIME]", Summary: "import subtitles, one caption each", Category: "texts and overlays",
			Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceBytes, Accept: []string{".srt"}}}, Examples: []string{"captions ./talk.srt"}}},
	}
}

func overlay(c *ctx, a pdk.Args) error {
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
func (c *Clip) floats() bool { return c.kind == textItem || c.Over != nil }

// putFloating puts a text or an overlay on the first track that has room for the segment s. With keeps the clip itself stays where
// it is, as for a copy.
func (f *Film) putFloating(c *ctx, clip *Clip, s *segment, keeps bool) (*Track, error) {
	n := &segment{id: s.id, start: s.start, end: s.end, in: s.in, speed: s.speed, base: s.base, text: clip.node.Text(), changes: s.changes}
	if !keeps {
		l := clip.Track.edit()
		l.remove(l.indexOf(clip))
		if err := l.write(c, "move "+clip.ID, clip.ID); err != nil {
			return nil, err
		}
	}
	room := f.textTrackFor
	if clip.kind != textItem {
		room = f.overlayTrackFor
	}
	t, err := room(c, n.start, n.end-n.start)
	if err != nil {
		return nil, err
	}
	l := t.edit()
	l.put(n)
	return t, l.write(c, "move "+n.id, n.id)
}

// object returns the value of metadata.fcp.over.
func (b box) object() otio.Object {
	out := otio.Object{}
	put := func(key string, n int) {
		if n != 0 {
			out = append(out, field(key, n))
		}
	}
	put("width", b.Width)
	put("height", b.Height)
	if b.Anchor != "" {
		out = append(out, field("anchor", b.Anchor))
	}
	put("x", b.X)
	put("y", b.Y)
	if b.Opacity != 100 {
		put("opacity", b.Opacity)
	}
	return out
}

// readBox reads pos:, shift:, size: and opacity:.
func (f *Film) readBox(a pdk.Args, b *box, m *media.Medium) (err error) {
	b.Anchor, b.X, b.Y = f.readPosition(a, b.Anchor, b.X, b.Y)
	if v, ok := a.Param("size"); ok {
		if b.Width, b.Height, ok = f.overlaySize(v); !ok {
			return pdk.Errorf("size:%s is not a size: a percentage of the picture's width such as 30%%, WIDTHxHEIGHT in pixels, or a width", v).Instead(v, "30%")
		}
	}
	if n, given := opacity.Lookup(a); given {
		b.Opacity = n
	}
	return nil
}

// overlaySize reads the size of an overlay: a percentage of the film's width, WIDTHxHEIGHT or a width. h is 0 if it is not given.
func (f *Film) overlaySize(text string) (w, h int, ok bool) {
	s := f.parsed().settings
	if p, percent := strings.CutSuffix(text, "%"); percent {
		x, err := strconv.ParseFloat(p, 64)
		if err != nil || !(x >= 1 && x <= 400) {
			return 0, 0, false
		}
		w = int(math.Round(float64(s.width)*x/200)) * 2
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
func overlayMedia(c *ctx, a pdk.Args, what string) error {
	keys := []string{"from", "to", "dur", "in", "pos", "shift", "size", "opacity", "fade", "volume", "id"}
	if err := allowOnly(a, "overlay "+what, keys...); err != nil {
		return err
	}
	m, err := resolveMedium(c, a.Text(1))
	if err != nil {
		return err
	}
	if !m.Video {
		return pdk.Errorf("%s has no pictures", pdk.Quote(m.ID)).Tryf("add audio %s", pdk.Quote(a.Text(1)))
	}
	f := c.Model
	k := clock{f: f}
	in, from, frames, err := k.readOverlaySpan(a, m)
	if err != nil {
		return err
	}
	b := box{Opacity: 100}
	if b.Width, b.Height, _ = f.overlaySize("30%"); m.Width > 0 && m.Width < b.Width {
		b.Width = 0
	}
	if err := f.readBox(a, &b, m); err != nil {
		return err
	}
	db := loudness.Of(a)
	fade, _, err := optional(a, "fade", k.length)
	if err != nil {
		return err
	}
	if 2*fade > frames {
		return pdk.Errorf("fades of %s do not fit into %s", f.timeText(2*fade), f.timeText(frames))
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(m.ID)
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	metadata := otio.Object{field("media", m.ID), field("over", b.object())}
	if m.Audio {
		metadata = append(metadata, field("sound", true))
	}
	if db != 0 {
		metadata = append(metadata, field("volume", db))
	}
	if fade > 0 {
		metadata = append(metadata, field("fade_in", f.timeOrNil(fade)), field("fade_out", f.timeOrNil(fade)))
	}
	t, err := f.overlayTrackFor(c, from, frames)
	if err != nil {
		return err
	}
	l := t.edit()
	l.put(&segment{id: id, start: from, end: from + frames, in: float64(in), speed: 1, make: func(_, dur int, at float64) otio.Object {
		return newClip(id, metadata, otio.Range(at, float64(dur), f.rate().Float()), f.mediaReference(m))
	}})
	if err := l.write(c, "overlay "+id, id); err != nil {
		return err
	}
	heard := ""
	if m.Audio {
		heard = ", with its sound"
	}
	c.Created("overlay %s on %s %s%s%s%s", pdk.Quote(id), t.ID, f.span(from, from+frames), b, heard, k.noteText())
	return nil
}

// readOverlaySpan reads in:, from:, to: and dur: of an overlay of a medium: the first frame of the medium that is shown, and where on the
// timeline it is shown for how many frames.
func (k *clock) readOverlaySpan(a pdk.Args, m *media.Medium) (in, from, frames int, err error) {
	f := k.f
	if in, _, err = optional(a, "in", k.length); err != nil {
		return 0, 0, 0, err
	}
	all := m.Frames(f.rate())
	otherwise := all - in
	if m.Still {
		otherwise, _ = f.rate().Frames(stillLength)
	}
	if from, frames, err = k.readSpan(a, otherwise); err != nil {
		return 0, 0, 0, err
	}
	if all >= 0 && in+frames > all {
		if in >= all {
			return 0, 0, 0, pdk.Errorf("in:%s is at or after the end of %s, which is %s long", a.String("in", ""), pdk.Quote(m.ID), f.timeText(all))
		}
		return 0, 0, 0, pdk.Errorf("%s is %s long, and would be shown up to %s", pdk.Quote(m.ID), f.timeText(all), f.timeText(in+frames)).Try(a.Mended(pdk.Without("to"), pdk.WithParam("dur", f.timeText(all-in))))
	}
	return in, from, frames, nil
}

// String prints place, size and opacity.
func (b box) String() string {
	s := ""
	if b.Anchor != "" {
		s += " " + b.Anchor
	} else {
		s += " center"
	}
	if b.X != 0 || b.Y != 0 {
		s += fmt.Sprintf(" shifted %d,%d", b.X, b.Y)
	}
	switch {
	case b.Width > 0 && b.Height > 0:
		s += fmt.Sprintf(" %dx%d", b.Width, b.Height)
	case b.Width > 0:
		s += fmt.Sprintf(" %d wide", b.Width)
	}
	if b.Opacity != 100 {
		s += fmt.Sprintf(" %d%%", b.Opacity)
	}
	return s
}

// overlayTrackFor returns a video track above the lowest that has room, or adds one.
func (f *Film) overlayTrackFor(c *ctx, from, frames int) (*Track, error) {
	first := true
	for _, t := range f.parsed().tracks {
		if t.Kind != videoTrack {
			continue
		}
		if !first && !t.Hidden && t.edit().overlapping(from, from+frames) == nil {
			return t, nil
		}
		first = false
	}
	if first { // without video tracks the lowest must be added first
		if _, err := addTrack(c, videoTrack, f.nextTrack(videoTrack)); err != nil {
			return nil, err
		}
	}
	return addTrack(c, videoTrack, f.nextTrack(videoTrack))
}
