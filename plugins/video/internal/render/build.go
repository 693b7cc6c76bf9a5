package render

import (
	"fmt"
	"strconv"
	"strings"
)

// Build is the run that makes the whole film in a format of Formats. An error says what of the project cannot be rendered.
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
		return nil, fmt.Errorf("the film reads %d stretches of media; at most %d can be rendered at once: render parts of it, and join these", len(b.inputs), maxInputs)
	case len(b.files) > maxFiles:
		return nil, fmt.Errorf("the texts have more than %d lines; no more can be rendered at once", maxFiles)
	}
	return b.command(f), nil
}

// Bounds of a run, as the host has them.
const (
	maxInputs = 512
	maxFiles  = 2000
)

// build gathers the inputs, the graph and the files of one command.
type build struct {
	p      *Project
	rate   int
	args   []string // of the inputs
	inputs []int
	graph  strings.Builder
	labels int
	files  []File
	fonts  [2]bool       // which of the fonts are among the files
	reels  map[any]*reel // by *Clip and *Overlay

	picture, sound string // labels of what is delivered, "" for none
}

// newBuild begins a command.
func newBuild(p *Project) *build {
	b := &build{p: p, rate: p.rate(), reels: map[any]*reel{}}
	b.planReels(p)
	return b
}

// chain adds filters between pads, and gives the pad at their end a name.
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

// split gives a pad so many names.
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
	fadeIn, fadeOut int     // frames
	volume          float64 // dB
	mute            bool
	effects         []Effect
}

func (c *Clip) treatment() treatment {
	return treatment{c.FadeIn, c.FadeOut, c.Volume, c.Mute, c.Effects}
}

func (o *Overlay) treatment() treatment {
	return treatment{o.FadeIn, o.FadeOut, o.Volume, o.Mute, o.Effects}
}

// command puts the parts together.
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
		args = append(args, "-r", b.p.FPS.String())
		args = append(args, f.picture...)
	}
	if b.sound != "" {
		args = append(args, f.sound...)
	}
	args = append(args, f.container...)
	args = append(args, "-threads", "1", "-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact", "{out:0}")
	graph := File{"graph.txt", []byte(b.graph.String() + "\n")}
	return &Command{Args: args, Inputs: b.inputs, Output: f.Ext, Files: append([]File{graph}, b.files...), Frames: b.p.Frames(), Memory: b.memory()}
}

// memory is what a run may take: measured, ffmpeg with its libraries and an encoder has some 300 MiB, and a decoder of 1080p that keeps the 16
// pictures that H.264 allows for has 100 MiB. Each input that shows pictures has one.
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
