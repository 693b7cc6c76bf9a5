package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// rulerWidth is the width of the film in the letter drawing, in characters.
const rulerWidth = 96

// tickSteps are the possible distances between the ticks of a ruler, in seconds.
var tickSteps = []int{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 36000}

// letterDrawing draws the film in characters, with a line for each track in the order of stacking.
func letterDrawing(f *film.Film) string {
	all := f.Frames()
	if all == 0 {
		return "the timeline is empty"
	}
	column := func(frame int) int { return frame * rulerWidth / all }
	var b strings.Builder
	drawRuler(f, &b, all, column)
	for _, t := range shownOrder(f) {
		row := []rune(strings.Repeat(" ", rulerWidth))
		at := 0
		for _, c := range t.Clips {
			from, to := column(c.Start), max(column(c.End), column(c.Start)+1)
			if t.Kind == film.VideoTrack && c.Over == nil && c.Start > at {
				for i := column(at); i < from; i++ {
					row[i] = '·'
				}
			}
			at = c.End
			if to > rulerWidth {
				to = rulerWidth
			}
			name, shared := []rune(c.ID), 0
			if c.Left != nil { // the transition shared with the clip before
				shared = max(1, column(c.Left.A.End)-from)
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
	if marks := f.Markers(); len(marks) > 0 {
		row := []rune(strings.Repeat(" ", rulerWidth+1))
		var names []string
		for _, m := range marks {
			row[min(column(m.At), rulerWidth)] = '^'
			names = append(names, fmt.Sprintf("%s %s", m.Name, f.TimeText(m.At)))
		}
		fmt.Fprintf(&b, "    %s\n    ^ %s\n", strings.TrimRight(string(row), " "), pdk.List(names, 8))
	}
	b.WriteString("x transition, · gap")
	return b.String()
}

// shownOrder returns the tracks in the order of stacking: texts, video tracks from the top, audio tracks.
func shownOrder(f *film.Film) (out []*film.Track) {
	tracks := f.Parsed().Tracks
	for _, kind := range []byte{film.TextTrack, film.VideoTrack} {
		for i := len(tracks) - 1; i >= 0; i-- {
			if tracks[i].Kind == kind {
				out = append(out, tracks[i])
			}
		}
	}
	for _, t := range tracks {
		if t.Kind == film.AudioTrack {
			out = append(out, t)
		}
	}
	return out
}

// tickStep returns the distance in seconds between ticks, such that all frames need at most most of them.
func tickStep(f *film.Film, all, most int) int {
	t := f.Rate().Seconds(all)
	for _, s := range tickSteps {
		if int64(s)*int64(most)*t.Den >= t.Num {
			return s
		}
	}
	return tickSteps[len(tickSteps)-1]
}

// rulerTicks returns the frames and the times of the ticks of a ruler.
func rulerTicks(f *film.Film, all, most int) (frames []int, texts []string) {
	step := tickStep(f, all, most)
	r := f.Rate()
	for s := 0; ; s += step {
		frame := int((int64(s)*r.Num + r.Den/2) / r.Den)
		if frame > all {
			return frames, texts
		}
		frames, texts = append(frames, frame), append(texts, r.Clock(frame))
	}
}

func drawRuler(f *film.Film, b *strings.Builder, all int, column func(int) int) {
	frames, texts := rulerTicks(f, all, 10)
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

// picture draws the timeline as a picture, and returns the areas of its tracks, clips and transitions.
func picture(f *film.Film) (text string, areas []abi.Area) {
	const left, wide, row, gap = 64.0, 1180.0, 44.0, 8.0
	all := max(f.Frames(), 1)
	tracks := shownOrder(f)
	height := 52 + float64(len(tracks))*(row+gap) + 28
	x := func(frame int) float64 { return left + float64(frame)/float64(all)*wide }
	var b strings.Builder
	frames, texts := rulerTicks(f, all, 12)
	for i, frame := range frames {
		fmt.Fprintf(&b, `<path d="M%.1f 30V%g" stroke="#39414f"/>`, x(frame), height-24)
		draw.Font{Size: 13, Anchor: "middle", Fill: "#9aa7b8"}.Text(&b, x(frame), 22, texts[i])
	}
	for i, t := range tracks {
		y := 40 + float64(i)*(row+gap)
		draw.Font{Size: 15, Fill: "#d5dbe4"}.Text(&b, 12, y+row/2+5, t.ID)
		draw.Rect(&b, geom.Rect{X: left, Y: y, W: wide, H: row}, `fill="#1f242d"`)
		areas = append(areas, pdk.Area(pdk.Quote(t.ID), 0, y, left+wide, row, t.ID))
		for _, c := range t.Clips {
			w := max(x(c.End)-x(c.Start), 1.5)
			drawClip(f, &b, c, geom.Rect{X: x(c.Start), Y: y, W: w, H: row})
			areas = append(areas, pdk.Area(c.Ref(), x(c.Start), y, w, row, c.ID))
		}
		for _, j := range t.Joins {
			a, z := x(j.B.Start), x(j.A.End)
			fmt.Fprintf(&b, `<path d="M%.1f %gL%.1f %gM%.1f %gL%.1f %g" stroke="#ffffff" stroke-width="1.5" fill="none"/>`, a, y, z, y+row, a, y+row, z, y)
			draw.Rect(&b, geom.Rect{X: a, Y: y, W: z - a, H: row}, `fill="#ffffff" fill-opacity="0.25"`)
			areas = append(areas, pdk.Area(pdk.Quote(j.ID), a, y, z-a, row, j.ID))
		}
	}
	for _, m := range f.Markers() {
		fmt.Fprintf(&b, `<path d="M%.1f 30V%g" stroke="#f6c945" stroke-dasharray="4 3"/>`, x(min(m.At, all)), height-24)
		draw.Font{Size: 13, Fill: "#f6c945"}.Text(&b, x(min(m.At, all))+4, height-10, m.Name)
	}
	return draw.Page(geom.Rect{W: left + wide + 24, H: height}, "#16191f", b.String()), areas
}

// blockColors are the fill colors of clips by their type.
var blockColors = map[string]string{"clip": "#3f6fb5", "overlay": "#7a56b8", "audio": "#3c8f63", "text": "#b57a2a", "nested": "#5a6270"}

func drawClip(f *film.Film, b *strings.Builder, c *film.Clip, r geom.Rect) {
	look := `rx="4" fill="` + blockColors[c.What()] + `" stroke="#0d0f13"`
	if c.Off || c.Track.Hidden {
		look += ` fill-opacity="0.35"`
	}
	draw.Rect(b, r, look)
	in, out := fadeLengths(c)
	scale := r.W / float64(max(c.Frames(), 1))
	fade := func(frames int, edge, inward float64) {
		if frames > 0 && c.Kind != film.TextItem {
			fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" fill="#000000" fill-opacity="0.45"/>`, edge, r.Y, edge+inward*float64(frames)*scale, r.Y, edge, r.Bottom())
		}
	}
	fade(in, r.X, 1)
	fade(out, r.Right(), -1)
	name := c.ID
	if c.Kind == film.TextItem {
		name = strings.Join(strings.Fields(c.Caption.Text), " ")
	}
	if c.Left != nil { // the name starts after the transition shared with the clip before
		shared := float64(c.Left.Frames()) * scale
		r.X, r.W = r.X+shared, r.W-shared
	}
	put := func(font draw.Font, y float64, text string) {
		if r.W > 24 {
			font.Text(b, r.X+7, r.Y+y, font.Fit(text, r.W-12))
		}
	}
	put(draw.Font{Size: 14, Fill: "#ffffff"}, 18, name)
	put(draw.Font{Size: 11, Fill: "#dfe6f0"}, 35, detail(f, c))
}

// detail returns the second line of a clip's label.
func detail(f *film.Film, c *film.Clip) string {
	s := f.TimeText(c.Frames())
	if c.Speed != 1 {
		s += " " + value.FormatNumber(c.Speed) + "x"
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
