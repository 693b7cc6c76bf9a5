package timeline

import (
	"fmt"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// clipLine prints a clip on one line.
func clipLine(f *film.Film, c *film.Clip) string {
	s := fmt.Sprintf("%s %s", c.Ref(), spanText(f, c.Start, c.End))
	switch c.Kind {
	case film.TextItem:
		style := c.Caption.Style
		if style == "" {
			style = styleNames()[0]
		}
		s += " " + style + " " + strconv.Quote(pdk.Line(c.Caption.Text, 60))
		s += overrides(c.Caption)
	case film.OtherItem:
		s += " nested " + c.Schema
	default:
		if m := f.MediumOf(c); m != nil {
			s += " of " + pdk.Quote(m.ID)
			if !m.Still {
				in := int(c.Source() + 0.5)
				s += fmt.Sprintf(" %s-%s", f.TimeText(in), f.TimeText(in+int(float64(c.Frames())*c.Speed+0.5)))
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
	say(c.Speed != 1, "speed:%sx", value.FormatNumber(c.Speed))
	say(c.Volume != 0, "volume:%s", decibelText(c.Volume))
	say(c.Mute, "muted")
	say(c.Kind == film.ClipItem && c.Track.Kind == film.VideoTrack && !c.Sound && !c.Mute && hasSound(f, c), "without its sound")
	in, out := fadeLengths(c)
	say(in > 0 && c.Kind != film.TextItem, "fade-in:%s", f.TimeText(in))
	say(out > 0 && c.Kind != film.TextItem, "fade-out:%s", f.TimeText(out))
	say(c.Cut.Before > 0, "begun %s before a cut", f.TimeText(c.Cut.Before))
	say(c.Cut.After > 0, "ends %s after a cut", f.TimeText(c.Cut.After))
	say(c.Fit != "" && c.Fit != "contain", "fit:%s", c.Fit)
	say(len(c.Effects) > 0, "effects: %s", effectNamesOf(c))
	say(c.Off, "(not enabled)")
	return s
}

// effectNamesOf prints the effects of a clip, and how many of each in a row.
func effectNamesOf(c *film.Clip) string {
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
func overrides(p *film.Caption) (s string) {
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

func hasSound(f *film.Film, c *film.Clip) bool {
	m := f.MediumOf(c)
	return m != nil && m.Audio
}

func joinLine(f *film.Film, j *film.Join) string {
	s := fmt.Sprintf("%s %s>%s %s", pdk.Quote(j.ID), j.A.Ref(), j.B.Ref(), spanText(f, j.B.Start, j.A.End))
	if kindName(j) != j.ID {
		s += " " + kindName(j)
	}
	if _, ok := pdk.OneOf(j.Transition, transitions()); !ok {
		s += " (" + pdk.Line(j.Transition, 40) + " in the file)"
	}
	return s
}

// trackLine prints a track on one line.
func trackLine(f *film.Film, t *film.Track) string {
	s := t.ID + nameSuffix(t)
	say := func(there bool, format string, args ...any) {
		if there {
			s += " " + fmt.Sprintf(format, args...)
		}
	}
	say(t.Hidden, "(left out)")
	say(t.Mute, "muted")
	say(t.Volume != 0, "volume:%s", decibelText(t.Volume))
	for _, d := range t.Ducks {
		say(true, "ducked under %s by %s", d.Under, decibelText(d.By))
	}
	return s
}

func (x selected) line(f *film.Film) string {
	switch {
	case x.clip != nil:
		return x.track.ID + " " + clipLine(f, x.clip)
	case x.join != nil:
		return x.track.ID + " ~ " + joinLine(f, x.join)
	}
	return x.track.ID + " gap " + spanText(f, x.start, x.end)
}
