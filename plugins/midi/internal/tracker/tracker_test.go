package tracker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"pgregory.net/rapid"
)

func TestGridsAreRead(t *testing.T) {
	g := &Grid{PPQ: 480, Step: 120, Channels: []int{1, 10}}
	got, err := g.Parse(strings.Split(`; columns Piano | Drums
0 | C4:q:80 E4:q.:ff | kick ; 1.1

4 | . | snare+7:=90:112
  | ...
  | Bb-1:8t@3 | hihat:s |
17 | midi:60 |`, "\n"))
	if err == nil {
		t.Fatalf("midi:60 is not a cell, and was read: %v", got)
	}
	got, err = g.Parse(strings.Split(`; columns Piano | Drums
0 | C4:q:80 E4:q.:ff | kick ; 1.1

4 | . | snare+7:=90:112
  | ...
  | Bb0:8t@3 | hihat:s |
17 | C4 |`, "\n"))
	want := []Note{
		{0, 0, 0, 480, 60, 80, 1}, {0, 0, 0, 720, 64, 112, 1}, {1, 0, 0, 120, 36, 80, 10}, {1, 4, 7, 90, 38, 112, 10},
		{0, 6, 0, 160, 22, 80, 3}, {1, 6, 0, 120, 42, 80, 10}, {0, 17, 0, 120, 60, 80, 1},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v (%v)\nwant %v", got, err, want)
	}
}

func TestGridErrorsNameTheLine(t *testing.T) {
	g := &Grid{PPQ: 480, Step: 120, Channels: []int{1, 10}}
	for text, want := range map[string]string{
		"C4:q:80": "line 1: \"C4:q:80\" has no cell", "0 | C4\n\nx | C4": "line 3: \"x\" is not a row number", "-1 | C4": "not a row number",
		"0 | C4 | kick | C5": "3 cells for 2 tracks", "0 | H4": "not a note name", "0 | C4:0": "not a length", "0 | C4:q:0": "velocity 0", "0 | C4:q:80:9": "is not PITCH",
		"0 | C4+x": "+ is followed by ticks", "0 | C4:=x": "= is followed by ticks", "0 | C4@17": "1 to 16", "0 | kick": "drums play on channel 10", "0 | C10": "outside the range",
		"99999999 | C4": "not a row number",
	} {
		if got, err := g.Parse(strings.Split(text, "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v (%v), want %q", text, got, err, want)
		}
	}
}

func TestPrintedGridsReadBackAsTheSameNotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Grid{PPQ: rapid.SampledFrom([]int64{0, 1, 96, 480, 960, 32767}).Draw(t, "ppq"), Step: rapid.Int64Range(1, 5000).Draw(t, "step"),
			Channels: rapid.SliceOfN(rapid.IntRange(1, 16), 1, 4).Draw(t, "channels")}
		notes := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Note {
			return Note{Column: rapid.IntRange(0, len(g.Channels)-1).Draw(t, "column"), Row: rapid.IntRange(0, 100).Draw(t, "row"),
				Offset: rapid.Int64Range(0, g.Step-1).Draw(t, "offset"), Length: rapid.Int64Range(0, 1<<28-1).Draw(t, "length"),
				Pitch: rapid.IntRange(0, 127).Draw(t, "pitch"), Velocity: rapid.IntRange(1, 127).Draw(t, "velocity"), Channel: rapid.IntRange(1, 16).Draw(t, "channel")}
		})).Draw(t, "notes")
		slices.SortStableFunc(notes, func(a, b Note) int {
			if a.Row != b.Row {
				return a.Row - b.Row
			}
			return a.Column - b.Column
		})
		k := theory.Key{Fifths: rapid.IntRange(-7, 7).Draw(t, "fifths")}
		lines := g.Rows(notes, k, func(row int) string { return fmt.Sprint(row) })
		back, err := g.Parse(lines)
		if err != nil || !slices.Equal(back, notes) {
			t.Fatalf("%v\nis printed\n%s\nand read as %v (%v)", notes, strings.Join(lines, "\n"), back, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("0 | C4:q:80 E4:q.:ff@3 | kick+7:=90 ; 1.1\n | .")
	f.Fuzz(func(t *testing.T, text string) {
		g := &Grid{PPQ: 480, Step: 120, Channels: []int{1, 10}}
		notes, err := g.Parse(strings.Split(text, "\n"))
		for _, n := range notes {
			if err == nil && (n.Pitch < 0 || n.Pitch > 127 || n.Velocity < 1 || n.Velocity > 127 || n.Channel < 1 || n.Channel > 16 || n.Length < 0 || n.Offset < 0 || n.Row > MaxRow+len(text)) {
				t.Errorf("%q gives %v", text, n)
			}
		}
	})
}
