package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"pgregory.net/rapid"
)

func TestMusicalQueriesAnswerAsWritten(t *testing.T) {
	doc := sketch(t)
	for q, want := range map[string]string{
		"chords": `chords, a bar between strokes, (N) from beat N, % as before, - no chord, ? not sure; in G-major
   1 | G | D/F# |`,
		"key": `signature G-major at 1.1
by the notes: D-major (0.89), then B-minor (0.74), G-major (0.62), F#-minor (0.48); correlation with the Krumhansl-Kessler ratings`,
		"tempo": `1.1       96 bpm, from 0:00.000
3.1       120 bpm, from 0:05.000
3.1       end, 0:05.000`,
		"signatures": `1.1       time 4/4, bars 1-2
3.1       time 3/4
1.1       key G-major (1 sharp)`,
		"instruments violin": ` 40 violin (strings) G3 to A7`,
		"instruments jazz": ` 26 electric-guitar-jazz (guitar) E2 to E6
 32 jazz-kit (drums, channel 10)`,
		"lint": "nothing found",
		"tracker Piano,Drums 1": `tracker Piano,Drums import at:1.1 res:16th ch:1,10
; a row is 16th; columns: Piano | Drums
 0 | G4:w:80 B4:w:80 D5:w:80 | kick:q:80 hihat:q:80  ; 1.1
 4 | .                       | hihat:q:80            ; 1.2
 8 | .                       | snare:q:80 hihat:q:80 ; 1.3
12 | .                       | hihat:q:80            ; 1.4
tracker end`,
	} {
		if got := doc.Query(q); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", q, got, want)
		}
	}
	for q, wants := range map[string][]string{
		"chords 4-2": {"ends before", "chords 2-4"}, "instruments foo": {"no instrument"}, "lint Nobody": {"not found"},
		"tracker Piano,Nobody 1": {"not found", "tracks"}, "tracker Piano 1-2 res:foo": {"duration"},
		"tracker Piano,piano 1": {"named twice"}, "tracker Piano 2-1": {"tracker Piano 1-2"},
	} {
		doc.QueryFails(q, wants...)
	}
}

