package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// notesByStart lists what a synthesizer plays of one track, grouped by start:
// TICK+LENGTH: PITCHES.
func notesByStart(t testing.TB, doc *pdktest.Doc, track int) []string {
	t.Helper()
	var out []string
	var tick int64 = -1
	all := listen(t, doc.Save())
	slices.SortStableFunc(all, func(a, b tone) int { return int(a.tick-b.tick)*1000 + a.pitch - b.pitch })
	for _, n := range all {
		if n.track != track {
			continue
		}
		if n.tick != tick {
			out, tick = append(out, fmt.Sprintf("%d+%d:", n.tick, n.length)), n.tick
		}
		out[len(out)-1] += fmt.Sprintf(" %d", n.pitch)
	}
	return out
}

func TestLeadSheetsAreReadAsMusiciansReadThem(t *testing.T) {
	for _, c := range []struct {
		name, song, text string
		want             []string
	}{
		{"two chords share a bar", "", `"Dm7 G7 | Cmaj7"`, []string{"0+960: 62 65 69 72", "960+960: 67 71 74 77", "1920+1920: 60 64 67 71"}},
		{"of three the first gets more", "", `"| C F G | C |"`, []string{"0+960: 60 64 67", "960+480: 65 69 72", "1440+480: 67 71 74", "1920+1920: 60 64 67"}},
		{"in any time", "time-sig:3/4", `"C G | Am"`, []string{"0+960: 60 64 67", "960+480: 67 71 74", "1440+1440: 69 72 76"}},
		{"strokes are beats", "", `"C / / G7"`, []string{"0+1920: 60 64 67", "1920+1920: 60 64 67", "3840+1920: 60 64 67", "5760+1920: 67 71 74 77"}},
		{"strokes are beats of a bar", "", `"C / / G7 | F"`, []string{"0+1440: 60 64 67", "1440+480: 67 71 74 77", "1920+1920: 65 69 72"}},
		{"a bar comes again", "", `"Am G | % | F"`, []string{"0+960: 69 72 76", "960+960: 67 71 74", "1920+960: 69 72 76", "2880+960: 67 71 74", "3840+1920: 65 69 72"}},
		{"silence", "", `"C N.C. | rest | F"`, []string{"0+960: 60 64 67", "3840+1920: 65 69 72"}},
		{"a chord may say how long it is", "", `"C:half. G | Am"`, []string{"0+1440: 60 64 67", "1440+480: 67 71 74", "1920+1920: 69 72 76"}},
		{"flat degrees of minor are those of its scale", "key:C-minor", `"i bVI bIII bVII"`, []string{"0+1920: 60 63 67", "1920+1920: 68 72 75", "3840+1920: 63 67 70", "5760+1920: 70 74 77"}},
		{"a dominant of the dominant", "", `"V7/V V7 I"`, []string{"0+1920: 62 66 69 72", "1920+1920: 67 71 74 77", "3840+1920: 60 64 67"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := pdktest.New(t, domain(), `"S" `+c.song)
			doc.Do("track add Piano", "progression Piano "+c.text)
			if got := notesByStart(t, doc, 1); !slices.Equal(got, c.want) {
				t.Errorf("%s sounds\n%v, want\n%v", c.text, got, c.want)
			}
		})
	}
	doc := band(t)
	doc.Fail(`progression Piano "C:half Am:half G | F"`, "do not fill it")
	doc.Fail(`progression Piano "C:half | F"`, "do not fill it")
	doc.Fail(`progression Piano "Dm7 G7 | C" dur:half`, "bar lines", `try: progression Piano "Dm7 G7 | C"`)
	doc.Fail(`progression Piano "%"`, "none")
}

