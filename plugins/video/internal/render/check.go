package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/value"
)

// isHexColor reports whether s is #rrggbb.
func isHexColor(s string) bool {
	return len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
}

// isExtension reports whether s is one to eight lower-case letters and digits.
func isExtension(s string) bool {
	return s != "" && len(s) <= 8 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// maxFrames bounds the length of a film: a day at 60 frames a second.
const maxFrames = 24 * 3600 * 60

// check returns an error if the project cannot be rendered. In a project that passes all names are in our tables, and
// all numbers are within bounds.
func (p *Project) check() error {
	switch {
	case p.Width < 16 || p.Width > 8192 || p.Height < 16 || p.Height > 8192 || p.Width%2 != 0 || p.Height%2 != 0:
		return fmt.Errorf("the picture cannot be %dx%d: sides are even, 16 to 8192 pixels", p.Width, p.Height)
	case p.FPS.Den < 1 || p.FPS.Num < p.FPS.Den || p.FPS.Num > 240*p.FPS.Den || p.FPS.Num > 1e9:
		return fmt.Errorf("the project cannot have %s frames a second: 1 to 240 are possible", p.FPS)
	case p.SampleRate != 0 && (p.SampleRate < 8000 || p.SampleRate > 192000):
		return fmt.Errorf("the sample rate cannot be %d: 8000 to 192000 are possible", p.SampleRate)
	case p.Background != "" && !isHexColor(p.Background):
		return fmt.Errorf("the background %q is not a colour like #1a2b3c", p.Background)
	}
	for i := range p.Media {
		if err := p.Media[i].check(); err != nil {
			return err
		}
	}
	for _, t := range p.Video {
		if err := p.checkTrack(t, true); err != nil {
			return err
		}
	}
	for _, t := range p.Audio {
		if err := p.checkTrack(t, false); err != nil {
			return err
		}
	}
	for i := range p.Overlays {
		if err := p.checkOverlay(&p.Overlays[i]); err != nil {
			return err
		}
	}
	for i := range p.Texts {
		if err := p.checkText(&p.Texts[i]); err != nil {
			return err
		}
	}
	for _, d := range p.Ducks {
		if d.By > 0 || d.By < -60 || math.IsNaN(d.By) {
			return fmt.Errorf("%s cannot be ducked by %g dB: -60 to 0 are possible", d.Track, d.By)
		}
	}
	switch n := p.Frames(); {
	case n == 0:
		return fmt.Errorf("the timeline is empty: there is nothing to render")
	case n > maxFrames:
		return fmt.Errorf("the film has %d frames; at most %d can be rendered", n, maxFrames)
	}
	return nil
}

func (m *Media) check() error {
	switch {
	case !isExtension(m.Ext):
		return fmt.Errorf("%s: its file's ending %q is not one of 1 to 8 small letters and digits", m.Name, m.Ext)
	case m.FPS.Num < 0 || m.FPS.Den < 0 || m.Duration.Num < 0 || m.Duration.Den < 0 || m.Pixel.Num < 0 || m.Pixel.Den < 0 || m.Pixel.Num > 1e4 || m.Pixel.Den > 1e4:
		return fmt.Errorf("%s: its rate, duration or shape of pixels is negative or too large", m.Name)
	}
	return nil
}

func (p *Project) checkTrack(t Track, pictures bool) error {
	at := 0
	for i := range t.Items {
		it := &t.Items[i]
		if it.Gap != 0 {
			if it.Gap < 0 || it.Gap > maxFrames {
				return fmt.Errorf("%s: a gap cannot have %d frames", t.ID, it.Gap)
			}
			at += it.Gap
			continue
		}
		c := &it.Clip
		if err := p.checkClip(c, pictures); err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
		before := 0
		if i > 0 && t.Items[i-1].Gap == 0 && t.Items[i-1].Next != nil {
			before = t.Items[i-1].Next.Frames
		}
		after := 0
		if n := it.Next; n != nil {
			after = n.Frames
			switch {
			case i+1 == len(t.Items) || t.Items[i+1].Gap != 0:
				return fmt.Errorf("%s: no clip follows the transition after %s", t.ID, c.ID)
			case transitionNamed(n.Kind).Name == "":
				return fmt.Errorf("there is no transition %q", n.Kind)
			case n.Frames < 1 || n.Frames > maxFrames:
				return fmt.Errorf("%s: the transition after %s cannot have %d frames", t.ID, c.ID, n.Frames)
			}
		}
		if before+after > c.Frames {
			return fmt.Errorf("%s: the transitions of %s take %d frames, and it has %d", t.ID, c.ID, before+after, c.Frames)
		}
		at += c.Frames - after
	}
	if math.IsNaN(t.Volume) || math.Abs(t.Volume) > 120 {
		return fmt.Errorf("%s: its volume cannot be %g dB", t.ID, t.Volume)
	}
	return nil
}

func (p *Project) checkClip(c *Clip, pictures bool) error {
	if err := p.checkSource(c.ID, c.source(), c.treatment(), pictures); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "contain", "cover", "stretch"}, c.Fit) {
		return fmt.Errorf("%s: it cannot fit as %q; contain, cover and stretch are possible", c.ID, c.Fit)
	}
	return checkEffects(c.ID, c.Effects)
}

