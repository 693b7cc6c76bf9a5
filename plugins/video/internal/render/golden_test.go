package render

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sampleMedia returns media of every type.
func sampleMedia() []Media {
	return []Media{
		{Name: "a", Path: "a.mp4", Ext: "mp4", Video: true, Audio: true, Width: 1920, Height: 1080, FPS: Rational{25, 1}, Duration: Rational{60, 1}},
		{Name: "b", Path: "b.mov", Ext: "mov", Video: true, Audio: true, Width: 1080, Height: 1920, Rotation: 90, FPS: Rational{30000, 1001}, Duration: Rational{60, 1}},
		{Name: "quiet", Path: "quiet.webm", Ext: "webm", Video: true, Width: 720, Height: 576, FPS: Rational{25, 1}, Pixel: Rational{16, 15}},
		{Name: "song", Path: "it's a song.mp3", Ext: "mp3", Audio: true, Duration: Rational{180, 1}},
		{Name: "logo", Path: "/pictures/logo.png", Ext: "png", Video: true, Still: true, Width: 200, Height: 100},
	}
}

// project returns a project with the items on V1, at 25 frames a second.
func project(items ...Item) *Project {
	return &Project{Name: "film", Width: 640, Height: 360, FPS: Rational{25, 1}, Media: sampleMedia(), Video: []Track{{ID: "V1", Items: items}}}
}

func clip(id string, media, frames int) Clip { return Clip{ID: id, Media: media, Frames: frames} }

