package timeline

import (
	"fmt"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// interval is from a frame to another.
type interval struct{ from, to int }

// holes are the intervals from 0 to end that none of the others covers.
func holes(covered []interval, end int) (out []interval) {
	slices.SortFunc(covered, func(a, b interval) int { return a.from - b.from })
	at := 0
	for _, c := range covered {
		if c.from > at {
			out = append(out, interval{at, min(c.from, end)})
		}
		at = max(at, c.to)
	}
	if at < end {
		out = append(out, interval{at, end})
	}
	return slices.DeleteFunc(out, func(h interval) bool { return h.from >= h.to })
}

// warnings are what is likely not meant, as far as the document alone tells.
func (f *Film) warnings() (out []string) {
	w := f.all()
	say := func(what string, list []string) {
		if len(list) > 0 {
			out = append(out, what+namesOf(list))
		}
	}
	spanned := func(list []interval) (texts []string) {
		for _, h := range list {
			texts = append(texts, f.rate().Clock(h.from)+"-"+f.rate().Clock(h.to))
		}
		return texts
	}
	var seen, heard []interval
	var past, handles, bare, unknown, fast, nested, foreign, levels []string
	mixed, told := []string{}, map[*Medium]bool{}
	pictured := 0
	first := ""
	for _, t := range w.tracks {
		if t.Hidden {
			continue
		}
		if t.Kind == pictures && first == "" {
			first = t.ID
		}
		for _, d := range t.Ducks {
			if find(w.tracks, func(o *Track) bool { return o.ID == d.under && !o.Hidden && !o.Mute && len(o.Clips) > 0 }) == nil {
				levels = append(levels, t.ID+" under "+d.under)
			}
		}
		for _, c := range t.Clips {
			switch {
			case c.kind == otherItem:
				nested = append(nested, c.name())
				continue
			case c.Off || c.kind == textItem:
				continue
			}
			if slices.ContainsFunc(c.Effects, func(e effect) bool { return e.Kind == "" }) {
				foreign = append(foreign, c.name())
			}
			m := f.of(c)
			if t.Kind == pictures && c.Over == nil {
				seen = append(seen, interval{c.Start, c.End})
				pictured = max(pictured, c.End)
			}
			if m == nil {
				bare = append(bare, c.name())
				continue
			}
			if m.Audio && !c.Mute && !t.Mute && (t.Kind == sounds || c.Sound) {
				heard = append(heard, interval{c.Start, c.End})
			}
			all := m.frames(w.rate)
			switch over := c.source() + float64(c.Frames())*c.Speed - float64(all); {
			case all < 0 && !m.Still:
				unknown = append(unknown, c.name())
			case all >= 0 && (over > 0.5 || c.source() < -0.5):
				cut := c.in + float64(c.dur)*c.Speed
				if c.in >= -0.5 && cut <= float64(all)+0.5 {
					handles = append(handles, c.name())
				} else {
					past = append(past, fmt.Sprintf("%s by %s", c.name(), f.text(int(math.Ceil(max(over, -c.source()))))))
				}
			}
			if !told[m] && t.Kind == pictures && c.Over == nil {
				told[m] = true
				if text := differs(m, w.settings, c); text != "" {
					mixed = append(mixed, text)
				}
			}
			if c.Frames()*int(w.rate.Den)*2 < int(w.rate.Num) && t.Kind == pictures && c.left == nil && c.right == nil {
				fast = append(fast, c.name())
			}
		}
	}
	say(first+": gap at ", spanned(holes(seen, pictured)))
	say("transition longer than a handle (its media ends within it): ", handles)
	say("past the end of its media: ", past)
	say("without media, which leaves the film unrendered (modify CLIP media:FILE): ", bare)
	say("not known how long (media NAME looks, or says it): ", unknown)
	out = append(out, mixed[:min(len(mixed), 5)]...)
	say("seen for less than 0.5s: ", fast)
	f.textWarnings(&out)
	sounding := 0
	for _, h := range heard {
		sounding = max(sounding, h.to)
	}
	if pictured > 0 {
		if n := sounding - pictured; n > 0 {
			out = append(out, fmt.Sprintf("sound goes on for %s after the pictures end, at %s", f.text(n), f.text(pictured)))
		}
		second, _ := w.rate.Frames(oneSecond)
		if len(heard) == 0 {
			out = append(out, "no sound in the film")
		} else {
			say("silence at ", spanned(slices.DeleteFunc(holes(heard, pictured), func(h interval) bool { return h.to-h.from < second })))
		}
	}
	say("ducked under a track that is not heard: ", levels)
	say("nested, kept and not rendered: ", nested)
	say("effects of other programs, kept and not rendered: ", foreign)
	return out
}

func namesOf(list []string) string {
	if more := len(list) - 5; more > 0 {
		return fmt.Sprintf("%s and %d more", joined(list[:5]), more)
	}
	return joined(list)
}

func joined(list []string) string {
	s := ""
	for i, x := range list {
		if i > 0 {
			s += ", "
		}
		s += x
	}
	return s
}

// differs says how a medium is unlike the film.
func differs(m *Medium, s settings, c *Clip) string {
	var parts []string
	if m.Rate.Num > 0 && m.Rate != s.rate && !m.Still {
		parts = append(parts, fmt.Sprintf("%s fps in a film of %s", m.Rate, s.rate))
	}
	if m.Width > 0 && m.Height > 0 && (c.Fit == "" || c.Fit == "contain") {
		if a, b := float64(m.Width)/float64(m.Height), float64(s.width)/float64(s.height); math.Abs(a/b-1) > 0.01 {
			parts = append(parts, fmt.Sprintf("%dx%d leaves bars in %dx%d (modify %s fit:cover fills it)", m.Width, m.Height, s.width, s.height, c.name()))
		} else if m.Width*2 < s.width {
			parts = append(parts, fmt.Sprintf("%dx%d is blown up to %dx%d", m.Width, m.Height, s.width, s.height))
		}
	}
	if m.Rotation != 0 && len(parts) > 0 {
		parts = append(parts, fmt.Sprintf("it is turned by %d°", m.Rotation))
	}
	if parts == nil {
		return ""
	}
	return pdk.Quote(m.ID) + ": " + list(parts, 3)
}

// measures is how large an overlay of a medium is, in pixels.
func (b *box) measures(m *Medium) (w, h int) {
	switch {
	case b.Width > 0 && b.Height > 0:
		return b.Width, b.Height
	case b.Width > 0:
		return b.Width, b.Width * m.Height / m.Width
	case b.Height > 0:
		return b.Height * m.Width / m.Height, b.Height
	}
	return m.Width, m.Height
}

// textWarnings are those about texts and overlays.
func (f *Film) textWarnings(out *[]string) {
	w := f.all()
	p := render.Project{Width: w.width, Height: w.height}
	type placed struct {
		c          *Clip
		x, y, r, b int
	}
	var texts []placed
	var off, unseen, short, late []string
	pictured := 0
	for _, t := range w.tracks {
		for _, c := range t.Clips {
			if !t.Hidden && !c.Off && t.Kind == pictures && c.Over == nil {
				pictured = max(pictured, c.End)
			}
		}
	}
	for _, t := range w.tracks {
		for _, c := range t.Clips {
			if t.Hidden || c.Off {
				continue
			}
			if m := f.of(c); c.Over != nil && m != nil && m.Width > 0 && m.Height > 0 {
				width, height := c.Over.measures(m)
				x, y := p.Corner(render.Place{Anchor: c.Over.Anchor, X: c.Over.X, Y: c.Over.Y}, width, height)
				switch {
				case x >= w.width || y >= w.height || x+width <= 0 || y+height <= 0:
					unseen = append(unseen, c.name())
				case width <= w.width && (x < 0 || x+width > w.width) || height <= w.height && (y < 0 || y+height > w.height): // a larger one is meant to
					off = append(off, c.name())
				}
			}
			if pictured > 0 && c.End > pictured && c.floats() {
				late = append(late, c.name())
			}
			if c.kind != textItem {
				continue
			}
			r := c.letters()
			if c.Frames()*int(w.rate.Den)*2 < int(w.rate.Num) {
				short = append(short, c.name())
			}
			x, y, width, height := p.Extent(&r)
			if r.Style != "credits" {
				if x >= w.width || y >= w.height || x+width <= 0 || y+height <= 0 {
					unseen = append(unseen, c.name())
				} else if x < 0 || y < 0 || x+width > w.width || y+height > w.height {
					off = append(off, c.name())
				}
				texts = append(texts, placed{c, x, y, x + width, y + height})
			}
		}
	}
	say := func(what string, list []string) {
		if len(list) > 0 {
			*out = append(*out, what+namesOf(list))
		}
	}
	say("beyond the picture's edge: ", off)
	say("outside of the picture, and not seen: ", unseen)
	say("text seen for less than 0.5s: ", short)
	say("seen after the pictures end: ", late)
	var over []string
	slices.SortStableFunc(texts, func(a, b placed) int { return a.c.Start - b.c.Start })
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			if b.c.Start >= a.c.End || len(over) > 20 {
				break
			}
			if a.x < b.r && b.x < a.r && a.y < b.b && b.y < a.b {
				over = append(over, a.c.name()+" and "+b.c.name())
			}
		}
	}
	say("texts over each other: ", over)
}
