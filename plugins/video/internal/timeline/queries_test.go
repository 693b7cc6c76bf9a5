package timeline

import (
	"strings"
	"testing"
)

func TestQueriesOnTimesAndTracks(t *testing.T) {
	doc := cut(t)
	doc.Do("modify funny_animals pos:top shift:-10,20 size:40 color:yellow", "marker chorus at:12s", "overlay image ./logo.png from:1m30s dur:10s")
	for q, want := range map[string]string{
		"at marker:chorus":  "at 12s, frame 360",
		"at end:vid1":       "at 50s, frame 1500",
		"at start:vid2+1s":  "at 49.5s, frame 1485",
		"at end:vid1-0.5s":  "V1 ~ crossfade vid1>vid2",
		"at end-1s":         "at 1m39s",
		"at 00:00:12:00":    `funny_animals 10s-15s (5s) title-card "Funny Animals" top shifted -10,20 size:40 color:#ffff00`,
		"describe V1":       "  ~ crossfade vid1>vid2 48.5s-50s (1.5s)",
		"warnings":          "seen after the pictures end: logo",
		"list @range:1s-2s": "1 thing",
		"list @media:vid1":  "1 thing",
	} {
		if got := doc.Query(q); !strings.Contains(got, want) {
			t.Errorf("%s says\n%s\nwant %q", q, got, want)
		}
	}
	doc.QueryFails("at", "needs one time")
	doc.QueryFails("at 1s end:vid1", "needs one time")
	doc.QueryFails("at marker:none", "no marker none")
}

func TestOverlaysEndWithTheFilmByDefault(t *testing.T) {
	for op, want := range map[string]string{
		"overlay text Bye from:end-2s":              "+ text bye on T1 1m30s-1m32s (2s) (up to the film's end)",
		"overlay text Bye from:end-2s dur:3s":       "+ text bye on T1 1m30s-1m33s (3s)",
		"overlay text Bye from:end":                 "+ text bye on T1 1m32s-1m35s (3s)",
		"overlay image ./logo.png from:end-1s":      "+ overlay logo on V2 1m31s-1m32s (1s) center (up to the film's end)",
		"overlay video ./cat.mp4 from:end-1s in:1s": "+ overlay cat on V2 1m31s-1m32s (1s) center 576 wide, with its sound (up to the film's end)",
	} {
		doc := cut(t)
		if got := doc.Do(op); got != want {
			t.Errorf("%s says\n%s\nwant\n%s", op, got, want)
		}
	}
}
