package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// time draws bars and beats, their numbers, signatures, tempos and markers.
func (p *picture) time() {
	var bars, beats strings.Builder
	if p.meter != nil {
		p.bars(p.meter, &bars, &beats)
	} else {
		p.seconds(&bars)
	}
	p.put("<path d=\"%s\" stroke=\"#e3e6e9\" fill=\"none\"/>\n<path d=\"%s\" stroke=\"#b4bac0\" fill=\"none\"/>\n", beats.String(), bars.String())
	p.signatures()
	p.markers()
}

// vertical adds a line through the pitches and the stems at a tick.
func (p *picture) vertical(b *strings.Builder, tick int64) {
	fmt.Fprintf(b, "M%s %sV%s", pixels(p.x(tick)), pixels(p.top), pixels(p.bottom))
}

// bars adds lines for bars and beats, and writes the numbers of the bars.
func (p *picture) bars(m *song.Meter, bars, beats *strings.Builder) {
	first, _, _ := m.Locate(p.from)
	free := 0.0 // where the next label may start
	pixels := (p.width - left - right) / float64(p.to-p.from)
	// Skip bars that are narrower than a third of a pixel.
	stride := 1 + int(0.3/(float64(m.BarTick(first+1)-m.BarTick(first))*pixels))
	for bar := first; ; bar += stride {
		start, end := m.BarTick(bar), m.BarTick(bar+1)
		if start >= p.to {
			break
		}
		if start >= p.from && (float64(end-start)*pixels >= 3 || bar%16 == 1 && stride == 1) {
			p.vertical(bars, start)
		}
		if x := p.x(start); start >= p.from && x >= free {
			p.text(x+2, p.top-4, "bar", strconv.Itoa(bar))
			free = x + 26
		}
		if beat := m.BeatEnd(start) - start; float64(beat)*pixels < 5 {
			continue
		}
		for at := m.BeatEnd(start); at < end && at < p.to; at = m.BeatEnd(at) {
			if at > p.from {
				p.vertical(beats, at)
			}
		}
	}
}

// seconds adds a line for each second, or for a power of two of seconds in a long song, and
// writes the times.
func (p *picture) seconds(lines *strings.Builder) {
	second := 1.0
	for p.song.Tempo(nil).Seconds(p.to)/second > (p.width-left)/40 {
		second *= 2
	}
	per := p.song.Tempo(nil).Seconds(1)
	for i := math.Ceil(float64(p.from) * per / second); ; i++ {
		tick := int64(math.Round(i * second / per))
		if tick >= p.to {
			break
		}
		p.vertical(lines, tick)
		p.text(p.x(tick)+2, p.top-4, "bar", pixels(i*second)+"s")
	}
}

// labels writes texts above the pitches from left to right, and leaves out those for which
// there is no room.
type labels struct {
	p    *picture
	free float64 // where the next text may start
}

func (l *labels) write(tick int64, class, text string, y float64) {
	p := l.p
	if x := p.x(tick); tick >= p.from && tick < p.to && x >= l.free {
		p.text(x+2, y, class, text)
		l.free = x + 7*float64(len([]rune(text))) + 4
	}
}

// signatures writes the changes of time signature, tempo and key.
func (p *picture) signatures() {
	above := labels{p: p}
	type word struct {
		tick int64
		text string
	}
	var words []word
	if m := p.meter; m != nil {
		for _, g := range m.Changes {
			words = append(words, word{g.Tick, fmt.Sprintf("%d/%d", g.Num, g.Den)})
		}
		for _, c := range p.song.Tempo(nil).Changes {
			words = append(words, word{c.Tick, "♩=" + song.PrintBPM(math.Round(c.BPM()*10)/10)})
		}
		for _, k := range p.song.Keys(nil) {
			words = append(words, word{k.Tick, k.Key.String()})
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return int(a.tick - b.tick) })
	for i := 0; i < len(words); {
		text := words[i].text
		j := i + 1
		for ; j < len(words) && words[j].tick == words[i].tick; j++ {
			text += " " + words[j].text
		}
		above.write(words[i].tick, "sig", text, p.top-17)
		i = j
	}
}

// markers draws the markers and their names.
func (p *picture) markers() {
	above := labels{p: p}
	for _, e := range p.song.Markers(nil) {
		if e.Tick >= p.from && e.Tick < p.to {
			p.put("<path d=\"M%s %sV%s\" stroke=\"#8a1c1c\" stroke-dasharray=\"3 3\" fill=\"none\"/>\n", pixels(p.x(e.Tick)), pixels(p.top-38), pixels(p.bottom))
		}
		above.write(e.Tick, "mark", song.Brief(e.Text(), 30), p.top-30)
	}
}
