package render

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// line is one track's sound, or one overlay's, from the beginning of the film to its end.
type line struct {
	track string // its id, "" for an overlay
	label string
}

// heard reports whether anything makes a sound.
func (b *build) heard() bool {
	for _, tracks := range [][]Track{b.p.Video, b.p.Audio} {
		for i := range tracks {
			if b.sounds(&tracks[i]) {
				return true
			}
		}
	}
	for i := range b.p.Overlays {
		if o := &b.p.Overlays[i]; !o.Mute && b.p.Media[o.Media].Audio {
			return true
		}
	}
	return false
}

// sounds reports whether a track makes a sound.
func (b *build) sounds(t *Track) bool {
	for i := range t.Items {
		if it := &t.Items[i]; it.Gap == 0 && !it.Clip.Mute && b.p.Media[it.Clip.Media].Audio {
			return !t.Mute
		}
	}
	return false
}

// audio is the film's sound: as many samples as its frames last.
func (b *build) audio() string {
	var lines []line
	for _, tracks := range [][]Track{b.p.Video, b.p.Audio} {
		for i := range tracks {
			if t := &tracks[i]; b.sounds(t) {
				lines = append(lines, line{t.ID, b.line(t)})
			}
		}
	}
	for i := range b.p.Overlays {
		if o := &b.p.Overlays[i]; !o.Mute && b.p.Media[o.Media].Audio {
			lines = append(lines, line{"", b.overlaid(o)})
		}
	}
	lines = b.duck(lines)
	if len(lines) == 1 {
		return lines[0].label
	}
	var labels []string
	for _, l := range lines {
		labels = append(labels, l.label)
	}
	return b.chain("a", fmt.Sprintf("amix=inputs=%d:duration=longest:normalize=0", len(labels)), labels...)
}

// line is the sound of a track. Each leg is as long as its picture, so that cuts and crossfades lie where those of the picture do.
func (b *build) line(t *Track) string {
	p := b.p
	var legs []string // that are still to be joined
	label := ""
	at := 0 // the frame at which the next item begins
	var cross int64
	join := func() {
		next := legs[0]
		if len(legs) > 1 {
			next = b.chain("a", fmt.Sprintf("concat=n=%d:v=0:a=1", len(legs)), legs...)
		}
		if label != "" {
			next = b.chain("a", fmt.Sprintf("acrossfade=ns=%d:c1=tri:c2=tri", cross), label, next)
		}
		label, legs = next, nil
	}
	for i := range t.Items {
		it := &t.Items[i]
		frames := it.Gap
		if it.Gap == 0 {
			frames = it.Clip.Frames
		}
		samples := p.samples(at+frames) - p.samples(at)
		if c := &it.Clip; it.Gap == 0 && !c.Mute && p.Media[c.Media].Audio {
			legs = append(legs, b.sounding(c.source(), samples, at, c.Volume, c.FadeIn, c.FadeOut, c.Effects))
		} else {
			legs = append(legs, b.silence(samples))
		}
		at += frames
		if it.Next != nil {
			join()
			cross = p.samples(at) - p.samples(at-it.Next.Frames)
			at -= it.Next.Frames
		}
	}
	join()
	return b.whole(label, t.Volume)
}

// overlaid is the sound of an overlay.
func (b *build) overlaid(o *Overlay) string {
	p := b.p
	label := b.sounding(o.source(), p.samples(o.From+o.Frames)-p.samples(o.From), o.From, o.Volume, o.FadeIn, o.FadeOut, o.Effects)
	if o.From > 0 {
		label = b.chain("a", "concat=n=2:v=0:a=1", b.silence(p.samples(o.From)), label)
	}
	return b.whole(label, 0)
}

// whole makes a line as long as the film.
func (b *build) whole(label string, volume float64) string {
	all := b.p.samples(b.p.Frames())
	f := []string{fmt.Sprintf("apad=whole_len=%d", all), fmt.Sprintf("atrim=end_sample=%d", all)}
	if volume != 0 {
		f = append(f, "volume="+number(volume)+"dB")
	}
	return b.chain("a", strings.Join(f, ","), label)
}

func (b *build) silence(samples int64) string {
	return b.chain("a", fmt.Sprintf("anullsrc=r=%d:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=%d", b.rate, samples))
}

// sounding is the sound of a source: exactly so many samples. from is the frame of the timeline at which it begins.
func (b *build) sounding(s source, samples int64, from int, volume float64, in, out int, effects []Effect) string {
	p := b.p
	_, early := b.open(s)
	pad, f := b.heardFrom(s)
	speed := s.speed.or(Rational{1, 1})
	if early.Sign() != 0 {
		f = append(f, fmt.Sprintf("asetpts=PTS-%s/TB", early.RatString()))
	}
	f = append(f, fmt.Sprintf("aresample=%d:async=1:first_pts=0", b.rate), "aformat=sample_fmts=fltp:channel_layouts=stereo")
	for _, tempo := range tempos(speed) {
		f = append(f, "atempo="+tempo)
	}
	f = append(f, fmt.Sprintf("apad=whole_len=%d", samples), fmt.Sprintf("atrim=end_sample=%d", samples), "asetpts=N/SR/TB")
	f = append(f, b.effects(effects, sound)...)
	if volume != 0 {
		f = append(f, "volume="+number(volume)+"dB")
	}
	if in > 0 {
		f = append(f, fmt.Sprintf("afade=t=in:ss=0:ns=%d", p.samples(from+in)-p.samples(from)))
	}
	if out > 0 {
		n := p.samples(from+s.frames) - p.samples(from+s.frames-out)
		f = append(f, fmt.Sprintf("afade=t=out:ss=%d:ns=%d", samples-n, n))
	}
	return b.chain("a", strings.Join(f, ","), pad)
}

// tempos are factors whose product is the speed and of which each is one that atempo takes with good quality.
func tempos(speed Rational) (all []string) {
	r, half, two := speed.rat(), big.NewRat(1, 2), big.NewRat(2, 1)
	for r.Cmp(two) > 0 {
		all = append(all, "2")
		r.Quo(r, two)
	}
	for r.Cmp(half) < 0 {
		all = append(all, "0.5")
		r.Quo(r, half)
	}
	if r.Cmp(big.NewRat(1, 1)) != 0 {
		all = append(all, decimal(r.FloatString(9)))
	}
	return all
}

// duck lowers lines while others are heard.
func (b *build) duck(lines []line) []line {
	find := func(id string) *line {
		for i := range lines {
			if lines[i].track == id {
				return &lines[i]
			}
		}
		return nil
	}
	for _, d := range b.p.Ducks {
		low, key := find(d.Track), find(d.Under)
		if low == nil || key == nil || low == key {
			continue // one of them is silent
		}
		by := d.By
		if by == 0 {
			by = -12
		}
		heard := b.split("asplit", "a", key.label, 2)
		key.label = heard[0]
		// What is mixed back is what is left at the loudest.
		mix := 1 - math.Pow(10, by/20)
		low.label = b.chain("a", fmt.Sprintf("sidechaincompress=level_sc=8:threshold=0.02:ratio=20:attack=20:release=400:mix=%s", number(mix)), low.label, heard[1])
	}
	return lines
}
