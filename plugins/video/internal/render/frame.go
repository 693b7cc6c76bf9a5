package render

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Limits for still pictures of the film.
const (
	MaxSheet = 36   // pictures on a contact sheet
	maxWidth = 2048 // pixels
)

var printed = []string{"-frames:v", "1", "-c:v", "png", "-f", "image2pipe"}

// Frame returns the command that prints one frame of the film as PNG. width is in pixels, at most 2048; 0 means the
// project's width.
func Frame(p *Project, at, width int) (*Command, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if at < 0 || at >= p.Frames() {
		return nil, fmt.Errorf("there is no frame %d: the film has %d", at, p.Frames())
	}
	b := newBuild(p)
	b.picture = b.chain("v", scaleFilter(p, width)+",format=rgb24", b.singleFrame(at))
	return b.imageCommand(), nil
}

// Sheet returns the command that prints a contact sheet as PNG: a number of frames, spread evenly over the film, in
// rows of columns pictures. Each picture is width pixels wide and has its time below it.
func Sheet(p *Project, frames, columns, width int) (*Command, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	all := p.Frames()
	frames = min(frames, all)
	switch {
	case frames < 1 || frames > MaxSheet:
		return nil, fmt.Errorf("a sheet has 1 to %d frames, not %d", MaxSheet, frames)
	case columns < 1 || width < 16 || columns*width > 2*maxWidth:
		return nil, errors.New("a sheet has at least one column, of 16 pixels, and is no wider than 4096")
	}
	columns = min(columns, frames)
	b := newBuild(p)
	height := max(width*p.Height/p.Width/2*2, 2)
	letter := max(width/16, 8)
	var tiles []string
	for i := range frames {
		at := (2*i + 1) * all / (2 * frames)
		label := fmt.Sprintf("drawtext=fontfile=%s:textfile=%s:expansion=none:fontsize=%d:fontcolor=0xFFFFFF:x=4:y=%d-ascent", b.fontFile(false), b.textFile(clockText(p, at)), letter, height+letter)
		tiles = append(tiles, b.chain("v", fmt.Sprintf("scale=%d:%d,setsar=1,format=rgb24,pad=%d:%d:0:0:color=0x202020,%s,setpts=0", width, height, width, height+letter*3/2, label), b.singleFrame(at)))
	}
	rows := (frames + columns - 1) / columns
	joined := tiles[0]
	if frames > 1 {
		joined = b.chain("v", fmt.Sprintf("concat=n=%d", frames), tiles...)
	}
	b.picture = b.chain("v", fmt.Sprintf("tile=%dx%d:padding=4:margin=4:color=0x202020", columns, rows), joined)
	return b.imageCommand(), nil
}

func scaleFilter(p *Project, width int) string {
	if width <= 0 {
		width = p.Width
	}
	width = max(min(width, maxWidth), 16)
	return fmt.Sprintf("scale=%d:%d,setsar=1", width, max(width*p.Height/p.Width, 2))
}

// clockText prints a time in minutes, seconds and tenths.
func clockText(p *Project, frame int) string {
	tenths := new(big.Int).Div(p.seconds(frame*10).Num(), p.seconds(frame*10).Denom()).Int64()
	return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths/10%60, tenths%10)
}

