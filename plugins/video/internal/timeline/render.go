package timeline

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// project returns the film as the plain data that render works on. It fails if the media of a clip are unknown or
// cannot be rendered.
func project(f *film.Film) (*render.Project, error) {
	w := f.Parsed()
	p := &render.Project{Name: filmTitle(f), Width: w.Width, Height: w.Height, FPS: rational(timecode.Rat(w.Rate)), SampleRate: w.Sample, Background: w.Background}
	index := map[string]int{}
	media := func(c *film.Clip) (int, error) {
		m := f.MediumOf(c)
		if m == nil {
			return 0, pdk.Errorf("%s has no known media: %s", c.Ref(), missingMedium(c)).Tryf("modify %s enabled:false", c.Ref())
		}
		if i, ok := index[m.Path]; ok {
			return i, nil
		}
		if why := unusable(m); why != "" {
			return 0, pdk.Errorf("the media of %s cannot be rendered: %s", c.Ref(), why)
		}
		out := render.Media{Name: m.ID, Path: m.Path, Ext: strings.TrimPrefix(media.Extension(m.Path), "."), Video: m.Video, Audio: m.Audio, Still: m.Still, Width: m.CodedWidth(), Height: m.Height, Pixel: rational(m.Pixel), Rotation: m.Rotation, Sequential: m.Sequential()}
		if m.Rate.Num > 0 {
			out.FPS = rational(timecode.Rat(m.Rate))
		}
		if m.Known && !m.Still {
			out.Duration = rational(m.Duration)
		}
		index[m.Path] = len(p.Media)
		p.Media = append(p.Media, out)
		return len(p.Media) - 1, nil
	}
	for _, t := range w.Tracks {
		if t.Hidden {
			continue
		}
		rt := render.Track{ID: t.ID, Volume: t.Volume, Mute: t.Mute}
		at := 0
		for i, c := range t.Clips {
			switch {
			case c.Kind == film.TextItem:
				if !c.Off {
					p.Texts = append(p.Texts, renderText(c))
				}
				continue
			case c.Kind == film.OtherItem || c.Off || c.Frames() == 0:
				continue
			}
			m, err := media(c)
			if err != nil {
				return nil, err
			}
			if c.Over != nil {
				p.Overlays = append(p.Overlays, renderedOverlay(c, m))
				continue
			}
			if gap := c.Start - at; gap > 0 {
				rt.Items = append(rt.Items, render.Item{Gap: gap})
			}
			it := render.Item{Clip: renderedClip(c, m)}
			at = c.End
			if c.Right != nil && i+1 < len(t.Clips) && t.Clips[i+1].Kind == film.ClipItem && !t.Clips[i+1].Off && c.Right.Frames() > 0 {
				it.Next = &render.Transition{Kind: kindName(c.Right), Frames: c.Right.Frames()}
			}
			rt.Items = append(rt.Items, it)
		}
		switch t.Kind {
		case film.VideoTrack:
			p.Video = append(p.Video, rt)
		case film.AudioTrack:
			p.Audio = append(p.Audio, rt)
		}
		for _, d := range t.Ducks {
			p.Ducks = append(p.Ducks, render.Duck{Track: t.ID, Under: d.Under, By: d.By})
		}
	}
	for _, m := range f.Markers() {
		p.Markers = append(p.Markers, render.Marker{Name: m.Name, Frame: m.At})
	}
	return p, nil
}

// missingMedium says why a clip has no medium.
func missingMedium(c *film.Clip) string {
	if c.Medium != "" {
		return "the list has no " + pdk.Quote(c.Medium)
	}
	return "the file refers to none"
}

func rational(r timecode.Rat) render.Rational { return render.Rational{Num: r.Num, Den: r.Den} }

// mediaStart returns the time in the medium at which the clip starts, in seconds, rounded to a thousandth of a frame.
func mediaStart(c *film.Clip) render.Rational {
	return rational(timecode.New(int64(math.Round(max(0, c.Source())*1000))*c.Rate.Den, 1000*c.Rate.Num))
}

// renderedSpeed returns the clip's speed, rounded to a thousandth. The zero value is normal speed.
func renderedSpeed(c *film.Clip) render.Rational {
	if c.Speed == 1 {
		return render.Rational{}
	}
	return rational(timecode.New(max(1, int64(math.Round(c.Speed*1000))), 1000))
}

// fadeLengths returns the lengths of the fades at both ends, from the clip's own fades or from transitions with a gap.
func fadeLengths(c *film.Clip) (in, out int) {
	in, out = c.FadeIn, c.FadeOut
	if c.Opens != nil {
		in = max(in, c.EdgeIn+c.Opens.OutOffset)
	}
	if c.Closes != nil {
		out = max(out, c.Closes.InOffset+c.EdgeOut)
	}
	if n := c.Frames() + c.Cut.Before + c.Cut.After; in+out > n {
		in = min(in, n/2)
		out = min(out, n-in)
	}
	return in, out
}

func renderedClip(c *film.Clip, m int) render.Clip {
	in, out := fadeLengths(c)
	return render.Clip{ID: c.ID, Media: m, In: mediaStart(c), Frames: c.Frames(), Speed: renderedSpeed(c), Volume: c.Volume, Mute: c.Mute || c.Track.Kind == film.VideoTrack && !c.Sound, FadeIn: in, FadeOut: out, Cut: c.Cut, Fit: c.Fit, Effects: renderedEffects(c)}
}

