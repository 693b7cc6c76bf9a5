package render

import (
	"bytes"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// meltFilm has melt render the export.
func meltFilm(t *testing.T, p *Project) string {
	t.Helper()
	melt := judge.Program(t, "melt", "melt-7")
	data, _, err := Export(p, "mlt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	film, out := filepath.Join(dir, "film.mlt"), filepath.Join(dir, "out.mkv")
	if err := os.WriteFile(film, data, 0o644); err != nil {
		t.Fatal(err)
	}
	// On a busy machine melt may never end: then it is asked once more.
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, melt, film, "-consumer", "avformat:"+out, "vcodec=libx264", "preset=ultrafast", "crf=4", "acodec=pcm_s16le", "real_time=-1", "terminate_on_pause=1")
		cmd.Env = append(os.Environ(), "QT_QPA_PLATFORM=offscreen")
		said, err := cmd.CombinedOutput()
		late := ctx.Err() != nil
		cancel()
		if err == nil {
			return out
		}
		if !late || attempt == 3 {
			t.Fatalf("%v\n%s\n%s", err, said, data)
		}
	}
}

// similarity returns the structural similarity of two pictures over blocks of 8 by 8 pixels.
func similarity(a, b []byte, width int) float64 {
	const c1, c2 = 6.5025, 58.5225
	sum, fields := 0.0, 0
	for y := 0; (y+8)*width <= len(a); y += 8 {
		for x := 0; x+8 <= width; x += 8 {
			var ma, mb, aa, bb, ab float64
			for j := range 8 {
				for i := range 8 {
					v, w := float64(a[(y+j)*width+x+i]), float64(b[(y+j)*width+x+i])
					ma, mb, aa, bb, ab = ma+v, mb+w, aa+v*v, bb+w*w, ab+v*w
				}
			}
			ma, mb = ma/64, mb/64
			va, vb, cov := aa/64-ma*ma, bb/64-mb*mb, ab/64-ma*mb
			sum += (2*ma*mb + c1) * (2*cov + c2) / ((ma*ma + mb*mb + c1) * (va + vb + c2))
			fields++
		}
	}
	return sum / float64(fields)
}

// retimed reports whether the clip's frames differ from one frame of its medium for each of the film.
func retimed(p *Project, c *Clip) bool {
	m := p.Media[c.Media]
	return !m.Still && (m.FPS != p.FPS || m.Ext == "webm" || // whose times are rounded to milliseconds
		c.Speed.Num != c.Speed.Den)
}

// steadyFrames returns the frames away from cuts, transitions, fades, texts, and clips with another rate than their medium's.
func steadyFrames(p *Project) (frames []int) {
	busy := make([]bool, p.Frames())
	mark := func(from, to int) {
		for i := max(from, 0); i < min(to, len(busy)); i++ {
			busy[i] = true
		}
	}
	for _, t := range p.Video {
		t.eachClip(func(it *Item, start, overlap int) {
			c := &it.Clip
			mark(start-2, start+max(overlap, c.FadeIn)+3)
			mark(start+c.Frames-c.FadeOut-3, start+c.Frames+2)
			if it.Next != nil {
				mark(start+c.Frames-it.Next.Frames-2, start+c.Frames+2)
			}
			if hasKeys(c.Effects) || retimed(p, c) {
				mark(start, start+c.Frames)
			}
			for _, e := range c.Effects {
				if k, _ := effectNamed(e.Kind); k.mlt == "" {
					mark(start, start+c.Frames)
				}
			}
		})
	}
	for _, o := range p.Overlays {
		mark(o.From-1, o.From+o.FadeIn+2)
		mark(o.From+o.Frames-o.FadeOut-2, o.From+o.Frames+1)
	}
	for _, t := range p.Texts {
		mark(t.From-1, t.From+t.Frames+1)
	}
	for i, b := range busy {
		if !b {
			frames = append(frames, i)
		}
	}
	return frames
}

// compareWithMelt compares melt's film of the export with ours. It returns the number of frames compared.
func compareWithMelt(t *testing.T, p *Project, film string) (compared int) {
	t.Helper()
	theirs, ours := decodeFrames(t, meltFilm(t, p), p.Width, p.Height), decodeFrames(t, film, p.Width, p.Height)
	if len(theirs) != p.Frames() {
		t.Fatalf("melt makes %d frames, the model has %d", len(theirs), p.Frames())
	}
	for _, f := range steadyFrames(p) {
		compared++
		if like := similarity(theirs[f], ours[f], p.Width); like < 0.9 {
			t.Errorf("frame %d is like melt's by %.2f", f, like)
			break
		}
	}
	// Of the others, melt may round to another frame of the medium.
	for _, m := range clipMiddles(p) {
		if !retimed(p, m.clip) {
			continue
		}
		medium, number, ok := read(theirs[m.frame], p.Width, m.x, m.y, m.w, m.h)
		want, off := p.expectedFrame(m.clip, m.offset)
		off += 2 * (off + 1)
		if !ok || medium != m.clip.Media || number < want-off || number > want+off {
			t.Errorf("%s: melt's frame %d shows frame %d of %s (%v); it should be %d (±%d) of %s", m.id, m.frame, number, name(p, medium), ok, want, off, name(p, m.clip.Media))
		}
	}
	return compared
}

