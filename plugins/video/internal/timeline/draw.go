package timeline

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// rulerWidth is the width of the film in the letter drawing, in characters.
const rulerWidth = 96

// tickSteps are the possible distances between the ticks of a ruler, in seconds.
var tickSteps = []int{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 36000}

// letterDrawing draws the film in characters, with a line for each track in the order of stacking.
func (f *Film) letterDrawing() string {
	all := f.Frames()
	if all == 0 {
		return "the timeline is empty"
	}
	column := func(frame int) int { return frame * rulerWidth / all }
	var b strings.Builder
	f.drawRuler(&b, all, column)
	for _, t := range f.shownOrder() {
		row := []rune(strings.Repeat(" ", rulerWidth))
		at := 0
		for _, c := range t.Clips {
			from, to := column(c.Start), max(column(c.End), column(c.Start)+1)
			if t.Kind == videoTrack && c.Over == nil && c.Start > at {
				for i := column(at); i < from; i++ {
					row[i] = '·'
				}
			}
			at = c.End
			if to > rulerWidth {
				to = rulerWidth
			}
			name, shared := []rune(c.ID), 0
			if c.left != nil { // the transition shared with the clip before
				shared = max(1, column(c.left.A.End)-from)
			}
			for i := from; i < to; i++ {
				switch {
				case i < from+shared:
					row[i] = 'x'
				case i == from:
					row[i] = '['
				case i == to-1:
					row[i] = ']'
				case i-from-max(1, shared) < len(name) && to-from > 2:
					row[i] = name[i-from-max(1, shared)]
				default:
					row[i] = '='
				}
			}
		}
		fmt.Fprintf(&b, "%-4s%s\n", t.ID, strings.TrimRight(string(row), " "))
	}
	if marks := f.markers(); len(marks) > 0 {
		row := []rune(strings.Repeat(" ", rulerWidth+1))
		var names []string
		for _, m := range marks {
			row[min(column(m.at), rulerWidth)] = '^'
			names = append(names, fmt.Sprintf("%s %s", m.name, f.timeText(m.at)))
		}
		fmt.Fprintf(&b, "    %s\n    ^ %s\n", strings.TrimRight(string(row), " "), list(names, 8))
	}
	b.WriteString("x transition, · gap")
	return b.String()
}

// shownOrder returns the tracks in the order of stacking: texts, video tracks from the top, audio tracks.
func (f *Film) shownOrder() (out []*Track) {
	tracks := f.parsed().tracks
	for _, kind := range []byte{textTrack, videoTrack} {
		for i := len(tracks) - 1; i >= 0; i-- {
			if tracks[i].Kind == kind {
				out = append(out, tracks[i])
			}
		}
	}
	for _, t := range tracks {
		if t.Kind == audioTrack {
			out = append(out, t)
		}
	}
	return out
}

// step returns the distance in seconds between ticks, such that all frames need at most most of them.
func (f *Film) step(all, most int) int {
	t := f.rate().Seconds(all)
	for _, s := range tickSteps {
		if int64(s)*int64(most)*t.Den >= t.Num {
			return s
		}
	}
	return tickSteps[len(tickSteps)-1]
}

// ticks returns the frames and the times of the ticks of a ruler.
func (f *Film) ticks(all, most int) (frames []int, texts []string) {
	step := f.step(all, most)
	r := f.rate()
	for s := 0; ; s += step {
		frame := int((int64(s)*r.Num + r.Den/2) / r.Den)
		if frame > all {
			return frames, texts
		}
		frames, texts = append(frames, frame), append(texts, r.Clock(frame))
	}
}

func (f *Film) drawRuler(b *strings.Builder, all int, column func(int) int) {
	frames, texts := f.ticks(all, 10)
	times, line := []rune(strings.Repeat(" ", rulerWidth+12)), []rune(strings.Repeat("-", rulerWidth))
	for i, frame := range frames {
		at := column(frame)
		if at < rulerWidth {
			line[at] = '|'
		}
		copy(times[at:], []rune(texts[i]))
	}
	fmt.Fprintf(b, "    %s\n    %s\n", strings.TrimRight(string(times), " "), string(line))
}

