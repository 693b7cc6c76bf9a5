package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// fullFilm has three clips, two of them joined, a title and a sound late in the film, an overlay and a marker.
func fullFilm(t *testing.T) *pdktest.Doc {
	doc := pdktest.New(t, Domain(), `"Demo" size:640x360 fps:30`, world())
	doc.Do("add clip ./vid1.mp4 dur:10s", "add clip ./vid2.mp4 dur:10s", "add clip ./cat.mp4", "add audio ./music.mp3 dur:24s", "overlay text Hi from:21s dur:2s", "add audio ./voice.wav at:20s dur:2s", "overlay image ./logo.png from:21s dur:2s", "marker M at:22s")
	return doc
}

func TestRippleNamesOrMovesOtherTracks(t *testing.T) {
	const stay = "; not moved along: logo on V2, hi on T1, voice on A2 (ripple:all moves all tracks)"
	const follow = "; so do logo on V2, hi on T1, voice on A2, marker M"
	for _, c := range []struct{ op, said, there string }{
		{"ripple-delete vid2", "- vid2; what followed moved up, 10s in all", "hi 11s-13s"},
		{"speed vid1 2x", "* vid1 2x 0s-5s (5s); what follows moved along", "hi 16s-18s"},
		{"trim vid1 dur:4s ripple", "* vid1 0s-4s (4s), 0s-4s of vid1; vid2 and what follows it move by -6s", "hi 15s-17s"},
		{"add clip vid1 dur:1s after:vid1", "+ vid1_2 on V1 10s-11s (1s); vid2 and what follows it start 1s later", "hi 22s-24s"},
		{"copy cat after:vid1", "+ cat_2 on V1 10s-14s (4s); vid2 and what follows it start 4s later", "hi 25s-27s"},
		{"move cat after:vid1", "* cat on V1 10s-14s (4s); vid2 and what follows it start 4s later", "hi 25s-27s"},
		{"repeat vid1 count:1", "+ vid1_2 10s-20s (10s) on V1; vid2 and what follows it start 10s later", "hi 31s-33s"},
		{"add transition crossfade between:vid1,vid2 duration:1s", "+ crossfade vid1>vid2 9s-10s (1s); vid2 and what follows it on V1 start 1s earlier", "hi 20s-22s"},
	} {
		doc := fullFilm(t)
		if got := doc.Do(c.op); got != c.said+stay {
			t.Errorf("%s says\n%s\nwant\n%s", c.op, got, c.said+stay)
		}
		doc.Undo(1)
		before := string(doc.Save())
		if got := doc.Do(c.op + " ripple:all"); got != c.said+follow {
			t.Errorf("%s ripple:all says\n%s\nwant\n%s", c.op, got, c.said+follow)
		}
		if got := doc.Query("map"); !strings.Contains(got, c.there) {
			t.Errorf("%s ripple:all lacks %s:\n%s", c.op, c.there, got)
		}
		doc.Undo(1)
		if string(doc.Save()) != before {
			t.Errorf("undo of %s ripple:all does not lead back", c.op)
		}
	}
	doc := fullFilm(t)
	doc.Do("add transition crossfade between:vid1,vid2 duration:1s ripple:all")
	if got, want := doc.Do("modify crossfade duration:0.5s ripple:all"), "* crossfade vid1>vid2 crossfade 0.5s, 0.267s before the cut and 0.233s after it; vid2 and what follows it move by +0.5s; so do logo"; !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got, want := doc.Do("remove crossfade ripple:all"), "- crossfade; what follows starts 0.5s later; so do logo"; !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := doc.Query("map"); !strings.Contains(got, "hi 21s-23s") || !strings.Contains(got, "marker M at 22s") {
		t.Errorf("all is not where it was:\n%s", got)
	}
}

func TestRippleRefusesTracksThatCannotFollow(t *testing.T) {
	doc := fullFilm(t)
	doc.Do("add audio ./voice.wav to:A1 at:24s")
	doc.Fail("ripple-delete vid2 ripple:all", "A1 cannot follow by -10s: voice_2 would start at 14s, and music ends at 24s", "try: ripple-delete vid2")
	doc.Do("remove voice_2", "add clip vid1 to:V3 at:15s dur:6s", "add clip vid2 to:V3 dur:2s", "add transition crossfade between:vid1_2,vid2_2 duration:1s")
	doc.Fail("ripple-delete vid2 ripple:all", "ripple:all would part them", "try: ripple-delete vid2")
	doc.Fail("ripple-delete @type:clip ripple:all", "follows one track, and these are on V1, V3")
	doc.Fail("speed @type:clip 2x ripple:all", "follows one track")
	doc.Fail("remove cat ripple:all", "remove leaves a gap", "try: ripple-delete cat ripple:all")
	doc.Fail("trim vid1 dur:3s ripple:some", "ripple:some is not one of track all")
	if got := doc.Do("ripple-delete vid1"); !strings.Contains(got, "not moved along: 5 on V2, V3, T1, A2 (ripple:all moves all tracks)") {
		t.Errorf("it says %s", got)
	}
}

func TestTextsAndOverlaysChangeTracksForRoom(t *testing.T) {
	for _, c := range [][3]string{
		{"move one by:+2s", "* one +2s: one at 3s", "T2: 1 text, ends at 5s\n  one 3s-5s"},
		{"move one at:3s", "* one on T2 3s-5s (2s)", "T2: 1 text"},
		{"move @type:text by:+1s", "* one, two +1s: one at 2s, two at 5s", "T1: 2 texts"},
		{"copy one at:4s", "+ one_2 on T2 4s-6s (2s)", "T1: 2 texts"},
		{"trim one dur:4s", "* one on T2 1s-5s (4s)", "T1: 1 text"},
		{"trim two start:2s", "* two on T2 2s-6s (4s)", "T1: 1 text"},
		{"move logo by:+3s", "* logo +3s: logo at 3s", "V3: 1 clip"},
		{"move logo at:3s", "* logo on V3 3s-6s (3s)", "V2: 1 clip"},
		{"trim logo dur:5s", "* logo on V3 0s-5s (5s)", "V3: 1 clip"},
		{"copy logo at:3s", "+ logo_3 on V3 3s-6s (3s)", "V2: 2 clips"},
	} {
		doc := pdktest.New(t, Domain(), `"Demo"`, world())
		doc.Do("add clip ./vid1.mp4", "overlay text One from:1s dur:2s", "overlay text Two from:4s dur:2s", "overlay image ./logo.png dur:3s", "overlay image ./logo.png from:4s dur:3s")
		before := string(doc.Save())
		if got := doc.Do(c[0]); got != c[1] {
			t.Errorf("%s says %q, want %q", c[0], got, c[1])
		}
		if got := doc.Query("map"); !strings.Contains(got, c[2]) {
			t.Errorf("after %s the map lacks %q:\n%s", c[0], c[2], got)
		}
		doc.Undo(1)
		if string(doc.Save()) != before {
			t.Errorf("undo of %s does not lead back", c[0])
		}
		if strings.HasPrefix(c[0], "move one at") {
			doc.Fail("move one at:3s to:T1", "T1 has two from 4s to 6s")
			doc.Fail("move one by:-2s", "before the film does")
		}
	}
}
