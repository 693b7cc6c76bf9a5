package timeline

import (
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

var frames = value.Key[int]{Name: "frames", Type: value.Int(1, render.MaxSheet), Default: 12}

func previewQuery() film.Query {
	return film.Query{Keys: []pdk.Parameter{frames}, Query: abi.Query{Syntax: "preview [at:TIME] [frames:N] [drawn]", Summary: "a frame of the film, or a contact sheet of frames; drawn, and without program:ffmpeg: the timeline as a picture"}, Run: func(v *film.View, a pdk.Args) (abi.QueryResponse, error) {
		f := v.Model
		word := keyword(a, 0, "drawn")
		svg := pdk.Must(a.WantsSVG())
		n := frames.Of(a)
		if f.Frames() == 0 || svg || word == "drawn" || !v.Can("program:ffmpeg") {
			text := "the timeline, drawn"
			if word == "" && !svg && f.Frames() > 0 {
				text = "the timeline, drawn: frames are shown where ffmpeg is installed and granted, with --grant video=program:ffmpeg"
			}
			d := draw.Drawing{Text: text}
			if d.SVG, d.Areas = picture(f); !svg {
				d.Text += "; " + digest(f)
			}
			return d.Answer(a)
		}
		p := pdk.Must(project(f))
		var cmd *render.Command
		text := ""
		if at, given := a.Param("at"); given {
			k := clock{f: f}
			frame := pdk.Must(k.moment("at", at))
			frame = min(frame, f.Frames()-1)
			cmd = pdk.Must(render.Frame(p, frame, min(p.Width, 1280)))
			text = fmt.Sprintf("frame %d, at %s%s", frame, f.TimeText(frame), k.noteText())
		} else {
			n = min(n, f.Frames())
			cmd = pdk.Must(render.Sheet(p, n, min(n, 4), 320))
			text = fmt.Sprintf("%s of %s, row by row", pdk.Count(n, "frame"), f.TimeText(f.Frames()))
		}
		png := pdk.Must(v.RunProgram(programRun(f, p, cmd)))
		return abi.QueryResponse{Text: text, Content: []abi.Content{{MIME: "image/png", Data: png}}}, nil
	}}
}
