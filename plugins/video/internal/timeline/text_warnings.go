package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// pixelSize returns the size of an overlay in pixels.
func pixelSize(b *film.Box, m *media.Medium) (w, h int) {
	switch {
	case b.Width > 0 && b.Height > 0:
		return b.Width, b.Height
	case b.Width > 0:
		return b.Width, b.Width * m.Height / m.Width
	case b.Height > 0:
		return b.Height * m.Width / m.Height, b.Height
	}
	return m.Width, m.Height
}

// textWarnings appends the warnings about texts and overlays.
func textWarnings(f *film.Film, out *[]string) {
	w := f.Parsed()
	p := render.Project{Width: w.Width, Height: w.Height}
	type placed struct {
		c          *film.Clip
		x, y, r, b int
	}
	var texts []placed
	var off, unseen, short, late []string
	pictured := 0
	for _, t := range w.Tracks {
		for _, c := range t.Clips {
			if !t.Hidden && !c.Off && t.Kind == film.VideoTrack && c.Over == nil {
				pictured = max(pictured, c.End)
			}
		}
	}
	for _, t := range w.Tracks {
		for _, c := range t.Clips {
			if t.Hidden || c.Off {
				continue
			}
			if m := f.MediumOf(c); c.Over != nil && m != nil && m.Width > 0 && m.Height > 0 {
				width, height := pixelSize(c.Over, m)
				x, y := p.Corner(render.Place{Anchor: c.Over.Anchor, X: c.Over.X, Y: c.Over.Y}, width, height)
				switch {
				case x >= w.Width || y >= w.Height || x+width <= 0 || y+height <= 0:
					unseen = append(unseen, c.Ref())
				case width <= w.Width && (x < 0 || x+width > w.Width) || height <= w.Height && (y < 0 || y+height > w.Height): // an overlay larger than the film is meant to
					off = append(off, c.Ref())
				}
			}
			if pictured > 0 && c.End > pictured && floats(c) {
				late = append(late, c.Ref())
			}
			if c.Kind != film.TextItem {
				continue
			}
			r := renderText(c)
			if c.Frames()*int(w.Rate.Den)*2 < int(w.Rate.Num) {
				short = append(short, c.Ref())
			}
			x, y, width, height := p.Extent(&r)
			if r.Style != "credits" {
				if x >= w.Width || y >= w.Height || x+width <= 0 || y+height <= 0 {
					unseen = append(unseen, c.Ref())
				} else if x < 0 || y < 0 || x+width > w.Width || y+height > w.Height {
					off = append(off, c.Ref())
				}
				texts = append(texts, placed{c, x, y, x + width, y + height})
			}
		}
	}
	say := func(what string, list []string) {
		if len(list) > 0 {
			*out = append(*out, what+pdk.List(list, 5))
		}
	}
	say("beyond the picture's edge: ", off)
	say("outside of the picture, and not seen: ", unseen)
	say("text seen for less than 0.5s: ", short)
	say("seen after the pictures end: ", late)
	var over []string
	slices.SortStableFunc(texts, func(a, b placed) int { return a.c.Start - b.c.Start })
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			if b.c.Start >= a.c.End || len(over) > 20 {
				break
			}
			if a.x < b.r && b.x < a.r && a.y < b.b && b.y < a.b {
				over = append(over, a.c.Ref()+" and "+b.c.Ref())
			}
		}
	}
	say("texts over each other: ", over)
}