func TestVoicesMoveLittleWhereChordsAreLed(t *testing.T) {
	doc := band(t, `progression Piano "Am7 | Fmaj7 | Dm7 | E7 | Am7" voicing:lead`, `progression Bass "Dm7 G7 Cmaj7" voicing:shell oct:3`)
	if got, want := notesByStart(t, doc, 1), []string{"0+1920: 69 72 76 79", "1920+1920: 69 72 76 77", "3840+1920: 69 72 74 77", "5760+1920: 68 71 74 76", "7680+1920: 67 69 72 76"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := notesByStart(t, doc, 2), []string{"0+1920: 50 53 60", "1920+1920: 55 59 65", "3840+1920: 48 52 59"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOverReplacesNotes(t *testing.T) {
	doc := band(t, "line Piano \"C4 h., D4 q, E4 w\"", "beat Drums kick:x...x...x...x... count:2", "note Piano C5 at:1.1 ch:2")
	doc.Do(`progression Piano "F G" at:1.3 dur:half over:true`, "beat Drums snare:x.x.x.x. at:2.1 over:true")
	if got, want := notesByStart(t, doc, 1), []string{"0+960: 60 72", "960+960: 65 69 72", "1920+960: 67 71 74"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := notesByStart(t, doc, 3), []string{"0+120: 36", "480+120: 36", "960+120: 36", "1440+120: 36", "1920+120: 38", "2160+120: 38", "2400+120: 38", "2640+120: 38", "2880+120: 36", "3360+120: 36"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestACopyOverReplacesWhatIsThere(t *testing.T) {
	doc := band(t, "beat Drums kick:x.x. snare:..x. res:quarter", "beat Drums hihat:xxxx res:quarter count:2 at:2.1", "note Piano C4 at:2.1")
	doc.Do("copy @track:Drums @range:1-1 to:2.1 over:true")
	if got, want := notesByStart(t, doc, 3), []string{"0+480: 36", "960+480: 36 38", "1920+480: 36", "2880+480: 36 38", "3840+480: 42", "4320+480: 42", "4800+480: 42", "5280+480: 42"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := notesByStart(t, doc, 1); len(got) != 1 {
		t.Errorf("the piano plays %v", got)
	}
}

func TestOtherChordsComeInTheSameRhythm(t *testing.T) {
	doc := band(t, `chord Piano C C dur:q at:1.1`, "chord Piano C voicing:open at:1.4 dur:q", "note Piano G4 B4 D5 at:2.1 dur:whole", `line Bass "C2 h, G2 h, G2 w"`)
	doc.Do(`reharmonize "Am | E7" @all`)
	if got, want := notesByStart(t, doc, 1), []string{"0+480: 60 64 69", "480+480: 60 64 69", "1440+480: 60 69 76", "1920+1920: 64 68 74"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := notesByStart(t, doc, 2), []string{"0+960: 33", "960+960: 40", "1920+1920: 40"}; !slices.Equal(got, want) {
		t.Errorf("the bass plays %v, want %v", got, want)
	}
	doc.Fail(`reharmonize "Am" @track:Piano @range:9-9`, "nothing matches")
	doc.Fail(`reharmonize "Am"`, "what?")
}

func TestAMelodyInOctavesIsAnUncertainHarmony(t *testing.T) {
	doc := pdktest.New(t, domain(), `"The Entertainer" time-sig:2/4`)
	doc.Do("track add R", "track add L", `line R "D6 s, E6 s, C6 s, A5 e, B5 s, G5 e" at:1.1`, `line L "D5 s, E5 s, C5 s, A4 e, B4 s, G4 e" at:1.1`, "arp R C Am7 dur:eighth bars:1 at:2.1")
	if got := doc.Query("chords"); !strings.Contains(got, "| C6/9/A? Gadd9?(2) | C | Am7 |") {
		t.Errorf("it hears\n%s", got)
	}
}

func TestNotesGoToTheNearestOfAScaleOrAChord(t *testing.T) {
	doc := band(t, `line Piano "G4 q, G#4 q, Bb4 q, D5 q, F#5 q"`, "chord Bass Am dur:2bars oct:2 at:1.1")
	if got, want := doc.Query("off-scale A-harmonic-minor @track:Piano"), "3 of 5 off A-harmonic-minor:"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	doc.Do("snap @track:Piano to:A-harmonic-minor")
	if got, want := notesByStart(t, doc, 1), []string{"0+480: 68", "480+480: 68", "960+480: 69", "1440+480: 74", "1920+480: 77"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	doc.Do("snap @track:Piano to:chords")
	if got, want := notesByStart(t, doc, 1), []string{"0+480: 69", "480+480: 69", "960+480: 69", "1440+480: 72", "1920+480: 76"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := doc.Query("off-scale Am @track:Piano"), "all 5 notes belong to A-minor (drums aside)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// If the nearest pitch already sounds, the note goes to another one.
	doc = band(t, "note Piano C4 C#4 E4 F#4 dur:half", "note Piano D#4 dur:quarter at:1.2", "note Piano C#4 at:1.3")
	doc.Do("snap @track:Piano to:C-major")
	if got, want := notesByStart(t, doc, 1), []string{"0+960: 60 62 64 65", "480+480: 59", "960+480: 60"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	band(t, "note Piano C#4").Fail("snap @track:Piano to:D-dorain", "unknown scale", "try: snap @track:Piano to:D-dorian")
	doc.Fail("snap @track:Piano", "to:KEY")
}

func TestAMelodyIsHarmonizedInItsKey(t *testing.T) {
	for key, c := range map[string]struct{ melody, want string }{
		"C-major": {"C4 q, C4 q, G4 q, G4 q, A4 q, A4 q, G4 h, F4 q, F4 q, E4 q, E4 q, D4 q, D4 q, C4 h", "C F C"},
		"A-minor": {"A4 h, C5 h, B4 h, G#4 h, A4 w", "Am E Am"},
	} {
		doc := pdktest.New(t, domain(), `"S" key:`+key)
		doc.Do("track add Lead", "track add Chords", "line Lead \""+c.melody+"\"")
		said := doc.Do("harmonize Chords @track:Lead voicing:lead oct:3")
		chords := strings.Fields(said[strings.Index(said, "Harmony ")+8 : strings.Index(said, " on Chords")])
		if key == "A-minor" && strings.Join(chords, " ") != c.want {
			t.Errorf("%s: %v, want %s", key, chords, c.want)
		}
		if chords[0] != c.want[:strings.IndexByte(c.want, ' ')] || chords[len(chords)-1] != chords[0] {
			t.Errorf("%s: %v neither begins nor ends at home", key, chords)
		}
		for _, n := range listen(t, doc.Save()) {
			if n.track == 2 && n.pitch >= 60+12 {
				t.Errorf("a chord lies over the melody: %v", n)
			}
		}
	}
}

func TestTheChartHearsWhatMusiciansHear(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
		q    string
		want string
	}{
		{"a melody that passes over chords", []string{`progression Piano "G | Em7" oct:3`, `line Bass "G1 w, E1 w"`, `line Flute "B4 q, A4 e, G4 e, A4 q, B4 q, B4 e, A4 e, G4 q, F#4 e, E4 q."`}, "chords", "1 | G | Em7 |"},
		{"the bass under a chord that stays", []string{`progression Piano "C | C | Am" oct:3`, `line Bass "C2 w, C2 w, A1 w"`}, "chords", "1 | C | % | Am |"},
		{"silence is silence", []string{`progression Piano "C | N.C. | N.C. | C"`}, "chords", "1 | C | - | - | C |"},
		{"some tracks alone", []string{`progression Piano "Am | F" oct:3`, `line Flute "C#5 w, B4 w"`, `line Bass "D2 w, G2 w"`}, "chords Piano", "1 | Am | F |"},
		{"what is selected alone", []string{`progression Piano "Am | F" oct:3`, `line Flute "C#5 w, B4 w"`}, "chords 2 @track:Piano", "2 | F |"},
		{"flats where they belong", []string{`progression Piano "Bb7 | Ab/C | Eb | Fm7"`}, "chords", "1 | Bb7 | Ab/C | Eb | Fm7 |"},
		{"a melody alone makes no chord it does not have", []string{`line Flute "D6 s, E6 s, C6 s, A5 e, B5 s, G5 e, D5 s, E5 s, C5 s, A4 e, B4 s, G4 e"`}, "chords", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := band(t, append([]string{"track add Flute instrument:flute"}, c.ops...)...)
			got := doc.Query(c.q)
			chart := strings.TrimSpace(got[strings.Index(got, "\n"):])
			if c.want == "" {
				if strings.Contains(chart, "11") || strings.Contains(chart, "#") {
					t.Errorf("%s", chart)
				}
			} else if chart != c.want {
				t.Errorf("got\n%s\nwant\n%s", chart, c.want)
			}
		})
	}
	doc := band(t, "chord Piano Bb7")
	if got := doc.Query("events Piano 1"); !strings.Contains(got, "note Bb4") || !strings.Contains(got, "note Ab5") {
		t.Errorf("Bb7 is written as\n%s", got)
	}
	doc.QueryFails("chords Paino", "not found", "try query: chords Piano")
	doc.QueryFails("chords @track:Nobody", "not found")
	doc.QueryFails("off-scale H", "root")
}

func TestChordsAreStruckInARhythm(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{`chord Piano C5 rhythm:.x=.X=g. dur:1bar`, "240+480 v80, 960+480 v112, 1440+240 v40"},
		{`progression Piano "C5 G5 | F5" rhythm:x==.x==.`, "0+720 v80, 960+720 v80, 1920+720 v80, 2880+720 v80"},
		{`progression Piano "C5 G5" dur:3beats rhythm:x==xx===`, "0+720 v80, 720+240 v80, 960+480 v80, 1920+720 v80, 2640+240 v80"}, // a chord stops the one before it, and its first note waits for a stroke
		{`chord Piano C5 at:1.3 dur:half rhythm:x.x.`, "960+480 v80"},
		{`chord Piano C5 strum:ticks:10 dur:1bar rhythm:x...`, "0+480 v80, 10+470 v80"},
	} {
		doc := band(t, c.op)
		var got []string
		for _, n := range listen(t, doc.Save()) {
			got = append(got, fmt.Sprintf("%d+%d v%d", n.tick, n.length, n.vel))
		}
		got = slices.Compact(got)
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s plays %s, want %s", c.op, s, c.want)
		}
	}
	doc := band(t)
	doc.Fail("chord Piano C rhythm:x.o", "equal steps")
	doc.Fail("chord Piano C rhythm:=.", "equal steps")
}
