package timeline

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// picchu opens a timeline of another program, with 13 stills on V1 and a dissolve between the first two.
func picchu(t *testing.T) *pdktest.Doc {
	t.Helper()
	packed, err := os.ReadFile("../otio/testdata/effects.otio.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return pdktest.Open(t, Domain(), "film.otio", text, world())
}

// changedLines returns the lines of a text that were others before, without blanks at their ends.
func changedLines(t *testing.T, before, after string) (is []string) {
	t.Helper()
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	if len(a) != len(b) {
		t.Fatalf("%d lines became %d", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			is = append(is, strings.TrimSpace(b[i]))
		}
	}
	return is
}

func TestTheLengthOfATransitionLeavesTheCutAndAllClips(t *testing.T) {
	for _, c := range []struct {
		op, said string
		is       []string
	}{
		{`modify "Cross Fade 0 dB" duration:1s`, "crossfade 1s, 0.5s before the cut and 0.5s after it", []string{`"value": 12.0`, `"value": 12.0`}},
		{`modify "Cross Fade 0 dB" in:0.5s out:0.5s`, "crossfade 1s, 0.5s before the cut and 0.5s after it", []string{`"value": 12.0`, `"value": 12.0`}},
		{`modify @type:transition duration:-500ms`, "crossfade 2s, 1s before the cut and 1s after it", []string{`"value": 24.0`, `"value": 24.0`}},
		{`modify "Cross Fade 0 dB" duration:3s`, "crossfade 3s, 1.5s before the cut and 1.5s after it", []string{`"value": 36.0`, `"value": 36.0`}},
		{`modify "Cross Fade 0 dB" out:0s`, "crossfade 1.25s, 1.25s before the cut and 0s after it", []string{`"value": 0.0`}},
		{`modify "Cross Fade 0 dB" out:-0.25s`, "crossfade 2.25s, 1.25s before the cut and 1s after it", []string{`"value": 24.0`}},
	} {
		doc := picchu(t)
		before := string(doc.Save())
		want := `* "Cross Fade 0 dB" Picchu_V7_310821_0003.png>Picchu_V7_310821_0005.png ` + c.said
		if got, _, _ := strings.Cut(doc.Do(c.op), "\n"); got != want {
			t.Errorf("%s says\n%s\nwant\n%s", c.op, got, want)
		}
		if is := changedLines(t, before, string(doc.Save())); !slices.Equal(is, c.is) {
			t.Errorf("%s changes the lines to %q, want %q", c.op, is, c.is)
		}
		doc.Undo(1)
		if string(doc.Save()) != before {
			t.Errorf("undo of %s does not lead back", c.op)
		}
	}
}

func TestATransitionReachesOnlyIntoMediaThatThereAre(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Demo" size:640x360 fps:30`, world())
	doc.Do("add clip ./vid1.mp4 in:5s dur:10s", "add clip ./vid2.mp4 in:1s dur:10s", "add transition crossfade between:vid1,vid2 duration:1s")
	before := doc.Query("map")
	if !strings.Contains(before, "crossfade vid1>vid2 9s-10s") {
		t.Fatal(before)
	}
	doc.Fail("modify crossfade duration:4s", "longer than its clips can overlap, 1.5s before the cut", "try: modify crossfade duration:3s", "try: modify crossfade duration:4s ripple")
	doc.Do("modify crossfade duration:3s")
	if got := doc.Query("map"); !strings.Contains(got, "vid1 0s-11s (11s) of vid1 5s-16s") || !strings.Contains(got, "vid2 8s-19s (11s) of vid2 0s-11s") {
		t.Errorf("the transition does not reach into the media:\n%s", got)
	}
	doc.Do("modify crossfade in:0.5s out:0.5s")
	if got := doc.Query("map"); got != before {
		t.Errorf("it does not lead back:\n%s\nwant\n%s", got, before)
	}
	doc.Do("add effect zoom on:vid2 factor:1@0s,2@9s")
	keys := doc.Query("describe vid2")
	doc.Do("modify crossfade duration:2s", "modify crossfade duration:1s")
	if got := doc.Query("describe vid2"); got != keys {
		t.Errorf("the keyframes moved:\n%s\nwant\n%s", got, keys)
	}
}

func TestAStillHasAnyLength(t *testing.T) {
	const still = "Picchu_V7_310821_0009.png"
	for _, c := range []struct {
		op, said string
		is       []string
	}{
		{"trim " + still + " dur:+2s ripple", "22.125s-25.375s (3.25s); Picchu_V7_310821_0010.png and what follows it move by +2s; not moved along: 7 on V5, A3, A5, A7, A10, A11 (ripple:all moves all tracks)", []string{`"value": 78.0`}},
		{"trim " + still + " end:+2s ripple:track", "22.125s-25.375s (3.25s); Picchu_V7_310821_0010.png and what follows it move by +2s; not moved along: 7 on V5, A3, A5, A7, A10, A11 (ripple:all moves all tracks)", []string{`"value": 78.0`}},
		{"trim " + still + " start:-10s ripple", "22.125s-33.375s (11.25s)", []string{`"value": 270.0`}},
		{"trim " + still + " dur:-250ms ripple", "22.125s-23.125s (1s)", []string{`"value": 24.0`}},
		{`modify "Cross Fade 0 dB" duration:1s ripple`, "", []string{`"value": 462.0`, `"value": 12.0`, `"value": 12.0`, `"value": 74.0`}},
	} {
		doc := picchu(t)
		before := string(doc.Save())
		if got := doc.Do(c.op); !strings.Contains(got, c.said) {
			t.Errorf("%s says\n%s\nwant\n%s", c.op, got, c.said)
		}
		if is := changedLines(t, before, string(doc.Save())); !slices.Equal(is, c.is) {
			t.Errorf("%s changes the lines to %q, want %q", c.op, is, c.is)
		}
		doc.Undo(1)
		if string(doc.Save()) != before {
			t.Errorf("undo of %s does not lead back", c.op)
		}
	}
}

func TestSelectorsAndMapTakeTracks(t *testing.T) {
	doc := picchu(t)
	if got := doc.Query("list @track:A9,A10 @type:audio"); !strings.HasPrefix(got, "2 things\nA9 ") {
		t.Errorf("it lists\n%s", got)
	}
	if got := doc.Query("map A9"); strings.Count(got, "\n") != 2 || !strings.Contains(got, "Pachamama") {
		t.Errorf("the map is\n%s", got)
	}
	doc.QueryFails("map A77", "no track A77")
	doc.QueryFails("list @track:A9,A77", "no track A77")
	doc.Do("modify @track:A9,A10 enabled:true")
	if got := doc.Query("list @type:clip,audio"); !strings.HasPrefix(got, "37 things") {
		t.Errorf("it lists\n%s", got)
	}
}