// svg draws the timeline as a picture, and returns the areas of its tracks, clips and transitions.
func (f *Film) svg() (text string, areas []abi.Area) {
	const left, wide, row, gap = 64, 1180, 44, 8
	all := max(f.Frames(), 1)
	tracks := f.shownOrder()
	height := 52 + len(tracks)*(row+gap) + 28
	x := func(frame int) float64 { return left + float64(frame)/float64(all)*wide }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="Helvetica, Arial, sans-serif">`, left+wide+24, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#16191f"/>`, left+wide+24, height)
	frames, texts := f.ticks(all, 12)
	for i, frame := range frames {
		fmt.Fprintf(&b, `<path d="M%.1f 30V%d" stroke="#39414f"/>`, x(frame), height-24)
		drawLabel(&b, x(frame), 22, 13, "middle", "#9aa7b8", texts[i])
	}
	for i, t := range tracks {
		y := 40 + i*(row+gap)
		drawLabel(&b, 12, float64(y+row/2+5), 15, "start", "#d5dbe4", t.ID)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#1f242d"/>`, left, y, wide, row)
		areas = append(areas, pdk.Area(pdk.Quote(t.ID), 0, float64(y), left+wide, row, t.ID))
		for _, c := range t.Clips {
			w := max(x(c.End)-x(c.Start), 1.5)
			f.drawClip(&b, c, x(c.Start), float64(y), w, row)
			areas = append(areas, pdk.Area(c.name(), x(c.Start), float64(y), w, row, c.ID))
		}
		for _, j := range t.Joins {
			a, z := x(j.B.Start), x(j.A.End)
			fmt.Fprintf(&b, `<path d="M%.1f %dL%.1f %dM%.1f %dL%.1f %d" stroke="#ffffff" stroke-width="1.5" fill="none"/><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#ffffff" fill-opacity="0.25"/>`, a, y, z, y+row, a, y+row, z, y, a, y, z-a, row)
			areas = append(areas, pdk.Area(pdk.Quote(j.ID), a, float64(y), z-a, row, j.ID))
		}
	}
	for _, m := range f.markers() {
		fmt.Fprintf(&b, `<path d="M%.1f 30V%d" stroke="#f6c945" stroke-dasharray="4 3"/>`, x(min(m.at, all)), height-24)
		drawLabel(&b, x(min(m.at, all))+4, float64(height-10), 13, "start", "#f6c945", m.name)
	}
	b.WriteString("</svg>")
	return b.String(), areas[:min(len(areas), abi.MaxAreas)]
}

// blockColors are the fill colors of clips by their type.
var blockColors = map[string]string{"clip": "#3f6fb5", "overlay": "#7a56b8", "audio": "#3c8f63", "text": "#b57a2a", "nested": "#5a6270"}

func (f *Film) drawClip(b *strings.Builder, c *Clip, x, y, w, h float64) {
	fill := blockColors[c.what()]
	opacity := ""
	if c.Off || c.Track.Hidden {
		opacity = ` fill-opacity="0.35"`
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="%s" stroke="#0d0f13"%s/>`, x, y, w, h, fill, opacity)
	in, out := c.fades()
	scale := w / float64(max(c.Frames(), 1))
	if in > 0 && c.kind != textItem {
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" fill="#000000" fill-opacity="0.45"/>`, x, y, x+float64(in)*scale, y, x, y+h)
	}
	if out > 0 && c.kind != textItem {
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" fill="#000000" fill-opacity="0.45"/>`, x+w, y, x+w-float64(out)*scale, y, x+w, y+h)
	}
	name := c.ID
	if c.kind == textItem {
		name = strings.Join(strings.Fields(c.Caption.Text), " ")
	}
	if c.left != nil { // the name starts after the transition shared with the clip before
		shared := float64(c.left.Frames()) * scale
		x, w = x+shared, w-shared
	}
	drawLabel(b, x+7, y+18, 14, "start", "#ffffff", truncate(name, w-12, 14))
	drawLabel(b, x+7, y+35, 11, "start", "#dfe6f0", truncate(f.detail(c), w-12, 11))
}

// detail returns the second line of a clip's label.
func (f *Film) detail(c *Clip) string {
	s := f.timeText(c.Frames())
	if c.Speed != 1 {
		s += " " + num(c.Speed) + "x"
	}
	if c.Mute {
		s += " muted"
	} else if c.Volume != 0 {
		s += " " + decibelText(c.Volume)
	}
	for _, e := range c.Effects {
		s += " " + e.Name
	}
	return s
}

// truncate cuts a text to a width in pixels.
func truncate(s string, width float64, size float64) string {
	room := 0.0
	for i, r := range s {
		if room += picture.Advance(r, false) * size; room > width {
			if i == 0 {
				return ""
			}
			_, n := utf8.DecodeLastRuneInString(s[:i])
			return s[:i-n] + "…"
		}
	}
	return s
}

func drawLabel(b *strings.Builder, x, y float64, size int, anchor, fill, s string) {
	if s != "" {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s">%s</text>`, x, y, size, anchor, fill, xmltree.EscapeText(s))
	}
}
