// Package picture draws a song as a piano roll in SVG: time runs to the right, with
// bars, beats and markers; pitches run upwards, and drums have rows of their own.
// Colours tell the tracks apart; opacity and the stems below show velocities.
package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Measures of the picture, in pixels.
const (
	left      = 92 // for the names of pitches and drums
	right     = 16
	titled    = 34 // height of the title
	ruled     = 44 // height of the ruler, with markers and signatures above the bar numbers
	stems     = 46 // height of the velocity stems
	gap       = 14
	drumRow   = 13
	legendRow = 20
)

// MinWidth and MaxWidth limit the width of a picture, in pixels.
const (
	MinWidth = 300
	MaxWidth = 20000
)

// colours are the tracks' colours: the Okabe-Ito set, which colour-blind people can
// tell apart, with a darker yellow and some more.
var colours = [...]string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7B3FA0", "#5F6B2F", "#A0522D", "#444444"}

// Draw draws what sounds from tick from up to, but not including, tick to. The same
// song gives the same bytes.
func Draw(s *song.Song, from, to int64, width int) []byte {
	svg, _, _ := Places(s, from, to, width)
	return svg
}

// Place is where a note is on a picture, in pixels.
type Place struct {
	Note                *song.Event
	X, Y, Width, Height float64
}

// Places draws as Draw does, and also returns where the notes are and a function from
// ticks to pixels.
func Places(s *song.Song, from, to int64, width int) (svg []byte, places []Place, x func(tick int64) float64) {
	p := &picture{song: s, from: from, to: max(to, from+1), width: float64(width)}
	p.meter, _ = s.Meter(nil)
	p.measure()
	return p.draw(), p.places, p.x
}

type picture struct {
	song     *song.Song
	meter    *song.Meter // nil for an SMPTE division
	from, to int64
	width    float64
	b        strings.Builder

	low, high  int         // the pitches shown; low > high if there are none
	row        float64     // the height of a pitch
	drums      [128]int    // row of each drum, from 1; 0 where it does not play
	kit        []int       // the drums, ascending
	top        float64     // top of the pitches
	kitTop     float64     // top of the drums
	stemTop    float64     // top of the velocity stems
	bottom     float64     // bottom of the velocity stems
	notes      [][]drawing // by colour
	names      []string    // track names by colour
	legendRows int
	places     []Place
}

type drawing struct {
	e    *song.Event
	drum bool
}

// measure collects the notes and computes the layout.
func (p *picture) measure() {
	p.low, p.high = 127, 0
	for _, t := range p.song.Music() {
		var own []drawing
		for e := range t.Between(0, p.to) {
			if !e.IsNote() || e.Mate.Tick <= p.from && e.Tick < p.from {
				continue
			}
			d := drawing{e, e.Channel() == theory.DrumChannel}
			if d.drum {
				p.drums[e.Pitch()] = 1
			} else {
				p.low, p.high = min(p.low, e.Pitch()), max(p.high, e.Pitch())
			}
			own = append(own, d)
		}
		if len(p.song.Music()) > 1 {
			p.notes, p.names = append(p.notes, own), append(p.names, song.Brief(p.song.Name(t), 22))
			continue
		}
		// One track plays on several channels, as in a file of format 0.
		for channel := 1; channel <= 16; channel++ {
			other := func(d drawing) bool { return d.e.Channel() != channel }
			if on := slices.DeleteFunc(slices.Clone(own), other); len(on) > 0 {
				p.notes, p.names = append(p.notes, on), append(p.names, soundOn(p.song, t, channel))
			}
		}
	}
	for n := range p.drums {
		if p.drums[n] > 0 {
			p.kit = append(p.kit, n)
		}
	}
	for i, n := range p.kit {
		p.drums[n] = len(p.kit) - i
	}
	across := max(int((p.width-left-right)/170), 1)
	p.legendRows = (len(p.names) + across - 1) / across
	p.top = titled + float64(p.legendRows)*legendRow + ruled
	p.kitTop = p.top
	if p.low <= p.high {
		p.low, p.high = max(p.low-1, 0), min(p.high+1, 127)
		switch n := p.high - p.low; {
		case n <= 30:
			p.row = 10
		case n <= 60:
			p.row = 8
		default:
			p.row = 6
		}
		p.kitTop += float64(p.high-p.low+1)*p.row + gap
	}
	p.stemTop = p.kitTop
	if len(p.kit) > 0 {
		p.stemTop += float64(len(p.kit))*drumRow + gap
	}
	p.bottom = p.stemTop + stems
}

// soundOn names the sound of a track on a channel.
func soundOn(s *song.Song, t *song.Track, channel int) string {
	e := t.First(func(e *song.Event) bool { return e.Kind() == song.KindProgram && e.Channel() == channel })
	switch {
	case e != nil:
		return song.Brief(s.SoundOf(e), 22)
	case channel == theory.DrumChannel:
		return song.SoundName(0, channel)
	}
	return song.Brief(s.Name(t), 16) + " ch:" + strconv.Itoa(channel)
}

// x converts a tick to pixels.
func (p *picture) x(tick int64) float64 {
	return left + (p.width-left-right)*float64(min(max(tick, p.from), p.to)-p.from)/float64(p.to-p.from)
}

// y returns the top of a pitch's row.
func (p *picture) y(pitch int) float64 { return p.top + float64(p.high-pitch)*p.row }

