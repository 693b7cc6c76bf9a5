package timeline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// styleNames returns the names of the text styles.
func styleNames() []string {
	return pdk.Map(render.Styles(), func(s render.Style) string { return s.Name })
}

// readCaption applies an op's parameters to a text.
func (k *clock) readCaption(a pdk.Args, p film.Caption) (film.Caption, error) {
	if name, given := style.Lookup(a); given {
		p.Style = name
	}
	if text, ok := a.Param("text"); ok {
		pdk.Check(checkText(text))
		p.Text = text
	}
	if c, given := textColour.Lookup(a); given {
		p.Color = c
	}
	if v, ok := a.Param("size"); ok {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.ToLower(v), "px"))
		if err != nil || n < 6 || n > 2000 {
			return p, pdk.Errorf("size:%s is not a font size: 6 to 2000 pixels", v).Instead(v, strconv.Itoa(max(6, k.f.Parsed().Height/15)))
		}
		p.Size = n
	}
	if n, ok := optional(a, "fade", k.length); ok {
		if p.Fade = n; n == 0 {
			p.Fade = -1
		}
	}
	p.Anchor, p.X, p.Y = readPosition(k.f, a, p.Anchor, p.X, p.Y)
	return p, nil
}

// readPosition applies pos: and shift: to an anchor and an offset in pixels.
func readPosition(f *film.Film, a pdk.Args, anchor string, x, y int) (string, int, int) {
	if p, given := pos.Lookup(a); given && p.anchor != "" {
		anchor, x, y = p.anchor, 0, 0
	} else if given {
		s := f.Parsed().Settings
		m := render.Margin(s.Width, s.Height)
		anchor, x, y = "top-left", p.x-m, p.y-m
	}
	if p, given := shift.Lookup(a); given {
		x, y = p.x, p.y
	}
	return anchor, x, y
}

func overlayText(c *film.Ctx, a pdk.Args, style string) error {
	pdk.Check(allowOnly(a, "a text", "from", "to", "dur", "style", "pos", "shift", "size", "color", "fade", "id"))
	f := c.Model
	text := a.Text(len(a.Positionals) - 1)
	pdk.Check(checkText(text))
	k := clock{f: f}
	three, _ := f.Rate().Frames(threeSeconds)
	if style == "caption" {
		three = 0
	}
	from, frames := pdk.Must2(k.readSpan(a, three))
	p := pdk.Must(k.readCaption(a, film.Caption{Text: text, Style: style}))
	id := newID(f, a, textID(text, p.Style))
	t := writeText(f, c, id, p, from, frames)
	c.Created("text %s on %s %s%s%s", pdk.Quote(id), t.ID, spanText(f, from, from+frames), styleSuffix(p), k.noteText())
	return nil
}

// checkText checks the length of a text.
func checkText(text string) error {
	if strings.TrimSpace(text) == "" {
		return pdk.Errorf("the text is empty")
	}
	if len(text) > 20_000 {
		return pdk.Errorf("a text has at most 20,000 bytes, and this has %d", len(text))
	}
	return nil
}

func styleSuffix(p film.Caption) string {
	s := ""
	if p.Style != "" {
		s = " " + p.Style
	}
	if p.Anchor != "" {
		s += " " + p.Anchor
	}
	return s
}

// textID makes an id from the first words of a text.
func textID(text, style string) string {
	if style == "caption" {
		return "caption"
	}
	words := strings.Fields(strings.ToLower(text))
	id := film.Slug(strings.Join(words[:min(len(words), 3)], "_"))
	if id == "media" {
		return "text"
	}
	if r := []rune(id); len(r) > 24 {
		id = strings.Trim(string(r[:24]), "_-")
	}
	return id
}

// writeText puts a text on the first text track that has room.
func writeText(f *film.Film, c *film.Ctx, id string, p film.Caption, from, frames int) *film.Track {
	t := textTrackFor(f, c, from, frames)
	rate := f.Rate().Float()
	l := t.Edit()
	l.Put(&film.Segment{Id: id, Start: from, End: from + frames, Speed: 1, Make: func(_, dur int, in float64) otio.Object {
		return film.NewClip(id, otio.Object{}, otio.Range(in, float64(dur), rate), film.TextGenerator(id, p))
	}})
	pdk.Check(l.Write(c, "text "+id, id))
	return t
}

// textTrackFor returns a text track that has room, or adds one.
func textTrackFor(f *film.Film, c *film.Ctx, from, frames int) *film.Track {
	for _, t := range f.Parsed().Tracks {
		if t.Kind == film.TextTrack && !t.Hidden && t.Edit().Overlapping(from, from+frames) == nil {
			return t
		}
	}
	return addTrack(c, film.TextTrack, nextTrack(f, film.TextTrack))
}

// textChanges returns the changes that turn a clip's text into another.
func textChanges(clip *film.Clip, now film.Caption) []otio.Change {
	if now == *clip.Caption {
		return nil
	}
	path := append(clip.ReferencePath(), "parameters")
	var out []otio.Change
	set := func(key string, changed bool, value any, there bool) {
		if !changed {
			return
		}
		if !there {
			value = nil
		}
		out = append(out, otio.Change{Path: append(slices.Clone(path), key), Value: value})
	}
	was := clip.Caption
	set("text", was.Text != now.Text, now.Text, true)
	set("style", was.Style != now.Style, now.Style, now.Style != "")
	set("color", was.Color != now.Color, now.Color, now.Color != "")
	set("anchor", was.Anchor != now.Anchor, now.Anchor, now.Anchor != "")
	set("x", was.X != now.X, now.X, now.X != 0)
	set("y", was.Y != now.Y, now.Y, now.Y != 0)
	set("size", was.Size != now.Size, now.Size, now.Size != 0)
	set("fade", was.Fade != now.Fade, now.Fade, now.Fade != 0)
	return out
}