// checkSource checks what clips and overlays have in common.
func (p *Project) checkSource(id string, s sourceSpan, t treatment, pictures bool) error {
	if s.media < 0 || s.media >= len(p.Media) {
		return fmt.Errorf("%s: there is no medium %d", id, s.media)
	}
	m := &p.Media[s.media]
	switch {
	case s.frames < 1 || s.frames > maxFrames:
		return fmt.Errorf("%s: it cannot have %d frames", id, s.frames)
	case pictures && !m.Video:
		return fmt.Errorf("%s: %s has no pictures; put it on an audio track", id, m.Name)
	case s.in.Num < 0 || s.in.Den < 0 || s.in.Den > 1e9 || s.in.Num != 0 && s.in.Den == 0:
		return fmt.Errorf("%s: it cannot begin at %s seconds of %s", id, s.in, m.Name)
	case !m.Still && m.Duration.Num > 0 && m.Duration.Den > 0 && s.in.rat().Cmp(m.Duration.rat()) >= 0:
		return fmt.Errorf("%s: it begins at %s s of %s, which ends at %s s", id, number(float64(s.in.Num)/float64(max(s.in.Den, 1))), m.Name, number(float64(m.Duration.Num)/float64(m.Duration.Den)))
	case s.speed.Num < 0 || s.speed.Den < 0 || s.speed.Num > 100*max(s.speed.Den, 1) || s.speed.Num != 0 && s.speed.Num*100 < s.speed.Den || s.speed.Den > 1e9:
		return fmt.Errorf("%s: it cannot have the speed %s; 1/100 to 100 are possible", id, s.speed)
	case !t.cut.possible():
		return fmt.Errorf("%s: it cannot be cut off by %d and %d frames", id, t.cut.Before, t.cut.After)
	case t.fadeIn < 0 || t.fadeOut < 0 || t.fadeIn+t.fadeOut > s.frames+t.cut.Before+t.cut.After:
		return fmt.Errorf("%s: its fades take %d frames, and it has %d", id, t.fadeIn+t.fadeOut, s.frames)
	case math.IsNaN(t.volume) || math.Abs(t.volume) > 120:
		return fmt.Errorf("%s: its volume cannot be %g dB", id, t.volume)
	}
	return nil
}

func (p *Project) checkOverlay(o *Overlay) error {
	if err := p.checkSource(o.ID, o.source(), o.treatment(), true); err != nil {
		return err
	}
	switch {
	case o.From < 0 || o.From > maxFrames:
		return fmt.Errorf("%s: it cannot begin at frame %d", o.ID, o.From)
	case o.Width < 0 || o.Width > 8192 || o.Height < 0 || o.Height > 8192:
		return fmt.Errorf("%s: it cannot be %dx%d", o.ID, o.Width, o.Height)
	case o.Opacity < 0 || o.Opacity > 100:
		return fmt.Errorf("%s: its opacity cannot be %d percent", o.ID, o.Opacity)
	}
	if err := o.Place.check(o.ID); err != nil {
		return err
	}
	return checkEffects(o.ID, o.Effects)
}

func (p Place) check(id string) error {
	if p.Anchor != "" && !slices.Contains(value.Regions(), p.Anchor) {
		return fmt.Errorf("%s: there is no place %q", id, p.Anchor)
	}
	if max(p.X, -p.X, p.Y, -p.Y) > 8192 {
		return fmt.Errorf("%s: it cannot be moved by %d,%d pixels", id, p.X, p.Y)
	}
	return nil
}

func (p *Project) checkText(t *Text) error {
	switch {
	case t.From < 0 || t.From > maxFrames || t.Frames < 1 || t.Frames > maxFrames:
		return fmt.Errorf("%s: it cannot be shown for %d frames from frame %d", t.ID, t.Frames, t.From)
	case !t.Cut.possible():
		return fmt.Errorf("%s: it cannot be cut off by %d and %d frames", t.ID, t.Cut.Before, t.Cut.After)
	case t.Color != "" && !isHexColor(t.Color):
		return fmt.Errorf("%s: %q is not a colour like #1a2b3c", t.ID, t.Color)
	case t.Size < 0 || t.Size > 2000:
		return fmt.Errorf("%s: letters of %d pixels are not possible", t.ID, t.Size)
	case styleNamed(t.Style).Name == "":
		return fmt.Errorf("%s: there is no style %q", t.ID, t.Style)
	}
	return t.Place.check(t.ID)
}