// imageCommand returns the command that prints the built picture as PNG.
func (b *build) imageCommand() *Command {
	args := append([]string{"-hide_banner", "-nostdin", "-loglevel", "warning"}, b.args...)
	args = append(args, "-filter_complex_script", "{file:graph.txt}", "-map", "["+b.picture+"]")
	args = append(args, printed...)
	args = append(args, "-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "pipe:1")
	graph := File{"graph.txt", []byte(b.graph.String() + "\n")}
	return &Command{Args: args, Inputs: b.inputs, Files: append([]File{graph}, b.files...), Frames: 1}
}

// singleFrame returns the pad of one frame of the film. It opens only the inputs that are seen there, and starts as
// late as possible.
func (b *build) singleFrame(at int) string {
	whole := b.p
	defer func() { b.p = whole }()
	p, from := whole.excerpt(at)
	b.p = p
	b.planReels(p)
	label := b.video(at - from + 1)
	return b.chain("v", fmt.Sprintf("trim=start_frame=%d:end_frame=%d", at-from, at-from+1), label)
}

// excerpt returns the part of the project that is needed to render the frame at: from the frame that it returns up to
// at, without anything that is not seen in that time.
func (p *Project) excerpt(at int) (*Project, int) {
	from := p.renderStart(at)
	q := *p
	q.Audio, q.Video, q.Overlays, q.Texts = nil, nil, nil, nil
	for _, t := range p.Video {
		cut := Track{ID: t.ID, Hide: t.Hide}
		end := from // end of the items that are kept
		t.eachClip(func(it *Item, start, _ int) {
			c := it.Clip
			if start > at || start+c.Frames <= from {
				return
			}
			if start > end {
				cut.Items = append(cut.Items, Item{Gap: start - end})
			}
			end = start + c.Frames
			if late := from - start; late > 0 {
				c.In = p.timeAfter(c.In, c.Speed, late)
				c.Frames, c.Cut.Before = c.Frames-late, c.Cut.Before+late
			}
			cut.Items = append(cut.Items, Item{Clip: c, Next: it.Next})
		})
		if n := len(cut.Items); n > 0 {
			cut.Items[n-1].Next = nil
		}
		q.Video = append(q.Video, cut)
	}
	for _, o := range p.Overlays {
		if o.From > at || o.From+o.Frames <= from {
			continue
		}
		if late := from - o.From; late > 0 {
			o.In = p.timeAfter(o.In, o.Speed, late)
			o.From, o.Frames, o.Cut.Before = from, o.Frames-late, o.Cut.Before+late
		}
		o.From -= from
		q.Overlays = append(q.Overlays, o)
	}
	for _, t := range p.Texts {
		if t.From <= at && t.From+t.Frames > at {
			t.From -= from
			q.Texts = append(q.Texts, t)
		}
	}
	return &q, from
}

// renderStart returns a frame at or before at from which the film can be rendered so that at looks as in the whole
// film: not within a transition or a clip whose effects change over time.
func (p *Project) renderStart(at int) int {
	from := at
	for again := true; again; {
		again = false
		earlier := func(start int) {
			if start < from {
				from, again = start, true
			}
		}
		for _, t := range p.Video {
			t.eachClip(func(it *Item, start, overlap int) {
				c := &it.Clip
				if start > at || start+c.Frames <= from {
					return
				}
				if hasKeys(c.Effects) || from < start+overlap {
					earlier(start)
				}
				if cross := it.Next; cross != nil && from >= start+c.Frames-cross.Frames {
					earlier(start + c.Frames - cross.Frames)
				}
			})
		}
		for i := range p.Overlays {
			o := &p.Overlays[i]
			if o.From > at || o.From+o.Frames <= from {
				continue
			}
			if hasKeys(o.Effects) {
				earlier(o.From)
			}
		}
	}
	return from
}

// eachClip calls f for each clip with the frame at which it starts and the length of its overlap with the clip before.
func (t Track) eachClip(f func(it *Item, start, overlap int)) {
	at, overlap := 0, 0
	for i := range t.Items {
		it := &t.Items[i]
		at -= overlap
		if it.Gap > 0 {
			at += it.Gap
			overlap = 0
			continue
		}
		f(it, at, overlap)
		at += it.Clip.Frames
		overlap = 0
		if it.Next != nil {
			overlap = it.Next.Frames
		}
	}
}

// timeAfter returns the time in a source after a number of frames on the timeline.
func (p *Project) timeAfter(in, speed Rational, frames int) Rational {
	r := p.seconds(frames)
	r.Mul(r, speed.orDefault(Rational{1, 1}).rat()).Add(r, in.rat())
	return Rational{r.Num().Int64(), r.Denom().Int64()}
}

// hasKeys reports whether any of the effects changes over time.
func hasKeys(list []Effect) bool {
	return slices.ContainsFunc(list, func(e Effect) bool {
		return slices.ContainsFunc(e.Params, func(p Param) bool { return len(p.Keys) > 0 })
	})
}

// Graph prints the filter graph of a command with line breaks.
func (c *Command) Graph() string {
	return strings.TrimSuffix(string(c.Files[0].Data), "\n")
}
