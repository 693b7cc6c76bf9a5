package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"pgregory.net/rapid"
)

// seams returns for each two neighbours on a track whether they are apart, meet or are joined. A new rate must not change it.
func seams(f *film.Film) (out []string) {
	for _, t := range f.Parsed().Tracks {
		end := 0
		for _, c := range t.Clips {
			how := "apart"
			if c.Left != nil {
				how = "joined"
			} else if c.Start <= end {
				how = "meets"
			}
			out = append(out, fmt.Sprint(t.ID, " ", c.ID, " ", how))
			end = c.End
		}
	}
	return out
}

// pastMediaEnd returns the clips that show more than their media have.
func pastMediaEnd(f *film.Film) (out []string) {
	for _, text := range warnings(f) {
		if strings.HasPrefix(text, "past the end") || strings.HasPrefix(text, "transition longer than a handle") {
			out = append(out, text)
		}
	}
	return out
}

func TestANewRateKeepsCutsAndMediaBounds(t *testing.T) {
	w := world()
	w.Probes["./a.mp4"], w.Probes["./b.mp4"] = probeOutput(10, 640, 360, "25/1"), probeOutput(10, 640, 360, "25/1")
	doc := pdktest.New(t, Domain(), `"Demo" size:640x360 fps:25`, w)
	doc.Do("add clip ./a.mp4", "add clip ./b.mp4 in:3.04s dur:6.96s", "add transition crossfade between:a,b duration:0.36s", "add clip a in:1.32s dur:0.04s", "repeat a_2 count:8", "add clip b", "repeat b_2 count:20",
		"add clip a at:end+0.04s id:late", "speed late 3x", "add audio ./voice.wav", "copy voice at:end", "overlay text Hi from:0.04s dur:0.04s", "overlay text Ho from:0.08s dur:3s", "marker M at:3.04s")
	film := func() *film.Film {
		f, err := film.Open(string(doc.Save()))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	was, before := seams(film()), string(doc.Save())
	long := film().Rate().Seconds(film().Frames())
	for _, fps := range []string{"29.97", "24", "23.976", "12.5", "59.94", "30", "25"} {
		doc.Do("project fps:" + fps)
		f := film()
		if now := seams(f); fmt.Sprint(now) != fmt.Sprint(was) {
			t.Errorf("at %s fps it is\n%s\nand was\n%s", fps, now, was)
		}
		if strays := pastMediaEnd(f); len(strays) > 0 {
			t.Errorf("at %s fps: %s", fps, strays)
		}
		now := f.Rate().Seconds(f.Frames())
		if d := float64(now.Num)/float64(now.Den) - float64(long.Num)/float64(long.Den); d > 0.3 || d < -0.3 { // frames of 0.04s become 0.08s ones at 12.5 fps
			t.Errorf("at %s fps it lasts %v, and did %v", fps, now, long)
		}
	}
	doc.Undo(7)
	if string(doc.Save()) != before {
		t.Error("undo does not lead back")
	}
}

// checkRetimed checks a film after a change of its rate.
func checkRetimed(f *film.Film, t *rapid.T, was *film.Film, ops []string) {
	before, now := seams(was), seams(f)
	if len(now) != len(before) {
		t.Fatalf("%q: %s became %s", ops, before, now)
	}
	for i := range before {
		if before[i] != now[i] && !strings.HasSuffix(before[i], "apart") { // a gap of less than half a frame closes
			t.Errorf("%q: %s became %s", ops, before[i], now[i])
		}
	}
	if strays := pastMediaEnd(f); len(pastMediaEnd(was)) == 0 && len(strays) > 0 {
		t.Errorf("%q: %s", ops, strays)
	}
}

// A new size or rate says what does not keep its share of the picture or its time.
func TestNewSettingsNameWhatTheyChangeElsewhere(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"T" fps:25 size:640x360`, world())
	doc.Do("add clip ./vid1.mp4 dur:1s id:a", "add clip ./vid2.mp4 dur:2.04s id:b", "add transition crossfade between:a,b duration:0.2s id:x", "overlay image ./logo.png size:30% id:logo",
		"overlay text Hi from:0s dur:2s fade:0.4s id:t", "overlay text Big from:0s dur:2s size:40 id:u")
	if got, want := doc.Do("project size:1280x720"), "? keep their size and place in pixels: logo, u"; !strings.Contains(got, want) {
		t.Errorf("%s\nand not %s", got, want)
	}
	if got, want := doc.Do("project fps:24"), "? adapted to the frames of the new rate, by less than one: b"; !strings.Contains(got, want) {
		t.Errorf("%s\nand not %s", got, want)
	}
	if got, want := doc.Do("project fps:50"), "by less than one: b, t"; !strings.Contains(got, want) {
		t.Errorf("%s\nand not %s", got, want)
	}
	f, err := film.Open(string(doc.Save()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Clips() {
		if c.ID == "t" && c.Caption.Fade != 21 { // 0.4 s are 10 frames of 25, 10 of 24 and 21 of 50
			t.Errorf("the fade has %d frames", c.Caption.Fade)
		}
	}
}