// pixels prints a number of pixels.
func pixels(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (p *picture) put(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// text writes escaped text at a place.
func (p *picture) text(x, y float64, class, text string) {
	p.put("<text x=\"%s\" y=\"%s\" class=\"%s\">%s</text>\n", pixels(x), pixels(y), class, xmltree.EscapeText(text))
}

func (p *picture) draw() []byte {
	height := p.bottom + 12
	p.put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\">\n", pixels(p.width), pixels(height), pixels(p.width), pixels(height))
	p.put("<style>text{font-family:Helvetica,Arial,\"DejaVu Sans\",sans-serif;font-size:10px;fill:#333}.title{font-size:16px;font-weight:bold}.name{text-anchor:end;fill:#666;font-size:9px}.bar{fill:#666}.mark{font-weight:bold;fill:#8a1c1c}.sig{fill:#1c4e8a}.legend{font-size:11px}</style>\n")
	p.put("<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n")
	title := song.Brief(p.song.Title(), 80)
	if title == "" {
		title = "(untitled)"
	}
	p.text(12, 22, "title", title)
	p.legend()
	p.rows()
	p.time()
	for i, own := range p.notes {
		p.track(own, colours[i%len(colours)])
	}
	if p.low > p.high && len(p.kit) == 0 {
		p.text(left, p.top+20, "bar", "no notes here")
	}
	p.put("</svg>\n")
	return []byte(p.b.String())
}

// legend draws the names of the tracks in their colours.
func (p *picture) legend() {
	if p.legendRows == 0 {
		return
	}
	across := (len(p.names) + p.legendRows - 1) / p.legendRows
	for i, name := range p.names {
		x, y := 12+float64(i%across)*170, titled+float64(i/across)*legendRow
		p.put("<rect x=\"%s\" y=\"%s\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", pixels(x), pixels(y), colours[i%len(colours)])
		p.text(x+15, y+9, "legend", name)
	}
}

// rows shades the rows of black keys and of every other drum, and labels rows.
func (p *picture) rows() {
	end := p.width - right
	black := []int{1, 3, 6, 8, 10}
	var shade, lines strings.Builder
	for pitch := p.low; pitch <= p.high; pitch++ {
		y := p.y(pitch)
		if slices.Contains(black, pitch%12) {
			fmt.Fprintf(&shade, "M%d %sH%sv%sH%dz", left, pixels(y), pixels(end), pixels(p.row), left)
		}
		if pitch%12 == 0 || p.high-p.low < 14 {
			name := theory.Spell(pitch, p.song.SpellingKey(nil, p.from)).String()
			p.text(left-6, y+p.row-1, "name", name)
		}
		if pitch%12 == 0 {
			fmt.Fprintf(&lines, "M%d %sH%s", left, pixels(y+p.row), pixels(end))
		}
	}
	for i, d := range p.kit {
		y := p.kitTop + float64(p.drums[d]-1)*drumRow
		if i%2 == 0 {
			fmt.Fprintf(&shade, "M%d %sH%sv%dH%dz", left, pixels(y), pixels(end), drumRow, left)
		}
		name := theory.DrumShort(d)
		if name == "" {
			name = "note " + strconv.Itoa(d)
		}
		p.text(left-6, y+drumRow-3, "name", name)
	}
	p.put("<path d=\"%s\" fill=\"#f1f3f5\"/>\n", shade.String())
	p.put("<path d=\"%sM%d %sH%s\" stroke=\"#c8ccd0\" fill=\"none\"/>\n", lines.String(), left, pixels(p.bottom), pixels(end))
	p.text(left-6, p.stemTop+10, "name", "velocity")
}

// track draws a track's notes and the stems of their velocities.
func (p *picture) track(notes []drawing, colour string) {
	if len(notes) == 0 {
		return
	}
	var stem strings.Builder
	p.put("<g fill=\"%s\">\n", colour)
	for _, d := range notes {
		e := d.e
		x := p.x(e.Tick)
		wide := max(p.x(e.Mate.Tick)-x-0.6, 1.5)
		y, high := 0.0, 0.0
		if d.drum {
			y, high = p.kitTop+float64(p.drums[e.Pitch()]-1)*drumRow+2, drumRow-4
			wide = min(max(wide, 3), 9) // a drum stroke has no length
		} else {
			y, high = p.y(e.Pitch())+0.5, p.row-1
		}
		p.put("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"1\" opacity=\"%.2f\"/>\n", pixels(x), pixels(y), pixels(wide), pixels(high), 0.3+0.7*float64(e.Velocity())/127)
		p.places = append(p.places, Place{e, x, y, wide, high})
		if e.Tick >= p.from {
			fmt.Fprintf(&stem, "M%s %sv%s", pixels(x+0.5), pixels(p.bottom), pixels(-float64(e.Velocity())*(stems-4)/127))
		}
	}
	p.put("</g>\n<path d=\"%s\" stroke=\"%s\" stroke-opacity=\"0.6\" fill=\"none\"/>\n", stem.String(), colour)
}

// Width returns a width that keeps a passage legible: about 32 pixels a quarter note,
// or a second with an SMPTE division.
func Width(s *song.Song, from, to int64) int {
	quarters := 0.0
	if ppq, err := s.PPQ(); err == nil {
		quarters = float64(to-from) / float64(ppq)
	} else {
		quarters = s.Tempo(nil).Seconds(to) - s.Tempo(nil).Seconds(from)
	}
	return int(min(max(left+right+32*quarters, 800), MaxWidth))
}
