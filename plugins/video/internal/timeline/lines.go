package timeline

import (
	"fmt"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
)

// clipLine prints a clip on one line.
func (f *Film) clipLine(c *Clip) string {
	s := fmt.Sprintf("%s %s", c.name(), f.span(c.Start, c.End))
	switch c.kind {
	case textItem:
		style := c.Caption.Style
		if style == "" {
			style = styleNames()[0]
		}
		s += " " + style + " " + strconv.Quote(pdk.Line(c.Caption.Text, 60))
		s += c.Caption.overrides()
	case otherItem:
		s += " nested " + c.Schema
	default:
		if m := f.mediumOf(c); m != nil {
			s += " of " + pdk.Quote(m.ID)
			if !m.Still {
				in := int(c.source() + 0.5)
				s += fmt.Sprintf(" %s-%s", f.timeText(in), f.timeText(in+int(float64(c.Frames())*c.Speed+0.5)))
			}
		} else {
			s += ", no media"
		}
	}
	if c.Over != nil {
		s += " over the picture:" + c.Over.String()
	}
	say := func(there bool, format string, args ...any) {
		if there {
			s += " " + fmt.Sprintf(format, args...)
		}
	}
	say(c.Speed != 1, "speed:%sx", num(c.Speed))
	say(c.Volume != 0, "volume:%s", decibelText(c.Volume))
	say(c.Mute, "muted")
	say(c.kind == clipItem && c.Track.Kind == videoTrack && !c.Sound && !c.Mute && f.hasSound(c), "without its sound")
	in, out := c.fades()
	say(in > 0 && c.kind != textItem, "fade-in:%s", f.timeText(in))
	say(out > 0 && c.kind != textItem, "fade-out:%s", f.timeText(out))
	say(c.cut.Before > 0, "begun %s before a cut", f.timeText(c.cut.Before))
	say(c.cut.After > 0, "ends %s after a cut", f.timeText(c.cut.After))
	say(c.Fit != "" && c.Fit != "contain", "fit:%s", c.Fit)
	say(len(c.Effects) > 0, "effects: %s", effectNamesOf(c))
	say(c.Off, "(not enabled)")
	return s
}

// effectNamesOf prints the effects of a clip, and how many of each in a row.
func effectNamesOf(c *Clip) string {
	var out []string
	for i := 0; i < len(c.Effects); {
		name, n := pdk.Line(c.Effects[i].String(), 60), 1
		for i+n < len(c.Effects) && pdk.Line(c.Effects[i+n].String(), 60) == name {
			n++
		}
		if i += n; n > 1 {
			name += fmt.Sprintf(" (%d times)", n)
		}
		out = append(out, name)
	}
	return pdk.List(out, 4)
}

// overrides prints what a text sets differently from its style.
func (p *caption) overrides() (s string) {
	if p.Anchor != "" {
		s += " " + p.Anchor
	}
	if p.X != 0 || p.Y != 0 {
		s += fmt.Sprintf(" shifted %d,%d", p.X, p.Y)
	}
	if p.Size != 0 {
		s += fmt.Sprintf(" size:%d", p.Size)
	}
	if p.Color != "" {
		s += " color:" + p.Color
	}
	return s
}

func (f *Film) hasSound(c *Clip) bool {
	m := f.mediumOf(c)
	return m != nil && m.Audio
}

func (f *Film) joinLine(j *Join) string {
	s := fmt.Sprintf("%s %s>%s %s", pdk.Quote(j.ID), j.A.name(), j.B.name(), f.span(j.B.Start, j.A.End))
	if j.kindName() != j.ID {
		s += " " + j.kindName()
	}
	if _, ok := pdk.OneOf(j.Transition, transitions()); !ok {
		s += " (" + pdk.Line(j.Transition, 40) + " in the file)"
	}
	return s
}

// trackLine prints a track on one line.
func (f *Film) trackLine(t *Track) string {
	s := t.ID + t.nameSuffix()
	say := func(there bool, format string, args ...any) {
		if there {
			s += " " + fmt.Sprintf(format, args...)
		}
	}
	say(t.Hidden, "(left out)")
	say(t.Mute, "muted")
	say(t.Volume != 0, "volume:%s", decibelText(t.Volume))
	for _, d := range t.Ducks {
		say(true, "ducked under %s by %s", d.under, decibelText(d.by))
	}
	return s
}

func (x selected) line(f *Film) string {
	switch {
	case x.clip != nil:
		return x.track.ID + " " + f.clipLine(x.clip)
	case x.join != nil:
		return x.track.ID + " ~ " + f.joinLine(x.join)
	}
	return x.track.ID + " gap " + f.span(x.start, x.end)
}
