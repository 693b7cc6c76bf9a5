package render

import (
	"fmt"
	"strconv"
	"strings"
)

// Build returns the command that renders the whole film in one of Formats. It fails if something in the project
// cannot be rendered.
func Build(p *Project, format string) (*Command, error) {
	f, err := formatNamed(format)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	b := newBuild(p)
	if f.audio && b.hasSound() {
		b.sound = b.audio()
	} else if f.audio && !f.video {
		b.sound = b.silence(p.samples(p.Frames()))
	}
	if f.video {
		b.picture = b.video(p.Frames())
		b.picture = b.outputFilters(b.picture, f)
	}
	switch {
	case len(b.inputs) > maxInputs:
		return nil, fmt.Errorf("the film reads %d stretches of media; at most %d can be rendered at once: render parts of it, and join them", len(b.inputs), maxInputs)
	case len(b.files) > maxFiles:
		return nil, fmt.Errorf("the texts have more than %d lines; no more can be rendered at once", maxFiles)
	}
	return b.command(f), nil
}

// Limits of a command, which the host enforces.
const (
	maxInputs = 512
	maxFiles  = 2000
)

// build collects the inputs, the filter graph and the files of a command.
type build struct {
	p      *Project
	rate   int
	args   []string // arguments for the inputs
	inputs []int
	graph  strings.Builder
	labels int
	files  []File
	fonts  [2]bool       // which fonts are among the files
	reels  map[any]*reel // keys are *Clip and *Overlay

	picture, sound string // labels of the outputs, "" for none
}

// newBuild starts a command.
func newBuild(p *Project) *build {
	b := &build{p: p, rate: p.rate(), reels: map[any]*reel{}}
	b.planReels(p)
	return b
}

// chain adds filters between pads and returns the name of the output pad.
func (b *build) chain(kind string, filters string, from ...string) string {
	if b.graph.Len() > 0 {
		b.graph.WriteString(";\n")
	}
	for _, f := range from {
		b.graph.WriteString("[" + f + "]")
	}
	b.labels++
	label := kind + strconv.Itoa(b.labels)
	b.graph.WriteString(filters + "[" + label + "]")
	return label
}

// split duplicates a pad n times.
func (b *build) split(filter, kind, label string, n int) (labels []string) {
	if b.graph.Len() > 0 {
		b.graph.WriteString(";\n")
	}
	b.graph.WriteString("[" + label + "]" + filter + "=" + strconv.Itoa(n))
	for range n {
		b.labels++
		labels = append(labels, kind+strconv.Itoa(b.labels))
		b.graph.WriteString("[" + labels[len(labels)-1] + "]")
	}
	return labels
}

// sourceSpan is the part of a medium that a clip or an overlay shows.
type sourceSpan struct {
	key    any // identifies the clip, so that its picture and its sound share one input
	media  int
	in     Rational
	speed  Rational
	frames int
	mute   bool
}

func (c *Clip) source() sourceSpan {
	return sourceSpan{c, c.Media, c.In, c.Speed, c.Frames, c.Mute}
}

func (o *Overlay) source() sourceSpan {
	return sourceSpan{o, o.Media, o.In, o.Speed, o.Frames, o.Mute}
}

// treatment is what is done to the picture and the sound of a clip or an overlay.
type treatment struct {
	fadeIn, fadeOut int // frames
	cut             Cut
	volume          float64 // dB
	mute            bool
	effects         []Effect
}

func (c *Clip) treatment() treatment {
	return treatment{c.FadeIn, c.FadeOut, c.Cut, c.Volume, c.Mute, c.Effects}
}

func (o *Overlay) treatment() treatment {
	return treatment{o.FadeIn, o.FadeOut, o.Cut, o.Volume, o.Mute, o.Effects}
}

// command assembles the command.
func (b *build) command(f Format) *Command {
	args := []string{"-hide_banner", "-nostdin", "-y", "-progress", "pipe:1"}
	args = append(args, b.args...)
	args = append(args, "-filter_complex_script", "{file:graph.txt}")
	for _, label := range []string{b.picture, b.sound} {
		if label != "" {
			args = append(args, "-map", "["+label+"]")
		}
	}
	if b.picture != "" {
		args = append(args, "-r", Rational{b.p.FPS.Num, b.p.FPS.Den * int64(f.step(b.p.FPS))}.String())
		args = append(args, f.picture...)
	}
	if b.sound != "" {
		args = append(args, f.sound...)
	}
	args = append(args, f.container...)
	args = append(args, "-threads", "1", "-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact", "{out:0}")
	graph := File{"graph.txt", []byte(b.graph.String() + "\n")}
	c := &Command{Args: args, Inputs: b.inputs, Output: f.Ext, Files: append([]File{graph}, b.files...), Frames: b.p.Frames(), Sound: b.sound != "", Memory: b.memory()}
	if n := f.step(b.p.FPS); b.picture != "" {
		c.Pictures = (c.Frames + n - 1) / n
	}
	return c
}

// memory returns the address space that a run may need, in MiB. By measurement ffmpeg with its libraries and an
// encoder takes about 300, and a decoder of 1080p that keeps the 16 pictures H.264 allows takes 100. Each input with
// pictures has a decoder.
func (b *build) memory() int {
	mib := 300
	for _, i := range b.inputs {
		if m := &b.p.Media[i]; m.Video && !m.Still {
			pixels := m.Width * m.Height
			if pixels == 0 {
				pixels = b.p.Width * b.p.Height
			}
			mib += pixels * 100 / (1920 * 1080)
		}
	}
	return mib
}
