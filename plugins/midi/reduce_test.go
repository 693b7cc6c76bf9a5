package main

import (
	"strings"
	"testing"
)

// duet is two tracks whose highest note changes from one to the other.
var duet = []string{`track rename Piano "Violin 1"`, `track rename Bass "Violin 2"`, "track add Bells instrument:glockenspiel",
	`line "Violin 1" "C5 h 50, rest q, E5 e 60, G5 e, F4 q 70" at:1`, `line "Violin 2" "A4 q 40, D5 q 45, rest h, F4 h 90" at:1`}

func TestReduceWritesTheOutermostNoteThatSoundsOnEachBeat(t *testing.T) {
	for op, want := range map[string]string{
		`copy @track:"Violin 1","Violin 2" track:Bells transpose:12 reduce:highest every:beat @range:1-2`: `5:
1.1       note C6 dur:quarter vel:50
1.2       note D6 dur:quarter vel:45
1.4       note E6 dur:quarter vel:60
2.1       note F5 dur:quarter vel:90
2.2       note F5 dur:quarter vel:90`,
		`copy @track:"Violin 1","Violin 2" track:Bells reduce:lowest every:half dur:eighth`: `2:
1.1       note A4 dur:eighth vel:40
2.1       note F4 dur:eighth vel:90`,
		`copy @track:"Violin 1" @range:1.2-1.4 track:Bells reduce:highest to:5`: `2:
5.1       note C5 dur:quarter vel:50
5.3       note E5 dur:quarter vel:60`,
	} {
		doc := band(t, duet...)
		doc.Do(op)
		var got []string
		for _, l := range strings.Split(doc.Query("list @track:Bells"), "\n") {
			got = append(got, strings.Replace(l, "Bells: ", "", 1))
		}
		if lines := strings.Split(want, "\n"); strings.Join(got[1:], "\n") != strings.Join(lines[1:], "\n") {
			t.Errorf("%s\ngot\n%s\nwant\n%s", op, strings.Join(got, "\n"), want)
		}
	}
}

func TestReduceCountsNotesNearTheBeat(t *testing.T) {
	doc := band(t, "note Piano C5 dur:ticks:500", "note Piano A4 at:1.2.10", "track add Bells")
	if got, want := doc.Do("copy @track:Piano track:Bells reduce:highest @range:1.1-1.3"), "+ Highest of 2 notes, every beat, 1 rest on Bells at 1.1 to 1.4: 2 notes"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := doc.Query("list @track:Bells"); !strings.Contains(got, "1.2       Bells: note A4") {
		t.Errorf("the legato of the note before hides the one that starts late:\n%s", got)
	}
}

func TestReduceIsRefusedWhereItMakesNothing(t *testing.T) {
	doc := band(t, duet...)
	doc.Fail(`copy @track:"Violin 1" reduce:highest`, "on which track")
	doc.Fail(`copy @track:"Violin 1" reduce:middle track:Bells`, "highest lowest")
	doc.Fail(`copy @track:"Violin 1" @range:9 reduce:highest track:Bells`, "none of these notes sounds there")
	doc.Fail(`copy @track:"Violin 1" track:Bells every:beat`, "for reduce:", "reduce:highest")
	doc.Fail(`copy @track:"Violin 1" track:Bells transpose:99`, "outside MIDI's range")
}