// features returns projects with one feature each.
func features() map[string]*Project {
	all := map[string]*Project{}
	add := func(name string, p *Project, change func(p *Project)) {
		if change != nil {
			change(p)
		}
		all[name] = p
	}
	plain := func() *Project { return project(Item{Clip: clip("c1", 0, 50)}) }
	with := func(c Clip) *Project { return project(Item{Clip: c}) }

	add("clip", plain(), nil)
	add("cut", project(Item{Clip: clip("c1", 0, 50)}, Item{Clip: clip("c2", 1, 25)}), nil)
	add("crossfade", project(Item{Clip: clip("c1", 0, 75), Next: &Transition{"crossfade", 25}}, Item{Clip: clip("c2", 1, 50)}), nil)
	add("chain", project(Item{Clip: clip("c1", 0, 30), Next: &Transition{"wipe-left", 10}}, Item{Clip: clip("c2", 1, 30), Next: &Transition{"circle-open", 5}}, Item{Clip: clip("c3", 2, 30)}, Item{Clip: clip("c4", 0, 30)}), nil)
	add("gap", project(Item{Gap: 10}, Item{Clip: clip("c1", 0, 50)}, Item{Gap: 5}, Item{Clip: clip("c2", 2, 50)}), func(p *Project) { p.Background = "#102030" })
	add("in", with(Clip{ID: "c1", Media: 0, In: Rational{7, 2}, Frames: 50}), nil)
	add("speed", with(Clip{ID: "c1", Media: 0, In: Rational{10, 1}, Speed: Rational{5, 2}, Frames: 50}), nil)
	add("slow", with(Clip{ID: "c1", Media: 0, In: Rational{10, 1}, Speed: Rational{1, 3}, Frames: 50}), nil)
	add("volume", project(Item{Clip: Clip{ID: "c1", Media: 0, Frames: 50, Volume: -6}}, Item{Clip: Clip{ID: "c2", Media: 0, Frames: 50, Mute: true}}), func(p *Project) { p.Video[0].Volume = 1.5 })
	add("fades", with(Clip{ID: "c1", Media: 0, Frames: 50, FadeIn: 10, FadeOut: 15}), nil)
	add("fades-cut", project(Item{Clip: Clip{ID: "c1", Media: 0, Frames: 5, FadeIn: 10, FadeOut: 15, Cut: Cut{After: 45}}}, Item{Clip: Clip{ID: "c2", Media: 0, In: Rational{1, 5}, Frames: 33, FadeIn: 10, FadeOut: 15, Cut: Cut{Before: 5, After: 12}}},
		Item{Clip: Clip{ID: "c3", Media: 0, In: Rational{38, 25}, Frames: 12, FadeIn: 10, FadeOut: 15, Cut: Cut{Before: 38}}}), func(p *Project) {
		p.Overlays = []Overlay{{ID: "o1", Media: 4, From: 5, Frames: 30, FadeIn: 50, FadeOut: 50, Cut: Cut{Before: 40, After: 40}}}
		p.Texts = []Text{{ID: "t1", Text: "Roll", From: 5, Frames: 10, Style: "credits", Cut: Cut{Before: 4, After: 6}}, {ID: "t2", Text: "Jane\nAuthor", From: 20, Frames: 10, Style: "lower-third", Fade: 8, Cut: Cut{Before: 4, After: 4}}}
	})
	add("pieces", project(Item{Clip: Clip{ID: "c1", Media: 0, In: Rational{4, 1}, Frames: 50}}, Item{Clip: Clip{ID: "c2", Media: 0, In: Rational{7, 1}, Frames: 50, Mute: true}}, Item{Clip: Clip{ID: "c3", Media: 0, In: Rational{9, 1}, Frames: 50, Speed: Rational{2, 1}}},
		Item{Clip: Clip{ID: "c4", Media: 0, In: Rational{30, 1}, Frames: 50}, Next: &Transition{"crossfade", 10}}, Item{Clip: Clip{ID: "c5", Media: 0, In: Rational{32, 1}, Frames: 50}}), nil)
	add("fit", project(Item{Clip: Clip{ID: "c1", Media: 1, Frames: 50, Fit: "cover"}}, Item{Clip: Clip{ID: "c2", Media: 2, Frames: 50, Fit: "stretch"}}), nil)
	add("silent", project(Item{Clip: clip("c1", 2, 50)}), nil)
	add("still", project(Item{Clip: clip("c1", 4, 50)}), nil)
	add("hidden", plain(), func(p *Project) { p.Video[0].Hide, p.Video[0].Mute = true, true })
	add("ntsc", plain(), func(p *Project) { p.FPS, p.SampleRate = Rational{30000, 1001}, 44100 })
	add("sound", plain(), func(p *Project) {
		p.Audio = []Track{{ID: "A1", Volume: -3, Items: []Item{{Gap: 5}, {Clip: Clip{ID: "s1", Media: 3, Frames: 20, FadeOut: 5}, Next: &Transition{"crossfade", 5}}, {Clip: clip("s2", 3, 20)}}}}
	})
	add("ducking", plain(), func(p *Project) {
		p.Audio = []Track{{ID: "A1", Items: []Item{{Clip: clip("s1", 3, 50)}}}}
		p.Ducks = []Duck{{Track: "A1", Under: "V1", By: -9}}
	})
	add("tracks", plain(), func(p *Project) {
		p.Video = append(p.Video, Track{ID: "V2", Items: []Item{{Gap: 10}, {Clip: Clip{ID: "u1", Media: 1, Frames: 20, FadeIn: 3}, Next: &Transition{"dissolve", 4}}, {Clip: clip("u2", 4, 20)}}})
	})
	add("overlays", plain(), func(p *Project) {
		p.Overlays = []Overlay{
			{ID: "o1", Media: 4, From: 5, Frames: 30, Width: 80, Place: Place{Anchor: "top-right", X: -4}, Opacity: 70, FadeIn: 5, FadeOut: 5},
			{ID: "o2", Media: 0, In: Rational{2, 1}, From: 10, Frames: 30, Width: 160, Height: 90, Volume: -10},
		}
	})
	add("markers", plain(), func(p *Project) { p.Markers = []Marker{{"here", 10}} })
	for _, s := range Styles() {
		add("text-"+s.Name, plain(), func(p *Project) {
			p.Texts = []Text{{ID: "t1", Text: "Funny Animals\nand: what's 'in' the \\box", From: 5, Frames: 40, Style: s.Name}}
		})
	}
	add("text-own", plain(), func(p *Project) {
		p.Texts = []Text{{ID: "t1", Text: "Ours", From: 5, Frames: 40, Size: 20, Color: "#ff8800", Fade: -1, Place: Place{"left", 3, -3}}}
	})
	add("text-letters", plain(), func(p *Project) {
		p.Texts = []Text{{ID: "t1", Text: "漢字 and 🙂", From: 5, Frames: 40}}
	})
	for _, k := range Effects() {
		add("effect-"+k.Name, with(Clip{ID: "c1", Media: 0, Frames: 50, Effects: []Effect{{Kind: k.Name}}}), nil)
		for _, s := range k.Settings {
			if s.Animated {
				keys := []Key{{0, number(s.Min)}, {25, s.Default}, {40, number(s.Max)}}
				add("keyed-"+k.Name+"-"+s.Name, with(Clip{ID: "c1", Media: 0, Frames: 50, Effects: []Effect{{k.Name, []Param{{Name: s.Name, Keys: keys}}}}}), nil)
			}
		}
	}
	return all
}