// renderedEffects returns the clip's effects of this domain. Those of other programs stay in the file, and are not
// rendered.
func renderedEffects(c *film.Clip) (out []render.Effect) {
	for _, e := range c.Effects {
		if e.Kind == "" {
			continue
		}
		r := render.Effect{Kind: e.Kind}
		for _, s := range e.Params {
			p := render.Param{Name: s.Name, Value: s.Value}
			if strings.Contains(s.Value, "@") {
				p.Keys = film.Keys(s.Value, c.Rate)
				p.Value = ""
			}
			r.Params = append(r.Params, p)
		}
		out = append(out, r)
	}
	return out
}

func renderedOverlay(c *film.Clip, m int) render.Overlay {
	in, out := fadeLengths(c)
	o := c.Over
	return render.Overlay{ID: c.ID, Media: m, In: mediaStart(c), From: c.Start, Frames: c.Frames(), Speed: renderedSpeed(c), Width: o.Width, Height: o.Height,
		Place: render.Place{Anchor: o.Anchor, X: o.X, Y: o.Y}, Opacity: o.Opacity, Volume: c.Volume, Mute: c.Mute || !c.Sound, FadeIn: in, FadeOut: out, Cut: c.Cut, Effects: renderedEffects(c)}
}

func renderText(c *film.Clip) render.Text {
	p := c.Caption
	color := p.Color
	if hex, ok := film.FileColour(color); ok {
		color = hex
	}
	return render.Text{ID: c.ID, Text: p.Text, From: c.Start, Frames: c.Frames(), Style: p.Style, Place: render.Place{Anchor: p.Anchor, X: p.X, Y: p.Y}, Size: p.Size, Color: color, Fade: p.Fade, Cut: c.Cut}
}

// programRun returns the request that has the host run a command.
func programRun(f *film.Film, p *render.Project, cmd *render.Command) abi.Run {
	r := abi.Run{Program: "ffmpeg", Args: cmd.Args}
	for _, i := range cmd.Inputs {
		r.Inputs = append(r.Inputs, p.Media[i].Path)
	}
	for _, file := range cmd.Files {
		r.Files = append(r.Files, abi.File{Name: file.Name, Data: file.Data})
	}
	if cmd.Output != "" {
		r.Outputs = []string{"." + cmd.Output}
		r.Expect = &abi.Streams{Pictures: cmd.Pictures, Sound: cmd.Sound}
	}
	t := f.Rate().Seconds(cmd.Frames)
	r.Duration = int(t.Num * 1000 / t.Den)
	return r
}

// memoryWarning warns if a command may need more memory than the host allows a program by default.
func memoryWarning(cmd *render.Command) []string {
	const usual = 4
	if cmd.Memory <= usual<<10 {
		return nil
	}
	enough := usual
	for enough<<10 < cmd.Memory {
		enough *= 2
	}
	return []string{fmt.Sprintf("it reads %d pieces of media at once, which may take %.1f GiB of memory, and a program has %d unless fcp-host is started with --limit job-memory=%dGiB", len(cmd.Inputs), float64(cmd.Memory)/1024, usual, enough)}
}

// formats returns the formats that ffmpeg renders and those that other programs read.
func formats() (out []pdk.Format[*film.Film]) {
	for _, format := range render.Formats() {
		out = append(out, pdk.Format[*film.Film]{
			Format: abi.Format{Name: format.Name, Extension: "." + format.Ext, MIME: mimeTypes[format.Ext], Summary: format.About, Wants: []string{"program:ffmpeg"}},
			Run: func(v *film.View, _ pdk.Args) (abi.SaveResponse, error) {
				p, err := project(v.Model)
				if err != nil {
					return abi.SaveResponse{}, err
				}
				cmd, err := render.Build(p, format.Name)
				if err != nil {
					return abi.SaveResponse{}, pdk.Errorf("%v", err)
				}
				run := programRun(v.Model, p, cmd)
				return abi.SaveResponse{Run: &run, Warnings: memoryWarning(cmd)}, nil
			},
		})
	}
	for _, kind := range render.Exports() {
		out = append(out, pdk.Format[*film.Film]{
			Format: abi.Format{Name: kind.Name, Extension: "." + kind.Ext, MIME: mimeTypes[kind.Ext], Summary: kind.About},
			Run: func(v *film.View, _ pdk.Args) (abi.SaveResponse, error) {
				p, err := project(v.Model)
				if err != nil {
					return abi.SaveResponse{}, err
				}
				if kind.Name == "srt" && len(p.Texts) == 0 {
					return abi.SaveResponse{}, pdk.Errorf("the film has no captions and no texts that subtitles could be made of").Try(`caption "Hello" from:0s dur:2s`)
				}
				for i := range p.Media {
					p.Media[i].Path = cmp.Or(v.Target.Files[p.Media[i].Path], p.Media[i].Path)
				}
				data, lost, err := render.Export(p, kind.Name)
				if err != nil {
					return abi.SaveResponse{}, pdk.Errorf("%v", err)
				}
				return abi.SaveResponse{Data: data, MIME: mimeTypes[kind.Ext], Warnings: lost}, nil
			},
		})
	}
	return out
}

var mimeTypes = map[string]string{"mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "gif": "image/gif", "mp3": "audio/mpeg", "wav": "audio/wav",
	"mlt": "application/mlt+xml", "srt": "application/x-subrip", "sh": "text/x-shellscript", "edl": "text/plain", "fcpxml": "application/xml"}

// filmTitle returns the timeline's name.
func filmTitle(f *film.Film) string { return f.Doc.Root().Get("name").Value().Text() }
