package render

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// soundLine is the sound of one track or one overlay over the whole film.
type soundLine struct {
	track string // id of the track, "" for an overlay
	label string
}

// hasSound reports whether anything in the film makes a sound.
func (b *build) hasSound() bool {
	for _, tracks := range [][]Track{b.p.Video, b.p.Audio} {
		for i := range tracks {
			if b.trackHasSound(&tracks[i]) {
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

// trackHasSound reports whether a track makes a sound.
func (b *build) trackHasSound(t *Track) bool {
	for i := range t.Items {
		if it := &t.Items[i]; it.Gap == 0 && !it.Clip.Mute && b.p.Media[it.Clip.Media].Audio {
			return !t.Mute
		}
	}
	return false
}

// audio returns the pad of the film's sound, with as many samples as its frames last.
func (b *build) audio() string {
	var lines []soundLine
	for _, tracks := range [][]Track{b.p.Video, b.p.Audio} {
		for i := range tracks {
			if t := &tracks[i]; b.trackHasSound(t) {
				lines = append(lines, soundLine{t.ID, b.trackSound(t)})
			}
		}
	}
	for i := range b.p.Overlays {
		if o := &b.p.Overlays[i]; !o.Mute && b.p.Media[o.Media].Audio {
			lines = append(lines, soundLine{"", b.overlaySound(o)})
		}
	}
	lines = b.duckLines(lines)
	if len(lines) == 1 {
		return lines[0].label
	}
	var labels []string
	for _, l := range lines {
		labels = append(labels, l.label)
	}
	return b.chain("a", fmt.Sprintf("amix=inputs=%d:duration=longest:normalize=0", len(labels)), labels...)
}

// trackSound returns the pad of a track's sound. The sound of each clip is as long as its picture, so that cuts and
// crossfades of both coincide.
func (b *build) trackSound(t *Track) string {
	p := b.p
	var legs []string // not joined yet
	label := ""
	at := 0 // frame at which the next item starts
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
			legs = append(legs, b.sourceSound(c.source(), samples, at, c.treatment()))
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
	return b.padLine(label, t.Volume)
}

// overlaySound returns the pad of an overlay's sound.
func (b *build) overlaySound(o *Overlay) string {
	p := b.p
	label := b.sourceSound(o.source(), p.samples(o.From+o.Frames)-p.samples(o.From), o.From, o.treatment())
	if o.From > 0 {
		label = b.chain("a", "concat=n=2:v=0:a=1", b.silence(p.samples(o.From)), label)
	}
	return b.padLine(label, 0)
}

// padLine makes a sound as long as the film.
func (b *build) padLine(label string, volume float64) string {
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

// sourceSound returns the pad of a source's sound, of exactly the given number of samples. from is the frame of the
// timeline at which it starts.
func (b *build) sourceSound(s sourceSpan, samples int64, from int, t treatment) string {
	p := b.p
	_, early := b.open(s)
	pad, f := b.soundPad(s)
	speed := s.speed.orDefault(Rational{1, 1})
	if early.Sign() != 0 {
		f = append(f, fmt.Sprintf("asetpts=PTS-%s/TB", early.RatString()))
	}
	f = append(f, fmt.Sprintf("aresample=%d:async=1:first_pts=0", b.rate), "aformat=sample_fmts=fltp:channel_layouts=stereo")
	for _, tempo := range tempoFactors(speed) {
		f = append(f, "atempo="+tempo)
	}
	f = append(f, fmt.Sprintf("apad=whole_len=%d", samples), fmt.Sprintf("atrim=end_sample=%d", samples), "asetpts=N/SR/TB")
	f = append(f, b.effects(t.effects, sound)...)
	if t.volume != 0 {
		f = append(f, "volume="+number(t.volume)+"dB")
	}
	up, down, ahead := t.cut.ramps(t.fadeIn, t.fadeOut, s.frames)
	start := p.samples(from - ahead)
	silent := p.samples(from) - start // before the sound, for a fade that began there
	if ahead > 0 {
		f = append(f, fmt.Sprintf("adelay=%dS:all=1", silent))
	}
	for _, r := range []struct {
		kind string
		ramp
	}{{"in", up}, {"out", down}} {
		if at := p.samples(from + r.at); r.frames > 0 {
			f = append(f, fmt.Sprintf("afade=t=%s:ss=%d:ns=%d", r.kind, at-start, p.samples(from+r.end())-at))
		}
	}
	if ahead > 0 {
		f = append(f, fmt.Sprintf("atrim=start_sample=%d", silent), "asetpts=N/SR/TB")
	}
	return b.chain("a", strings.Join(f, ","), pad)
}

// tempoFactors splits a speed into factors that atempo handles with good quality.
func tempoFactors(speed Rational) (all []string) {
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

// duckLines lowers tracks while others are heard.
func (b *build) duckLines(lines []soundLine) []soundLine {
	find := func(id string) *soundLine {
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
		// Where the other track is loudest, only the share of the original that is mixed back remains.
		mix := 1 - math.Pow(10, by/20)
		low.label = b.chain("a", fmt.Sprintf("sidechaincompress=level_sc=8:threshold=0.02:ratio=20:attack=20:release=400:mix=%s", number(mix)), low.label, heard[1])
	}
	return lines
}