// Media of other sizes and shapes than the film's must fill it in melt as in ours, also within crossfades and on other tracks.
func TestJudgeMeltFitsMediaAsWeDo(t *testing.T) {
	s := makeMedia(t)
	const plain, silent, square, turned, still = 0, 1, 2, 4, 6
	items := func(crossed bool) (items []Item) {
		for _, c := range []Clip{{Media: plain}, {Media: square}, {Media: turned, Fit: "cover"}, {Media: silent}, {Media: square, Fit: "cover"}, {Media: turned, Fit: "stretch"}, {Media: turned}, {Media: still}, {Media: square, Fit: "stretch"}} {
			c.Frames = 20
			if !s.media[c.Media].Still && s.media[c.Media].FPS.Num == 30 {
				c.Speed = Rational{5, 6} // one frame of it for each of the film
			}
			items = append(items, Item{Clip: c})
			if crossed && len(items) < 9 {
				items[len(items)-1].Next = &Transition{"crossfade", 6}
			}
		}
		return items
	}
	for name, change := range map[string]func(p *Project){
		"as one of them": func(p *Project) { p.Width, p.Height, p.Video[0].Items = 320, 180, items(true) },
		"large":          func(p *Project) { p.Video[0].Items = items(true) },
		"portrait":       func(p *Project) { p.Width, p.Height, p.Video[0].Items = 180, 320, items(true) },
		"background":     func(p *Project) { p.Background = "#204060" },
		"above others": func(p *Project) {
			p.Video = append([]Track{{ID: "V1", Items: []Item{{Clip: Clip{Media: plain, Frames: 140}}}}}, p.Video...)
		},
		"overlays": func(p *Project) {
			p.Overlays = []Overlay{{Media: plain, Frames: 100, Width: 100, Height: 150, Place: Place{Anchor: "top-left"}}, {Media: turned, Frames: 100, Width: 70, Place: Place{Anchor: "right"}}, {Media: still, Frames: 100, Place: Place{Anchor: "bottom"}, Opacity: 70}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Project{Width: 480, Height: 270, FPS: Rational{25, 1}, Media: s.list(), Video: []Track{{ID: "V", Items: items(false)}}}
			change(p)
			c, err := Build(p, "h264")
			if err != nil {
				t.Fatal(err)
			}
			film, _ := s.runCommand(t, c)
			theirs, ours := decodeFrames(t, meltFilm(t, p), p.Width, p.Height), decodeFrames(t, film, p.Width, p.Height)
			if len(theirs) != p.Frames() {
				t.Fatalf("melt makes %d frames, the model has %d", len(theirs), p.Frames())
			}
			for _, track := range p.Video {
				track.eachClip(func(it *Item, start, overlap int) {
					for _, f := range []int{start + overlap/2, start + 10} {
						if like := similarity(theirs[f], ours[f], p.Width); like < 0.9 {
							t.Errorf("frame %d, with %s %s, is like melt's by %.2f", f, s.media[it.Clip.Media].Name, it.Clip.Fit, like)
						}
					}
				})
			}
		})
	}
}

// textChange returns the box of the pixels that a text changes, and the change per pixel of the whole picture.
func textChange(with, without []byte, width int) (x0, y0, x1, y1 int, much float64) {
	x0, y0 = width, len(with)/width
	for i := range with {
		if d := int(with[i]) - int(without[i]); d > 24 || d < -24 {
			x, y := i%width, i/width
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
			much += math.Abs(float64(d))
		}
	}
	return x0, y0, x1, y1, much / float64(len(with))
}

// Texts must have the place, size and brightness in melt that they have in ours. The font differs.
func TestJudgeMeltWritesTextsAsWeDo(t *testing.T) {
	s := makeMedia(t)
	const each = 25
	styles := Styles()
	p := &Project{Width: 480, Height: 270, FPS: Rational{25, 1}, Background: "#505050", Media: s.list(), Video: []Track{{ID: "V1"}}}
	for i, style := range styles {
		p.Texts = append(p.Texts, Text{Text: "Jane & <Co>\nof 100% things", From: each * i, Frames: each, Style: style.Name})
	}
	c, err := Build(p, "h264")
	if err != nil {
		t.Fatal(err)
	}
	film, _ := s.runCommand(t, c)
	theirs, ours := decodeFrames(t, meltFilm(t, p), p.Width, p.Height), decodeFrames(t, film, p.Width, p.Height)
	without := bytes.Repeat([]byte{0x50}, p.Width*p.Height)
	for i, style := range styles {
		for _, at := range []int{4, 12, 20} {
			f := each*i + at
			ax0, ay0, ax1, ay1, a := textChange(theirs[f], without, p.Width)
			bx0, by0, bx1, by1, b := textChange(ours[f], without, p.Width)
			for _, d := range []int{ax0 - bx0, ay0 - by0, ax1 - bx1, ay1 - by1} {
				if max(d, -d) > p.Width/16 {
					t.Errorf("%s: in frame %d melt writes to %d,%d-%d,%d and we to %d,%d-%d,%d", style.Name, at, ax0, ay0, ax1, ay1, bx0, by0, bx1, by1)
					break
				}
			}
			if a < b/3 || a > b*2 { // half of the outline covers the letters
				t.Errorf("%s: in frame %d melt changes the picture by %.2f and we by %.2f", style.Name, at, a, b)
			}
		}
	}
}
