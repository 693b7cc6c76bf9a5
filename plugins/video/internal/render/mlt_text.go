package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mltRect returns an MLT rectangle that fades in and out with a text.
func mltRect(x, y, w, h int, opacity float64, t *Text, fade int) string {
	at := func(frame int, opacity float64) string {
		return fmt.Sprintf("%d=%d %d %d %d %s", frame, x, y, w, h, number(opacity))
	}
	faint := opacity / float64(fade+1)
	up, down, _ := t.Cut.ramps(fade, fade, t.Frames)
	var keys []string
	if up.frames > 0 {
		keys = append(keys, at(max(up.at, 0), faint+(opacity-faint)*float64(max(-up.at, 0))/float64(fade)), at(up.end(), opacity))
	}
	if down.frames > 0 {
		keys = append(keys, at(max(down.at-1, 0), opacity-(opacity-faint)*float64(max(1-down.at, 0))/float64(fade)), at(down.end()-1, faint))
	}
	if keys == nil {
		return strings.TrimPrefix(at(0, opacity), "0=")
	}
	return strings.Join(keys, ";")
}

// panel writes the panel and the bar behind a text as tracks of one color each.
func (m *mltWriter) panel(t *Text) {
	k := m.p.layOut(t)
	if k.style.panel == "" || len(k.rows) == 0 {
		return
	}
	fade := m.p.fade(t, &k)
	x, y := m.p.corner(t, &k)
	field := func(color string, x, y, w, h int) {
		color, through, _ := strings.Cut(color, "@")
		opacity, err := strconv.ParseFloat(through, 64)
		if err != nil {
			opacity = 1
		}
		id := m.id("panel")
		m.line(1, `<producer id="%s" in="0" out="%d">`, id, t.Frames-1)
		m.property(2, "mlt_service", "color")
		m.property(2, "resource", color+"ff")
		m.property(2, "length", t.Frames)
		m.line(1, `</producer>`)
		track := m.id("track")
		m.line(1, `<playlist id="%s">`, track)
		if t.From > 0 {
			m.line(2, `<blank length="%d"/>`, t.From)
		}
		m.line(2, `<entry producer="%s" in="0" out="%d"/>`, id, t.Frames-1)
		m.line(1, `</playlist>`)
		m.tracks = append(m.tracks, mltTrack{track, "audio", []any{"geometry", mltRect(x, y, w, h, opacity, t, fade), "distort", 1}, t.From, t.Frames})
	}
	if k.style.full {
		field(k.style.panel, 0, 0, m.p.Width, m.p.Height)
		return
	}
	if k.bar > 0 {
		field(k.style.bar, x, y, k.bar, k.height)
	}
	field(k.style.panel, x+k.bar, y, k.width-k.bar, k.height)
}

// text writes the rows of a text as filters over the film. MLT uses other fonts, in which a row may be wider, so that
// each row gets all the space to its sides.
func (m *mltWriter) text(t *Text) {
	p := m.p
	k := p.layOut(t)
	x, y := p.corner(t, &k)
	fade := p.fade(t, &k)
	color, through, _ := strings.Cut(k.style.color, "@")
	if t.Color != "" {
		color = "0x" + t.Color[1:]
	}
	opacity, err := strconv.ParseFloat(through, 64)
	if err != nil || t.Color != "" {
		opacity = 1
	}
	top := float64(y + k.pad)
	for _, r := range k.rows {
		height := leading * float64(r.size)
		at := int(math.Round(top))
		top += height
		if strings.TrimSpace(r.text) == "" {
			continue
		}
		weight, align := 400, "center"
		if r.bold {
			weight = 700
		}
		middle := x + k.width/2
		wide := 2 * max(min(middle, p.Width-middle), int(r.width)/2+1)
		left := middle - wide/2
		if k.bar > 0 {
			align, left = "left", x+k.bar+k.pad
			wide = max(p.Width-left, int(r.width)+1)
		}
		box := mltRect(left, at, wide, int(math.Ceil(height)), opacity, t, fade)
		if k.style.rolls {
			from, way := float64(at+p.Height-y), float64(p.Height+k.height)/float64(t.whole())
			y := func(frame int) int { return int(math.Round(from - way*float64(frame+t.Cut.Before))) }
			box = fmt.Sprintf("0=%d %d %d %d 1;%d=%d %d %d %d 1", left, y(0), wide, int(math.Ceil(height)), t.Frames, left, y(t.Frames), wide, int(math.Ceil(height)))
		}
		m.filter("text", t.From, t.Frames, "argument", r.text, "geometry", box, "family", "Sans", "size", r.size, "weight", weight,
			"fgcolour", "#"+color[2:], "halign", align, "valign", "middle", "outline", min(p.edge(k.style), 3), "olcolour", "#000000", "bgcolour", "#00000000")
	}
}
