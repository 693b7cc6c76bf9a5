package film

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func TestNamesBecomeIDs(t *testing.T) {
	for name, want := range map[string]string{"My cat (1)": "My_cat_1", "  ": "media", "a__b": "a_b", "-x-": "x", "Köln": "Köln", "": "media", "vid-1": "vid-1"} {
		if got := Slug(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	for id, want := range map[string]string{"vid1_2": "vid1", "vid1": "vid1", "a_b": "a_b", "a_2_3": "a_2", "_2": "_2", "x_": "x_"} {
		if got := Base(id); got != want {
			t.Errorf("%s is a copy of %s, want %s", id, got, want)
		}
	}
	for name, want := range map[string]bool{"start": true, "END": true, "V1": true, "t12": true, "a": false, "v": false, "v1a": false, "x1": false, "": false} {
		if Reserved(name) != want {
			t.Errorf("%q is reserved: %v", name, !want)
		}
	}
	if got := Unused("a", func(id string) bool { return slices.Contains([]string{"a", "a_2", "a_4"}, id) }); got != "a_3" {
		t.Errorf("the unused id is %s", got)
	}
}

func TestURLsAndPathsAreEachOther(t *testing.T) {
	for path, url := range map[string]string{"a b.mp4": "a%20b.mp4", "./x/ü.mov": "./x/%C3%BC.mov", "100%.mp4": "100%25.mp4"} {
		if got := URLOfPath(path); got != url || PathOfURL(url) != path {
			t.Errorf("%s becomes %s and then %s", path, got, PathOfURL(url))
		}
	}
	for url, want := range map[string]string{"file:///a/b%20c.mov": "/a/b c.mov", "https://x/a.mp4": "https://x/a.mp4", "50%.mp4": "50%.mp4"} {
		if got := PathOfURL(url); got != want {
			t.Errorf("%s is %s, want %s", url, got, want)
		}
	}
	for name, want := range map[string]string{`C:\a\b.c.mp4`: "b.c", "./x/.hidden": ".hidden", "a": "a"} {
		if got := Stem(name); got != want {
			t.Errorf("%s is called %s, want %s", name, got, want)
		}
	}
}

func TestValuesChangeLinearlyBetweenKeyframes(t *testing.T) {
	rate := timecode.Rate{Num: 10, Den: 1}
	list := Keys("3@2s 1@0s,2@1s", rate)
	for frame, want := range map[int]float64{-5: 1, 0: 1, 5: 1.5, 10: 2, 19: 2.9, 20: 3, 99: 3} {
		if got := ValueAt(list, frame); got != want {
			t.Errorf("at frame %d it is %g, want %g", frame, got, want)
		}
	}
	for later, want := range map[int]string{0: "1@0s,2@1s,3@2s", 5: "1.5@0s,2@0.5s,3@1.5s", 10: "2@0s,3@1s", 20: "3", 25: "3", -5: "1@0.5s,2@1.5s,3@2.5s"} {
		if got := keysText(shiftKeys(list, later), rate); got != want {
			t.Errorf("%d frames later: %s, want %s", later, got, want)
		}
	}
	for factor, want := range map[float64]string{2: "1@0s,2@2s,3@4s", 0.5: "1@0s,2@0.5s,3@1s", 0.01: "3"} {
		if got := keysText(SpreadKeys(list, factor), rate); got != want {
			t.Errorf("%g times as long: %s, want %s", factor, got, want)
		}
	}
	if Keys("1@0s 2", rate) != nil || Keys("1@x", rate) != nil || len(Keys("", rate)) != 0 {
		t.Error("what are no keyframes is read as some")
	}
}

// timeline reads a film of ten frames a second with items on a video track: "4" is a clip of four frames, "-4" a gap, and "2+1" a
// transition that begins two frames before the cut and ends one after it.
func timeline(t *testing.T, items ...string) *Film {
	t.Helper()
	time := func(n int) otio.Object { return otio.Time(float64(n), 10) }
	var children otio.List
	for i, it := range items {
		var a, b int
		switch n, _ := fmt.Sscanf(it, "%d+%d", &a, &b); {
		case n == 2:
			children = append(children, otio.Object{Field("OTIO_SCHEMA", "Transition.1"), Field("name", fmt.Sprint("t", i)), Field("in_offset", time(a)), Field("out_offset", time(b))})
		case a < 0:
			children = append(children, otio.Object{Field("OTIO_SCHEMA", "Gap.1"), Field("source_range", otio.Range(0, float64(-a), 10))})
		default:
			children = append(children, otio.Object{Field("OTIO_SCHEMA", "Clip.2"), Field("name", fmt.Sprint("c", i)), Field("source_range", otio.Range(0, float64(a), 10))})
		}
	}
	f, err := Open(otio.Print(otio.Object{Field("OTIO_SCHEMA", "Timeline.1"), Field("tracks", otio.Object{Field("children", otio.List{
		otio.Object{Field("OTIO_SCHEMA", "Track.1"), Field("kind", "Video"), Field("children", children)}})})}))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestClipsOverlapByTheirTransitions(t *testing.T) {
	for _, c := range []struct {
		items []string
		want  string
	}{
		{[]string{"10", "20"}, "c0 0-10 c1 10-30 "},
		{[]string{"10", "-5", "20"}, "c0 0-10 c2 15-35 "},
		{[]string{"10", "2+1", "20"}, "c0 0-11 c2 8-30 t1 "},
		{[]string{"2+3", "10"}, "c1 0-10 "}, // there is no gap to fade in from
		{[]string{"-5", "2+3", "10"}, "c2 3-15 "},
		{[]string{"-1", "2+3", "10"}, "c2 0-11 "},
		{[]string{"10", "2+3", "-5"}, "c0 0-13 "},
		{[]string{"10", "2+3", "-2", "4"}, "c0 0-12 c3 12-16 "},
	} {
		got, f := "", timeline(t, c.items...)
		track := f.Parsed().Tracks[0]
		for _, clip := range track.Clips {
			got += fmt.Sprintf("%s %d-%d ", clip.ID, clip.Start, clip.End)
		}
		for _, j := range track.Joins {
			got += j.ID + " "
		}
		if got != c.want {
			t.Errorf("%v are %s, want %s", c.items, got, c.want)
		}
	}
	if f := timeline(t, "10", "-5", "4", "-3"); f.Frames() != 19 || f.Parsed().Tracks[0].Tail != 3 || f.Rate() != (timecode.Rate{Num: 10, Den: 1}) {
		t.Errorf("it has %d frames at %s, and %d after them", f.Frames(), f.Rate(), f.Parsed().Tracks[0].Tail)
	}
}

func TestNamesOfOtherProgramsAreToldApart(t *testing.T) {
	f := timeline(t, "1", "1")
	text := f.Doc.Text()
	for i, c := range f.Clips() {
		if c.ID != fmt.Sprint("c", i) || c.Own {
			t.Errorf("clip %d is %s in\n%s", i, c.ID, text)
		}
	}
	if got := f.FreshIDs("c0", 2); !slices.Equal(got, []string{"c0_2", "c0_3"}) {
		t.Errorf("unused ids are %v", got)
	}
}

func TestLevelsAndOpacitiesStayInRange(t *testing.T) {
	for db, want := range map[float64]float64{-200: -120, -120: -120, 0: 0, 60: 60, 61: 60} {
		if got := clampDecibels(db); got != want {
			t.Errorf("%g dB are read as %g", db, got)
		}
	}
	if got := (Box{Width: 8, Anchor: "top", X: 1, Opacity: 50}).String(); got != " top shifted 1,0 8 wide 50%" {
		t.Errorf("a box is %q", got)
	}
	if got := keysText([]render.Key{{Frame: 3, Value: "2"}}, timecode.Rate{Num: 10, Den: 1}); got != "2" {
		t.Errorf("one keyframe is %s", got)
	}
}