// commandText prints a command.
func commandText(c *Command) []byte {
	var b bytes.Buffer
	for _, a := range c.Args {
		b.WriteString(a + "\n")
	}
	fmt.Fprintf(&b, "\ninputs %v, output %q, %d frames\n", c.Inputs, c.Output, c.Frames)
	for _, f := range c.Files {
		data := f.Data
		if strings.HasSuffix(f.Name, ".ttf") {
			data = fmt.Appendf(nil, "%d bytes\n", len(data))
		}
		fmt.Fprintf(&b, "\n== %s\n%s", f.Name, data)
	}
	return b.Bytes()
}

// golden compares with a file in testdata, or writes it if FCP_UPDATE is set.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("FCP_UPDATE") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (FCP_UPDATE=1 writes it anew):\n%s", path, got)
	}
}

func TestCommandsAreStable(t *testing.T) {
	for name, p := range features() {
		c, err := Build(p, "h264")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden(t, name+".txt", commandText(c))
		again, err := Build(p, "h264")
		if err != nil || !bytes.Equal(commandText(c), commandText(again)) {
			t.Errorf("%s: made twice it differs, %v", name, err)
		}
	}
}

func TestCommandsOfFormatsAreStable(t *testing.T) {
	for _, f := range Formats() {
		c, err := Build(features()["crossfade"], f.Name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "format-"+f.Name+".txt", commandText(c))
	}
}

func TestFramesAndSheetsAreStable(t *testing.T) {
	for name, at := range map[string]int{"chain": 27, "tracks": 28, "keyed-zoom-factor": 20, "text-title": 20, "overlays": 15, "gap": 2, "fades-cut": 29} {
		c, err := Frame(features()[name], at, 320)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "frame-"+name+".txt", commandText(c))
	}
	c, err := Sheet(features()["chain"], 6, 3, 160)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sheet.txt", commandText(c))
}

func TestExportsAreStable(t *testing.T) {
	p := features()["chain"]
	p.Video = append(p.Video, features()["tracks"].Video[1])
	p.Audio, p.Overlays, p.Ducks = features()["sound"].Audio, features()["overlays"].Overlays, features()["ducking"].Ducks
	p.Texts = []Text{{ID: "t1", Text: "One <&> \"two\"", From: 5, Frames: 40, Style: "lower-third"}, {ID: "t2", Text: "said\n\nso", From: 30, Frames: 20, Style: "caption"}}
	p.Video[0].Items[0].Clip.Speed = Rational{2, 1}
	mlt, _, err := Export(features()["fades-cut"], "mlt")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "export-fades-cut.mlt", mlt)
	for _, k := range Exports() {
		data, lost, err := Export(p, k.Name)
		if err != nil {
			t.Fatal(err)
		}
		if k.Name == "ffcommand" { // whose fonts are long
			var short []string
			for line := range strings.Lines(string(data)) {
				if len(line) != 121 || strings.ContainsAny(line, " =") {
					short = append(short, line)
				}
			}
			data = []byte(strings.Join(short, ""))
		}
		golden(t, "export."+k.Ext, append(data, fmt.Sprintf("\n%s\n", strings.Join(lost, "; "))...))
	}
	ntsc := features()["ntsc"]
	ntsc.Video[0].Items[0].Clip.Frames = 1900
	ntsc.Media[0].Duration = Rational{}
	data, _, err := Export(ntsc, "edl")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "export-ntsc.edl", data)
}
