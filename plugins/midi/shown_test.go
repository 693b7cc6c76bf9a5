package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// Two bars of 4/4 at 120 beats a minute, then 3/4 at 60: the picture and the audio have
// the right times.
func TestTheViewShowsAndPlaysTheSong(t *testing.T) {
	doc := band(t, "tempo 120", "tempo 60 at:3.1", "time-sig 3/4 at:3.1", "note Piano A4 at:1.2 dur:quarter vel:64", "note Bass E2 at:3.1 dur:half vel:100", "note Drums kick at:2.3 dur:eighth vel:127", "program Bass electric-bass-finger at:3.1")
	heard := doc.Answer("events * format:notes").Notes
	want := []abi.Note{{At: 500, Length: 500, Key: 69, Velocity: 64, Channel: 1, Program: 0}, {At: 3000, Length: 250, Key: 36, Velocity: 127, Channel: 10}, {At: 4000, Length: 2000, Key: 40, Velocity: 100, Channel: 2, Program: 33}}
	if !slices.Equal(heard, want) {
		t.Errorf("heard is\n%+v, want\n%+v", heard, want)
	}
	shown, changed := doc.Shown()
	if len(shown.Areas) != 3 || len(shown.Pages) != 0 || len(changed) > 0 {
		t.Fatalf("shown are %+v on %q, changed %q", shown.Areas, shown.Pages, changed)
	}
	// A note begins on the picture at the place of its time.
	for _, n := range heard {
		if !slices.ContainsFunc(shown.Areas, func(a abi.Area) bool {
			return near(a.X, xOf(shown.Times, n.At)) && a.X+a.Width <= xOf(shown.Times, n.At+n.Length)
		}) {
			t.Errorf("nothing lies at the time of %+v: %+v with %+v", n, shown.Areas, shown.Times)
		}
	}
	if n := len(shown.Times); n != 3 || shown.Times[0].At != 0 || shown.Times[1].At != 4000 || shown.Times[2].At != 7000 {
		t.Errorf("times are %+v", shown.Times)
	}
	// The areas of the picture refer to exactly one note, even if another one begins in
	// the same beat.
	doc.Do(`track add "Left hand, low"`, `note "Left hand, low" F#3 at:1.2`, `note "Left hand, low" F#3 at:1.2.120 dur:sixteenth`)
	shown, _ = doc.Shown()
	names := []string{"@track:Piano @range:1.2.0 @pitch:A4", "@track:Bass @range:3.1.0 @pitch:E2", "@track:Drums @range:2.3.0 @pitch:bass-drum-1", "@track:#4 @range:1.2.0 @pitch:F#3", "@track:#4 @range:1.2.120 @pitch:F#3"}
	for _, name := range names {
		doc.Do("velocity =90 " + name)
		if _, changed := doc.Shown(); !slices.Equal(changed, []string{name}) {
			t.Errorf("a click on %s means %q", name, changed)
		}
	}
	doc.Do("note Piano C5 at:1.3")
	if _, changed := doc.Shown(); len(changed) != 1 {
		t.Errorf("what is outlined is %q", changed)
	}
	doc.Do("note Piano C5 at:40.1")
	first := doc.Answer("preview format:svg")
	last := doc.Answer("preview format:svg page:3")
	if want := []string{"bars 1 to 16", "bars 17 to 32", "bars 33 to 40"}; !slices.Equal(first.Pages, want) || !slices.Equal(last.Pages, want) || first.Page != 1 || last.Page != 3 || len(first.Areas) != 6 || len(last.Areas) != 1 {
		t.Errorf("the pages are %q, with %d and %d areas", first.Pages, len(first.Areas), len(last.Areas))
	}
	// Two bars of 2 s, then bars of 3 s.
	if from, to := last.Times[0].At, last.Times[len(last.Times)-1].At; from != 4000+30*3000 || to != 4000+38*3000 || !near(last.Areas[0].X, xOf(last.Times, 4000+37*3000)) {
		t.Errorf("the third page lasts from %d to %d", from, to)
	}
	doc.QueryFails("preview format:svg page:4", "pages 1 to 3")
}

// A note held by the pedal sounds until the pedal comes up or the key is struck again;
// volume and expression combine to one level.
func TestTheAudioFollowsThePedalAndTheVolume(t *testing.T) {
	doc := band(t, "tempo 120", "note Piano A4 at:1.1 dur:quarter", "note Piano A4 at:1.3 dur:eighth", "note Piano C5 at:1.4 dur:quarter", "note Bass E2 at:1.1 dur:quarter", "pedal Piano @range:1-1",
		"cc Piano volume 80 at:1.1", "cc Piano expression 64 at:2.1", "cc Piano expression 127 at:2.3", "cc Piano volume 80 at:2.4", "note Piano E5 at:2.1 dur:quarter")
	heard := doc.Answer("events * format:notes")
	lengths := map[[3]int]int{}
	for _, n := range heard.Notes {
		lengths[[3]int{n.Channel, n.Key, n.At}] = n.Length
	}
	up := 2000 - 62 // a 32nd before the bar's end
	want := map[[3]int]int{{1, 69, 0}: 1000, {1, 69, 1000}: up - 1000, {1, 72, 1500}: 500, {2, 40, 0}: 500, {1, 76, 2000}: 500}
	if !maps.Equal(lengths, want) {
		t.Errorf("notes sound for %v, want %v", lengths, want)
	}
	if want := []abi.Level{{At: 0, Channel: 1, Level: 80}, {At: 2000, Channel: 1, Level: 40}, {At: 3000, Channel: 1, Level: 80}}; !slices.Equal(heard.Levels, want) {
		t.Errorf("levels are %v, want %v", heard.Levels, want)
	}
	doc.Do("cc Piano 64 127 at:3.1", "note Piano G4 at:3.1 dur:quarter", "note Bass E2 at:4.1 dur:whole")
	if n := doc.Answer("events * format:notes").Notes; !slices.ContainsFunc(n, func(n abi.Note) bool { return n.At == 4000 && n.Key == 67 && n.Length == 4000 }) {
		t.Errorf("a pedal that never comes up holds until the end: %v", n)
	}
}

// xOf returns the x of a time.
func xOf(times []abi.Moment, at int) int {
	for i := 1; i < len(times); i++ {
		if a, b := times[i-1], times[i]; at <= b.At {
			return a.X + (b.X-a.X)*(at-a.At)/(b.At-a.At)
		}
	}
	return -1
}

// near reports whether two places are less than a tenth of a pixel apart.
func near(a, b int) bool { return max(a-b, b-a) <= 10 }
