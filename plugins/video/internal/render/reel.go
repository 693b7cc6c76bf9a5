package render

import (
	"fmt"
	"math/big"
)

// reel is one input, and the clips that are read from it in sequence: consecutive parts of one recording, with little
// left out between them. A decoder for each clip would take 20 MB or more for large pictures, all at the same time.
type reel struct {
	sources []sourceSpan
	index   int      // of the input, once it is open
	seek    *big.Rat // start in the medium in seconds; nil before it is open

	pictures, sounds []string // pads that no clip uses yet
}

// maxSkipped is the maximum time in seconds between two clips that is decoded and dropped, rather than opening the
// medium again.
const maxSkipped = 10

// planReels finds the reels of a project's tracks. A gap or a transition ends a reel: the next clip is needed before
// the one before has ended, and everything in between would have to be kept.
func (b *build) planReels(p *Project) {
	for _, tracks := range [][]Track{p.Video, p.Audio} {
		for _, t := range tracks {
			var now *reel
			for i := range t.Items {
				it := &t.Items[i]
				if it.Gap > 0 {
					now = nil
					continue
				}
				s := it.Clip.source()
				if now == nil || !b.follows(now.sources[len(now.sources)-1], s) {
					now = &reel{}
				}
				now.sources = append(now.sources, s)
				b.reels[s.key] = now
				if it.Next != nil {
					now = nil
				}
			}
		}
	}
	for i := range p.Overlays {
		s := p.Overlays[i].source()
		b.reels[s.key] = &reel{sources: []sourceSpan{s}}
	}
}

// follows reports whether a source starts in the same medium where another one ends, or soon after.
func (b *build) follows(before, s sourceSpan) bool {
	m := &b.p.Media[s.media]
	if before.media != s.media || m.Still {
		return false
	}
	skipped := new(big.Rat).Sub(s.in.rat(), b.end(before))
	return skipped.Sign() >= 0 && (m.Sequential || skipped.Cmp(big.NewRat(maxSkipped, 1)) <= 0) // another decoder would read it all again
}

// end returns the second of the medium at which a source ends.
func (b *build) end(s sourceSpan) *big.Rat {
	length := b.p.seconds(s.frames)
	return length.Mul(length, s.speed.orDefault(Rational{1, 1}).rat()).Add(length, s.in.rat())
}

// preroll returns how long before the source's start reading begins, because rounding must not lose the first frame,
// and a frame of the project may start within one of the medium.
func (b *build) preroll(s sourceSpan) *big.Rat {
	frame := new(big.Rat).Inv(b.p.Media[s.media].FPS.orDefault(Rational{25, 1}).rat())
	return frame.Add(frame, frame)
}

// open opens the input of a source unless it is open. early is how far into the input the source starts, in seconds.
func (b *build) open(s sourceSpan) (r *reel, early *big.Rat) {
	r = b.reels[s.key]
	if r.seek == nil {
		r.index, r.seek = len(b.inputs), new(big.Rat)
		b.args = append(b.args, "-threads", "1", "-thread_queue_size", "0")
		if !b.p.Media[s.media].Still {
			first, last := r.sources[0], r.sources[len(r.sources)-1]
			seek := new(big.Rat).Sub(first.in.rat(), b.preroll(first))
			if d := b.p.Media[s.media].Duration; d.Num > 0 && d.Den > 0 {
				// The pictures may end before the sound, and one is needed.
				if last := new(big.Rat).Sub(d.rat(), big.NewRat(1, 1)); seek.Cmp(last) > 0 {
					seek = last
				}
			}
			if seek = floorMillis(seek); seek.Sign() > 0 && !b.p.Media[s.media].Sequential {
				r.seek = seek
				b.args = append(b.args, "-ss", micros(seek))
			}
			length := b.end(last)
			length.Sub(length, r.seek).Add(length, big.NewRat(1, 1))
			b.args = append(b.args, "-t", micros(floorMillis(length)))
		}
		b.args = append(b.args, "-i", fmt.Sprintf("{in:%d}", r.index))
		b.inputs = append(b.inputs, s.media)
	}
	return r, new(big.Rat).Sub(s.in.rat(), r.seek)
}

// picturePad returns the pad of a source's pictures, and the filters that cut out its part.
func (b *build) picturePad(s sourceSpan) (pad string, filters []string) {
	r, early := b.open(s)
	return r.pad("v", "trim", &r.pictures, len(r.sources), b, s, early)
}

// soundPad returns the pad of a source's sound, and the filters that cut out its part.
func (b *build) soundPad(s sourceSpan) (pad string, filters []string) {
	r, early := b.open(s)
	audible := 0
	for _, other := range r.sources {
		if !other.mute {
			audible++
		}
	}
	return r.pad("a", "atrim", &r.sounds, audible, b, s, early)
}

func (r *reel) pad(kind, trim string, left *[]string, n int, b *build, s sourceSpan, early *big.Rat) (string, []string) {
	pad := fmt.Sprintf("%d:%s:0", r.index, kind)
	if n == 1 {
		return pad, nil
	}
	if *left == nil {
		*left = b.split(map[string]string{"v": "split", "a": "asplit"}[kind], kind, pad, n)
	}
	pad = (*left)[0]
	*left = (*left)[1:]
	start := new(big.Rat).Sub(early, b.preroll(s))
	if start.Sign() < 0 {
		start.SetInt64(0)
	}
	end := b.end(s)
	end.Sub(end, r.seek).Add(end, big.NewRat(1, 1))
	return pad, []string{fmt.Sprintf("%s=start=%s:end=%s", trim, micros(floorMillis(start)), micros(floorMillis(end)))}
}
