package render

import (
	"fmt"
	"strings"
)

// video returns the pad of the film's picture, of a given number of frames.
func (b *build) video(frames int) string {
	p := b.p
	base := ""
	for i := range p.Video {
		t := &p.Video[i]
		if t.Hide {
			continue
		}
		for _, s := range b.clipRuns(t, base != "") {
			if base == "" && s.from == 0 && s.frames >= frames {
				base = s.label
				continue
			}
			if base == "" {
				base = b.background(frames)
			}
			moved := b.chain("v", fmt.Sprintf("setpts=N+(%d)", s.from), s.label)
			base = b.chain("v", "overlay=0:0:eof_action=pass", base, moved)
		}
	}
	if base == "" {
		base = b.background(frames)
	}
	for i := range p.Overlays {
		base = b.overlay(base, &p.Overlays[i])
	}
	return b.texts(base)
}

// background returns a plain picture in the background color.
func (b *build) background(frames int) string {
	return b.chain("v", fmt.Sprintf("color=c=%s:s=%dx%d:r=%s,trim=end_frame=%d,setsar=1,format=yuv420p,settb=%s", b.p.background(), b.p.Width, b.p.Height, b.p.FPS, frames, b.p.timeBase()))
}

func (p *Project) background() string { return filterColor(p.Background, "#000000") }

// timeBase returns the time base of pictures, the length of a frame.
func (p *Project) timeBase() string { return Rational{p.FPS.Den, p.FPS.Num}.String() }

// filterColor prints a checked color for filters.
func filterColor(c, otherwise string) string {
	if c == "" {
		c = otherwise
	}
	return "0x" + strings.ToUpper(c[1:])
}

// clipRun is a sequence of clips without a gap.
type clipRun struct {
	label        string
	from, frames int
}

// clipRuns builds the pictures of a track. On a track over others, the parts that its pictures do not cover are
// transparent.
func (b *build) clipRuns(t *Track, over bool) (all []clipRun) {
	at := 0
	for i := 0; i < len(t.Items); {
		if t.Items[i].Gap > 0 {
			at += t.Items[i].Gap
			i++
			continue
		}
		s := clipRun{from: at}
		format := "yuv420p"
		if over {
			format = "yuva420p"
		}
		var parts []string
		var tail string // end of the clip before, for the transition to this one
		var cross *Transition
		for ; i < len(t.Items) && t.Items[i].Gap == 0; i++ {
			c, next := &t.Items[i].Clip, t.Items[i].Next
			first, last := 0, c.Frames // frames of this clip outside of transitions
			if cross != nil {
				first = cross.Frames
			}
			if next != nil {
				last -= next.Frames
			}
			head, body, end := b.splitLeg(b.leg(c, over, format), c.Frames, first, last)
			if cross != nil {
				parts = append(parts, b.cross(cross, tail, head, format))
			}
			if body != "" {
				parts = append(parts, body)
			}
			s.frames += last
			cross, tail = next, end
		}
		s.label = parts[0]
		if len(parts) > 1 {
			s.label = b.chain("v", fmt.Sprintf("concat=n=%d,settb=%s,setpts=N", len(parts), b.p.timeBase()), parts...)
		}
		at += s.frames
		all = append(all, s)
	}
	return all
}

// splitLeg divides the picture of a clip into the parts in the transition before, outside of transitions, and in the
// transition after; "" is an empty part. Each frame then passes through at most one transition, however many there
// are.
func (b *build) splitLeg(leg string, frames, first, last int) (head, body, tail string) {
	edges := [][2]int{{0, first}, {first, last}, {last, frames}}
	n := 0
	for _, e := range edges {
		if e[0] < e[1] {
			n++
		}
	}
	if n == 1 {
		switch {
		case first == frames:
			return leg, "", ""
		case last == 0:
			return "", "", leg
		}
		return "", leg, ""
	}
	copies := b.split("split", "v", leg, n)
	part := func(e [2]int) string {
		if e[0] == e[1] {
			return ""
		}
		label := copies[0]
		copies = copies[1:]
		return b.chain("v", fmt.Sprintf("trim=start_frame=%d:end_frame=%d,setpts=N", e[0], e[1]), label)
	}
	return part(edges[0]), part(edges[1]), part(edges[2])
}

// cross joins the end of a clip and the start of the next, each as long as the transition.
func (b *build) cross(t *Transition, tail, head, format string) string {
	full := strings.Replace(format, "420", "444", 1) // xfade supports no other subsampling
	from, to := b.chain("v", "format="+full, tail), b.chain("v", "format="+full, head)
	return b.chain("v", fmt.Sprintf("xfade=transition=%s:duration=%s:offset=0,format=%s", transitionNamed(t.Kind).filter, micros(b.p.seconds(t.Frames)), format), from, to)
}

// leg returns the picture of a clip: exactly its frames, in the project's size, rate and time base, as xfade and
// concat need them.
func (b *build) leg(c *Clip, over bool, format string) string {
	pad, f := b.retime(c.source())
	f = append(f, b.effects(c.Effects, before)...)
	f = append(f, b.fit(c, over)...)
	f = append(f, b.exactFrames(c.source())...)
	f = append(f, b.effects(c.Effects, after)...)
	f = append(f, "format="+format)
	f = append(f, b.fades(c.FadeIn, c.FadeOut, c.Cut, c.Frames, over)...)
	f = append(f, "settb="+b.p.timeBase())
	return b.chain("v", strings.Join(f, ","), pad)
}

