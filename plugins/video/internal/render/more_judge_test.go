package render

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestJudgeFormatsHoldTheFilm(t *testing.T) {
	s := makeMedia(t)
	p := &Project{Width: 160, Height: 90, FPS: Rational{25, 1}, Media: s.list(), Video: []Track{{ID: "V1", Items: []Item{{Clip: clip("c1", 0, 20), Next: &Transition{"crossfade", 5}}, {Clip: clip("c2", 2, 20)}}}}}
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			c, err := Build(p, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			first, _ := s.runCommand(t, c)
			again, _ := s.runCommand(t, c)
			a, errA := os.ReadFile(first)
			b, errB := os.ReadFile(again)
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("made twice it differs: %d and %d bytes, %v, %v", len(a), len(b), errA, errB)
			}
			video, audio, seconds := probe(t, first)
			want := 35.0 / 25
			if math.Abs(seconds-want) > 0.06 {
				t.Errorf("the file lasts %g s, the model %g s", seconds, want)
			}
			if f.video != (video != nil) || f.audio != (audio != nil) {
				t.Fatalf("it has the picture %v and the sound %v", video, audio)
			}
			if video == nil {
				return
			}
			w, h := f.size(p.Width, p.Height)
			if video.Frames != "35" || video.Width != w || video.Height != h {
				t.Errorf("it has %+v; it should be 35 frames of %dx%d", *video, w, h)
			}
			frames := decodeFrames(t, first, p.Width, p.Height)
			for _, m := range clipMiddles(p) {
				medium, number, ok := read(frames[m.frame], p.Width, m.x, m.y, m.w, m.h)
				if want, off := p.expectedFrame(m.clip, m.offset); !ok || medium != m.clip.Media || number < want-off || number > want+off {
					t.Errorf("%s: frame %d shows frame %d of %s (%v)", m.id, m.frame, number, name(p, medium), ok)
				}
			}
		})
	}
}

func TestJudgeAllEffectsStylesAndTransitionsRender(t *testing.T) {
	s := makeMedia(t)
	p := &Project{Width: 160, Height: 90, FPS: Rational{25, 1}, Media: s.list()}
	var items []Item
	for _, k := range Effects() {
		e := Effect{Kind: k.Name}
		items = append(items, Item{Clip: Clip{ID: k.Name, Media: 0, Frames: 4, Effects: []Effect{e}}})
		for _, set := range k.Settings {
			keyed, low, high := e, e, e
			keyed.Params = []Param{{Name: set.Name, Keys: []Key{{0, number(set.Min)}, {2, set.Default}, {3, number(set.Max)}}}}
			low.Params, high.Params = []Param{{Name: set.Name, Value: number(set.Min)}}, []Param{{Name: set.Name, Value: number(set.Max)}}
			if set.Animated {
				items = append(items, Item{Clip: Clip{ID: k.Name, Media: 0, Frames: 4, Effects: []Effect{keyed}}})
			}
			if !set.Color {
				items = append(items, Item{Clip: Clip{ID: k.Name, Media: 0, Frames: 4, Effects: []Effect{low}}}, Item{Clip: Clip{ID: k.Name, Media: 0, Frames: 4, Effects: []Effect{high}}})
			}
		}
	}
	for _, k := range Transitions() {
		items[len(items)-1].Next = &Transition{k.Name, 3}
		items = append(items, Item{Clip: clip(k.Name, 0, 7)})
	}
	for i, st := range Styles() {
		p.Texts = append(p.Texts, Text{ID: st.Name, Text: awkward[i%len(awkward)], From: 10 * i, Frames: 20, Style: st.Name})
	}
	p.Video = []Track{{ID: "V1", Items: items}}
	c, err := Build(p, "draft")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := s.runCommand(t, c)
	if video, _, _ := probe(t, out); video.Frames != strconv.Itoa(p.Frames()) {
		t.Errorf("the film has %s frames, the model %d", video.Frames, p.Frames())
	}
}

// gray decodes a PNG to shades of gray.
func gray(t *testing.T, data []byte) (pixels []byte, w, h int) {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	w, h = img.Bounds().Dx(), img.Bounds().Dy()
	for y := range h {
		for x := range w {
			r, g, b, _ := img.At(x, y).RGBA()
			pixels = append(pixels, byte((299*r+587*g+114*b)/1000>>8))
		}
	}
	return pixels, w, h
}

// A frame printed as PNG must look like the same frame of the rendered film.
func TestJudgeAFrameIsThatOfTheFilm(t *testing.T) {
	s := makeMedia(t)
	for _, n := range []int{1, 6, 8, 11, 14, 22} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := rand.New(rand.NewSource(int64(n)))
			p := randomProject(r, n, s.list())
			c, err := Build(p, "prores")
			if err != nil {
				t.Fatal(err)
			}
			out, _ := s.runCommand(t, c)
			film := decodeFrames(t, out, p.Width, p.Height)
			for range 8 {
				at := r.Intn(p.Frames())
				c, err := Frame(p, at, 0)
				if err != nil {
					t.Fatal(err)
				}
				_, png := s.runCommand(t, c)
				if len(png) == 0 {
					t.Fatalf("frame %d of %d is not printed\n%s\n%s", at, p.Frames(), strings.Join(c.Args, " "), c.Graph())
				}
				got, w, h := gray(t, png)
				if w != p.Width || h != p.Height {
					t.Fatalf("the picture has %dx%d", w, h)
				}
				if like := similarity(got, film[at], w); like < 0.95 {
					t.Errorf("frame %d of %d is like the film's by %.2f\n%s", at, p.Frames(), like, c.Graph())
				}
			}
		})
	}
	p := randomProject(rand.New(rand.NewSource(11)), 11, s.list())
	c, err := Sheet(p, 7, 3, 80)
	if err != nil {
		t.Fatal(err)
	}
	_, png := s.runCommand(t, c)
	if _, w, h := gray(t, png); w != 3*80+4*4 || h != 3*(44+12)+4*4 {
		t.Errorf("the sheet has %dx%d", w, h)
	}
}

func TestJudgeTheScriptRendersTheFilm(t *testing.T) {
	s := makeMedia(t)
	dir := t.TempDir()
	awkward, still := "-it's $(touch made) `touch made`; \"x\" %d\\:movie=.mp4", "100%d.png"
	for name, from := range map[string]int{awkward: 0, still: 6} {
		data, err := os.ReadFile(s.path(from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := &Project{Width: 160, Height: 90, FPS: Rational{25, 1}, Media: s.list(), Video: []Track{{ID: "V1", Items: []Item{{Clip: clip("c1", 0, 10)}, {Clip: clip("c2", 1, 10)}, {Clip: clip("c3", 6, 10)}}}},
		Texts: []Text{{ID: "t1", Text: "it's $(touch made)\nFONT\n%s\\n", Frames: 10}}}
	p.Media[0].Path, p.Media[6].Path = awkward, still
	script, _, err := Export(p, "ffcommand")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "film.sh"), script, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "film.sh", "out.mp4")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if video, _, _ := probe(t, filepath.Join(dir, "out.mp4")); video.Frames != "30" {
		t.Errorf("the film has %s frames", video.Frames)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("beside the film lie %v, %v", entries, err)
	}
	if strings.Contains(string(script), "\x00") {
		t.Error("the script holds a zero")
	}
}
