package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// sketch makes a short song for the golden answers.
func sketch(t *testing.T) *pdktest.Doc {
	t.Helper()
	return band(t, "key-sig G-major", "tempo 96", "marker Verse at:1.1", "chord Piano G D/F# dur:whole", "note Bass G2 dur:half", "note Bass D2 at:+half dur:half",
		"note Drums kick hihat", "note Drums hihat", "note Drums snare hihat", "note Drums hihat", "tempo 120 at:3.1", "time-sig 3/4 at:3.1", "cc Piano sustain on at:2.1")
}

func TestQueriesAnswerAsWritten(t *testing.T) {
	doc := sketch(t)
	for q, want := range map[string]string{
		"map": `Song: Band
  tempo:96 | 4/4 | G-major | ppqn:480 | format 1 | 2 bars, 0:05.000
  Tempo: 96 at 1.1, 120 at 3.1
  Signatures: 4/4 at 1, 3/4 at 3
  Markers: Verse 1.1
  Tracks (3):
    1. Piano ch:1 acoustic-grand-piano (7 notes, 1.1 to 3.1)
    2. Bass ch:2 acoustic-bass (2 notes, 1.1 to 2.1)
    3. Drums ch:10 standard-kit (6 notes, 1.1 to 2.1)`,
		"tracks": `0. conductor (tempo, signatures, markers: 7 events)
1. Piano ch:1 acoustic-grand-piano (7 notes, 1.1 to 3.1)
2. Bass ch:2 acoustic-bass (2 notes, 1.1 to 2.1)
3. Drums ch:10 standard-kit (6 notes, 1.1 to 2.1)`,
		"events Bass": `1.1       name "Bass"
1.1       program acoustic-bass
1.1       note G2 dur:half vel:80
1.3       note D2 dur:half vel:80`,
		"events * 2.1-2.2": `2.1       Piano: cc sustain 127
2.1       Piano: note F#3 dur:whole vel:80
2.1       Piano: note D4 dur:whole vel:80
2.1       Piano: note F#4 dur:whole vel:80
2.1       Piano: note A4 dur:whole vel:80`,
		"events conductor 3": `3.1       tempo 120
3.1       time-sig 3/4`,
		"events Bass 9-12": "no events there",
		"describe Drums": `3. Drums ch:10 standard-kit (6 notes, 1.1 to 2.1)
  pitches bass-drum-1 to closed-hi-hat, velocities 80 to 80, mean 80, at most 2 at once
  plays in bar 1
  other events: name 1, program 1`,
		"describe n18": `2.1       Piano: note F#3 dur:whole vel:80`,
		"find kick": `1 found:
1.1       Drums: note bass-drum-1 dur:quarter vel:80`,
		"find Am7": `nothing found for "Am7": find takes a pitch (C4, C3-C5), a drum (kick) or a part of a text; chords: list @chord:Am7`,
		"find verse": `1 found:
1.1       conductor: marker "Verse"`,
		"list @track:Bass @pitch:D2": `1:
1.3       Bass: note D2 dur:half vel:80`,
		`list @track:"Drums","Bass" @pitch:D2`: `2:
1.3       Bass: note D2 dur:half vel:80
1.3       Drums: note acoustic-snare dur:quarter vel:80`,
		"list @type:tempo": `2:
1.1       conductor: tempo 96
3.1       conductor: tempo 120`,
		"piano-roll Piano": `Piano 1.1 to 2.4.479, a column is 16th; # starts a note, = holds it
     1   '   '   '   2   '   '   '
 D5 |#===============................|
 B4 |#===============................|
 A4 |................#===============|
 G4 |#===============................|
F#4 |................#===============|
 D4 |................#===============|
F#3 |................#===============|`,
		"piano-roll Drums 1.1-1.4 res:eighth": `Drums 1.1 to 1.4.479, a column is eighth; # starts a note, = holds it
                1 ' ' '
 closed-hi-hat |#=#=#=#=|
acoustic-snare |....#=..|
   bass-drum-1 |#=......|`,
		"stats": `tempo:96 | 4/4 | G-major | ppqn:480 | format 1 | 2 bars, 0:05.000
tracks 3, notes 15, events 44 (note-offs counted)
music ends at 3.1 (tick 3840), 0:05.000; the file ends at tick 3840, 0:05.000
pitches D2 to D5 (drums aside)
velocities 80 to 80, mean 80
tempo 96 to 120 in 2 steps
kinds: note 15, cc 1, program 3, tempo 2, time-sig 2, key-sig 1, marker 1, name 4`,
	} {
		if got := doc.Query(q); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", q, got, want)
		}
	}
}

func TestQueriesRefuseUnknownArguments(t *testing.T) {
	doc := sketch(t)
	for q, wants := range map[string][]string{
		"events Nobody":                   {"not found", "tracks"},
		"events Bass 4-2":                 {"ends before"},
		"list @bogus":                     {"unknown selector"},
		"piano-roll Bass res:foo":         {"duration"},
		"piano-roll Bass 1-2 res:ticks:1": {"columns wide"},
	} {
		doc.QueryFails(q, wants...)
	}
}

func TestAnEmptySongAnswersEveryQuery(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Nothing"`)
	for _, q := range []string{"map", "tracks", "stats", "list", "events *", "describe *", "find C4", "describe conductor", "piano-roll conductor"} {
		if strings.TrimSpace(doc.Query(q)) == "" {
			t.Errorf("%s says nothing", q)
		}
	}
}

func TestStructuralWarningsNameTheirPlaces(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1", "note Piano C4 at:5.1", "note Piano C4 at:7.1", "note Bass C2 at:1.1 dur:whole", "note Bass C2 at:1.2", "track add Solo instrument:flute ch:1", "note Solo C5 at:1.1")
	got := strings.Join(doc.State().Warnings, "\n")
	want := `Piano: empty at bars 2-4, 6
Bass: 1 note starts while the same pitch still sounds, first C2 at 1.2
channel 1: Piano sets it to acoustic-grand-piano and Solo to flute; one of them needs another ch:`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	weights := doc.State().Weights
	reply := doc.Do("bars insert 2 count:4") // the gap grows, which the reply reports; the overlap and the clash are unchanged
	now := doc.State()
	if now.Warnings[0] != "Piano: empty at bars 2-8, 10" || !strings.HasSuffix(reply, "? Piano: empty at bars 2-8") || !slices.Equal(now.Weights, weights) {
		t.Errorf("%s\n%s, weighs %v and weighed %v", reply, now.Warnings[0], now.Weights, weights)
	}
	doc.Do("bars insert 1 count:4")
	if later := doc.State(); !slices.Equal(later.Weights, now.Weights) || slices.Equal(later.Warnings, now.Warnings) {
		t.Errorf("all has moved to %v, which weighs %v and weighed %v", later.Warnings, later.Weights, now.Weights)
	}
}

func TestALongListFoldsEqualEvents(t *testing.T) {
	ops := []string{"note Piano C4 at:1.1", "cc Piano volume 90 at:2.1"}
	for bar := range 12 {
		at := " at:" + strconv.Itoa(bar+1)
		ops = append(ops, "cc Piano reverb 127"+at, "cc Bass reverb 127"+at)
	}
	doc := band(t, ops...)
	if got, want := doc.Query("list @cc"), `25:
1.1 to 12.1: 24 × cc reverb 127 (Piano 12, Bass 12)
2.1       Piano: cc volume 90`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := doc.Query("list @cc @range:1-4"); strings.Count(got, "reverb 127") != 8 {
		t.Errorf("a short list folds its events:\n%s", got)
	}
}