// holdLast repeats the last picture of a source forever.
const holdLast = "tpad=stop=-1:stop_mode=clone"

// retime converts a source to the project's rate, starting at time 0. A source that ends too early repeats its last
// picture.
func (b *build) retime(s sourceSpan) (pad string, f []string) {
	_, early := b.open(s)
	pad, f = b.picturePad(s)
	fps := fmt.Sprintf("fps=%s:start_time=0", b.p.FPS)
	if b.p.Media[s.media].Still {
		return pad, append(f, fps)
	}
	if speed := s.speed.orDefault(Rational{1, 1}); early.Sign() != 0 || speed.Num != speed.Den {
		f = append(f, fmt.Sprintf("setpts=(PTS-%s/TB)*%d/%d", early.RatString(), speed.Den, speed.Num))
	}
	return pad, append(f, holdLast, fps)
}

// exactFrames cuts a source to exactly its frames. A still is repeated here, so that it is scaled only once.
func (b *build) exactFrames(s sourceSpan) []string {
	f := []string{fmt.Sprintf("trim=end_frame=%d", s.frames), "setpts=N"}
	if b.p.Media[s.media].Still {
		f = append([]string{holdLast}, f...)
	}
	return f
}

// fit scales a source to the project's size.
func (b *build) fit(c *Clip, over bool) []string {
	p := b.p
	var f []string
	if px := p.Media[c.Media].Pixel; px.Num != px.Den && px.Den != 0 {
		f = append(f, fmt.Sprintf("scale=w=iw*%s:h=ih", px))
	}
	size := fmt.Sprintf("%d:%d", p.Width, p.Height)
	switch c.Fit {
	case "stretch":
		f = append(f, "scale="+size)
	case "cover":
		f = append(f, "scale="+size+":force_original_aspect_ratio=increase", "crop="+size)
	default:
		bars := p.background()
		f = append(f, "scale="+size+":force_original_aspect_ratio=decrease")
		if over {
			bars = "0x00000000"
			f = append(f, "format=yuva420p")
		}
		f = append(f, "pad="+size+":-1:-1:color="+bars)
	}
	return append(f, "setsar=1")
}

// fades returns filters that fade in from and out to the background or, with over, to the tracks below. in, out and
// frames are in frames. A fade that began before the item is drawn over copies of its first picture, which are
// dropped afterwards.
func (b *build) fades(in, out int, cut Cut, frames int, over bool) (f []string) {
	up, down, early := cut.ramps(in, out, frames)
	if early > 0 {
		f = append(f, fmt.Sprintf("tpad=start=%d:start_mode=clone", early))
	}
	to := ":color=" + b.p.background()
	if over {
		to = ":alpha=1"
	}
	if up.frames > 0 {
		f = append(f, fmt.Sprintf("fade=t=in:s=%d:n=%d%s", early+up.at, up.frames, to))
	}
	if down.frames > 0 {
		f = append(f, fmt.Sprintf("fade=t=out:s=%d:n=%d%s", early+down.at, down.frames, to))
	}
	if early > 0 {
		f = append(f, fmt.Sprintf("trim=start_frame=%d", early), "setpts=N")
	}
	return f
}

// overlay draws an overlay over base.
func (b *build) overlay(base string, o *Overlay) string {
	pad, f := b.retime(o.source())
	f = append(f, b.effects(o.Effects, before)...)
	size := func(n int) int {
		if n == 0 {
			return -1
		}
		return n
	}
	if px := b.p.Media[o.Media].Pixel; px.Num != px.Den && px.Den != 0 {
		f = append(f, fmt.Sprintf("scale=w=iw*%s:h=ih", px))
	}
	if o.Width != 0 || o.Height != 0 {
		f = append(f, fmt.Sprintf("scale=%d:%d", size(o.Width), size(o.Height)))
	}
	f = append(append(f, "setsar=1"), b.exactFrames(o.source())...)
	f = append(f, b.effects(o.Effects, after)...)
	f = append(f, "format=yuva420p")
	if o.Opacity != 0 && o.Opacity != 100 {
		f = append(f, fmt.Sprintf("lutyuv=a=val*%d/100", o.Opacity))
	}
	f = append(f, b.fades(o.FadeIn, o.FadeOut, o.Cut, o.Frames, true)...)
	f = append(f, "settb="+b.p.timeBase(), fmt.Sprintf("setpts=N+(%d)", o.From))
	over := b.chain("v", strings.Join(f, ","), pad)
	x, y := o.Place.expressions("center", "W", "H", "w", "h", b.p.margin())
	return b.chain("v", fmt.Sprintf("overlay=x=%s:y=%s:eof_action=pass", x, y), base, over)
}

// outputFilters converts the picture to what a format needs.
func (b *build) outputFilters(label string, f Format) string {
	w, h := f.size(b.p.Width, b.p.Height)
	var filters []string
	if n := f.step(b.p.FPS); n > 1 {
		filters = append(filters, fmt.Sprintf("framestep=%d", n))
	}
	if w != b.p.Width || h != b.p.Height {
		filters = append(filters, fmt.Sprintf("scale=%d:%d:flags=bicubic", w, h), "setsar=1")
	}
	filters = append(filters, f.filters...)
	return b.chain("v", strings.Join(filters, ","), label)
}

// margin is Margin for the project's size.
func (p *Project) margin() int { return Margin(p.Width, p.Height) }