func TestAnArpeggioOfOctavesGoesUpAllTheWay(t *testing.T) {
	doc := band(t, "arp Piano C pattern:up octaves:2 inv:1 voicing:drop2 dur:quarter bars:2 at:1.1")
	want := "1.1 G3 1.2 E4 1.3 G4 1.4 C5 2.1 E5 2.2 C6 2.3 G3 2.4 E4"
	var got []string
	for line := range strings.Lines(doc.Query("list @track:Piano")) {
		if f := strings.Fields(line); len(f) > 3 {
			got = append(got, f[0], f[3])
		}
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

func TestTheHarmonyOfASongIsCharted(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Changes" key:Bb-major`)
	doc.Do("track add Piano", "track add Drums", "chord Piano Cm7 F7 dur:half at:1.1", "chord Piano Bbmaj7 dur:whole at:2.1", "chord Piano Am7b5 D7 dur:half at:4.1",
		"chord Piano Gm dur:2bars at:5.1", "note Drums kick at:3.1")
	got := doc.Query("chords 1-6")
	want := `chords, a bar between strokes, (N) from beat N, % as before, - no chord, ? not sure; in Bb-major
   1 | Cm7 F7(3) | Bbmaj7 | - | Am7b5 D7(3) |
   5 | Gm | % |`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// piece reads a real file. Those of piano-midi.de are not in this repository because of
// their licence, cc-by-sa.
func piece(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testwasm.DataDir(t, "midi"), file))
	if os.IsNotExist(err) {
		t.Skipf("%s is not here; set FCP_SHARED to the folder that holds data/midi", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheKeysOfRealPiecesAreFound(t *testing.T) {
	for file, key := range map[string]string{"bach_846.mid": "C-major", "bach_850.mid": "D-major", "test-c-major-scale.mid": "C-major"} {
		t.Run(file, func(t *testing.T) {
			got := pdktest.Open(t, domain(), file, piece(t, file)).Query("key")
			if !strings.Contains(got, "by the notes: "+key) {
				t.Errorf("%s, want %s", got, key)
			}
		})
	}
}

func TestTheChordsOfARealPieceAreFound(t *testing.T) {
	data := piece(t, "bach_846.mid")
	// The harmony of the first prelude of the Well-Tempered Clavier; every analysis
	// agrees on it.
	chart := pdktest.Open(t, domain(), "x.mid", data).Query("chords 1-11")
	if got := strings.Fields(strings.NewReplacer("|", " ").Replace(chart[strings.Index(chart, "\n"):])); strings.Join(got, " ") != "1 C Dm7/C G7/B C 5 Am/C D7/C G/B Cmaj7/B 9 Am7 D7 G" {
		t.Errorf("BWV 846 begins %v", got)
	}
}

// notesOf lists the notes of a track with all their properties.
func notesOf(t testing.TB, data []byte, track int) []string {
	t.Helper()
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for e := range s.Music()[track].Events() {
		if e.IsNote() {
			out = append(out, fmt.Sprint(e.Tick, e.Length(), e.Channel(), e.Pitch(), e.Velocity()))
		}
	}
	slices.Sort(out)
	return out
}

func TestATrackerGridSentBackMakesTheSameNotes(t *testing.T) {
	var files []string
	names, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	for _, n := range names {
		if !strings.Contains(n, "not-a-midi") {
			files = append(files, n)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(files).Draw(rt, "file")
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := song.Open(data)
		if err != nil || len(s.Music()) == 0 {
			rt.Skip("nothing to print")
		}
		doc := pdktest.Open(t, domain(), "x.mid", data)
		track := rapid.IntRange(0, len(s.Music())-1).Draw(rt, "track")
		where := "1-8"
		if _, err := s.Meter(nil); err != nil {
			where = "tick:0-tick:100000"
		}
		res := rapid.SampledFrom([]string{"16th", "8t", "ticks:7", "quarter", "32nd"}).Draw(rt, "res")
		if where != "1-8" {
			res = "ticks:50"
		}
		grid := doc.Query(fmt.Sprintf("tracker %d %s res:%s", track+1, where, res))
		if !strings.Contains(grid, " | ") {
			rt.Skip("no notes there")
		}
		before := notesOf(t, doc.Save(), track)
		doc.Do(fmt.Sprintf("remove @track:%d @range:%s", track+1, where))
		if slices.Equal(before, notesOf(t, doc.Save(), track)) {
			rt.Fatal("nothing was removed")
		}
		doc.Do(grid)
		if after := notesOf(t, doc.Save(), track); !slices.Equal(before, after) {
			rt.Fatalf("%s\ngave\n%v\nnot\n%v", grid, after, before)
		}
	})
}

func TestTrackerRefusals(t *testing.T) {
	for op, wants := range map[string][]string{
		"tracker Piano import at:1.1\nx | C4\ntracker end":            {"line 1", "not a row number"},
		"tracker Piano import\n0 | C4\ntracker end":                   {"at:POS"},
		"tracker Piano 1-4\n0 | C4\ntracker end":                      {"the query tracker"},
		"tracker Nobody import at:1.1\n0 | C4\ntracker end":           {"not found"},
		"tracker Piano import at:1.1\n; nothing\ntracker end":         {"holds no notes"},
		"tracker Piano,Bass import at:1.1 ch:1\n0 | C4\ntracker end":  {"names 1 channel for 2 tracks"},
		"tracker Piano import at:1.1 ch:99\n0 | C4\ntracker end":      {"1 to 16"},
		"tracker conductor import at:1.1\n0 | C4\ntracker end":        {"conductor"},
		"tracker Piano import at:tick:268435455\n9 | C4\ntracker end": {"longest song"},
		"tracker Piano import at:1.1 res:0\n9 | C4\ntracker end":      {"duration"},
	} {
		band(t).Fail(op, wants...)
	}
	doc := band(t)
	if got, want := doc.Do("tracker Piano,Drums import at:2.1 res:eighth\n0 | C4:q:ff E4 | kick\n | . | hihat\ntracker end"), "+ 4 notes on Piano, Drums from 2.1 to 2.2, rows of eighth"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := doc.Do("note Piano G4"), "+ Note G4 on Piano at 2.1.240 dur:quarter vel:80"; got != want {
		t.Errorf("after a grid: got %s, want %s", got, want)
	}
}

func TestLintFindsWhatIsWrong(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1 dur:half", "note Piano C4 at:1.2", "note Piano C4 at:5.1", "note Bass C6 at:1.1")
	want := `3 found
Piano:
  starts while the same pitch still sounds, which ends both: C4 at 1.2
  empty bars: 2-4
Bass:
  outside the range of acoustic-bass (E1 to G4): C6 at 1.1`
	if got := doc.Query("lint"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	hidden := band(t, "lyric \"la\u200b\" at:1.1").Query("lint")
	if !strings.Contains(hidden, `holds what nobody sees: lyric at 1.1: 1 hidden character (\u200b)`) {
		t.Error(hidden)
	}
	hanging := "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x01\xE0MTrk\x00\x00\x00\x10\x00\x90\x3C\x40\x60\x80\x3E\x40\x00\x90\x40\x40\x00\xFF\x2F\x00"
	got := pdktest.Open(t, domain(), "x.mid", []byte(hanging)).Query("lint")
	want = `3 found
Track 1:
  never ends (a note-on without its note-off): C4 at 1.1, E4 at 1.1.96
  ends no note (a note-off without its note-on): D4 at 1.1.96`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
