package render

import (
	"fmt"
	"math/big"
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
	b := &build{p: p, rate: p.rate()}
	if f.audio && b.heard() {
		b.sound = b.audio()
	} else if f.audio && !f.video {
		b.sound = b.silence(p.samples(p.Frames()))
	}
	if f.video {
		b.picture = b.video(p.Frames())
		b.picture = b.deliver(b.picture, f)
	}
	return b.command(f), nil
}

// build gathers the inputs, the graph and the files of one command.
type build struct {
	p      *Project
	rate   int
	args   []string // of the inputs
	inputs []int
	graph  strings.Builder
	labels int
	files  []File
	fonts  [2]bool        // which of the fonts are among the files
	opened map[any]opened // by *Clip and *Overlay

	picture, sound string // labels of what is delivered, "" for none
}

// opened is an input, and how far before the wanted place it begins, in seconds.
type opened struct {
	index int
	early *big.Rat
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
func (b *build) split(filter, label string, n int) (labels []string) {
	b.graph.WriteString(";\n[" + label + "]" + filter + "=" + strconv.Itoa(n))
	for range n {
		b.labels++
		labels = append(labels, label[:1]+strconv.Itoa(b.labels))
		b.graph.WriteString("[" + labels[len(labels)-1] + "]")
	}
	return labels
}

// source is what a clip and an overlay have in common: a stretch of a medium.
type source struct {
	key    any // the same for its picture and its sound, which come from one input
	media  int
	in     Rational
	speed  Rational
	frames int
}

func (c *Clip) source() source { return source{c, c.Media, c.In, c.Speed, c.Frames} }

func (o *Overlay) source() source { return source{o, o.Media, o.In, o.Speed, o.Frames} }

// open adds an input that begins up to two of the medium's frames before the wanted place: rounding must not lose the first frame, and
// a project's frame may begin within one of the medium's.
func (b *build) open(s source) opened {
	if o, ok := b.opened[s.key]; ok {
		return o
	}
	m := b.p.Media[s.media]
	o := opened{index: len(b.inputs), early: new(big.Rat)}
	b.args = append(b.args, "-threads", "1", "-thread_queue_size", "0")
	if !m.Still {
		in := s.in.rat()
		two := new(big.Rat).Inv(m.FPS.or(Rational{25, 1}).rat())
		two.Add(two, two)
		seek := floorMillis(new(big.Rat).Sub(in, two))
		if seek.Sign() > 0 {
			b.args = append(b.args, "-ss", micros(seek))
		} else {
			seek.SetInt64(0)
		}
		o.early.Sub(in, seek)
		length := b.p.seconds(s.frames)
		length.Mul(length, s.speed.or(Rational{1, 1}).rat())
		length.Add(length, o.early).Add(length, big.NewRat(1, 1))
		b.args = append(b.args, "-t", micros(floorMillis(length)))
	}
	b.args = append(b.args, "-i", fmt.Sprintf("{in:%d}", o.index))
	b.inputs = append(b.inputs, s.media)
	if b.opened == nil {
		b.opened = map[any]opened{}
	}
	b.opened[s.key] = o
	return o
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
	return &Command{Args: args, Inputs: b.inputs, Output: f.Ext, Files: append([]File{graph}, b.files...), Frames: b.p.Frames()}
}
