package selector

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// sketch makes a song in 4/4 of 480 ticks a quarter with notes PITCH at TICK, on one track.
func sketch(t *testing.T, notes ...[2]int64) *song.Song {
	t.Helper()
	s := song.New(song.Setup{BPM: 120, Num: 4, Den: 4, PPQ: 480})
	if err := (&song.AddTrack{At: 1}).Do(s); err != nil {
		t.Fatal(err)
	}
	x := &song.Insert{}
	for _, n := range notes {
		x.Note(s.Tracks()[1], 1, int(n[0]), 64, 64, n[1], 240)
	}
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPitchesAreNotesDrumsAndRanges(t *testing.T) {
	for v, want := range map[string]string{"C4": "{60 60 false}", "C3-C5": "{48 72 false}", "C-1-C0": "{0 12 false}", "C-1": "{0 0 false}", "kick": "{36 36 true}", "C4-C4": "{60 60 false}", "midi:36-midi:40": "{36 40 false}",
		"C5-C3": "", "H4": "", "C4-": "", "-C4": "", "": ""} {
		p, err := ParsePitches(v)
		if got := fmt.Sprint(p); err == nil && got != want || err != nil && want != "" {
			t.Errorf("%q is read as %s, %v, want %s", v, got, err, want)
		}
	}
}

// matched lists the pitches of the notes that selectors match.
func matched(s *song.Song, sels ...abi.Select) (out []int) {
	found, err := Elements(s, nil, sels, false)
	if err != nil {
		return nil
	}
	for _, e := range found {
		out = append(out, e.Pitch())
	}
	return out
}

func TestNotesAreSelectedByBeatChordAndVoice(t *testing.T) {
	s := sketch(t, [2]int64{60, 0}, [2]int64{64, 10}, [2]int64{67, 30}, [2]int64{72, 61}, [2]int64{62, 480}, [2]int64{65, 480}, [2]int64{50, 1920})
	for _, c := range []struct {
		typ, value string
		want       []int
	}{
		{"chord", "", []int{60, 64, 67}}, {"chord", "C", []int{60, 64, 67}}, {"chord", "C/E", nil}, {"chord", "Am", nil}, // 72 starts more than a 64th, 30 ticks, later
		{"beat", "1", []int{60, 64, 67, 72, 50}}, {"beat", "2", []int{62, 65}}, {"beat", "2-4", []int{62, 65}}, {"beat", "1,2", []int{60, 64, 67, 72, 62, 65, 50}}, {"beat", "3", nil}, {"beat", "0", nil},
		{"highest", "", []int{67, 72, 65, 50}}, {"lowest", "", []int{60, 62, 50}},
		{"above", "D4", []int{64, 67, 72, 62, 65}}, {"below", "D4", []int{60, 50}},
		{"velocity", "60-64", []int{60, 64, 67, 72, 62, 65, 50}}, {"velocity", "65-70", nil}, {"range", "1.2-1.2", []int{62, 65}},
	} {
		if got := matched(s, abi.Select{Type: c.typ, Value: c.value}); !slices.Equal(got, c.want) {
			t.Errorf("@%s:%s matches %v, want %v", c.typ, c.value, got, c.want)
		}
	}
}

func TestSelectorsAreMendedOneByOne(t *testing.T) {
	s := sketch(t, [2]int64{60, 0})
	for _, c := range [][3]string{
		{"range", "2-1", "1-2"}, {"pitch", "C5-C3", "C3-C5"}, {"pitch", "kik", "kick"}, {"velocity", "90-60", "60-90"}, {"channel", "1-20", "1-16"}, {"beat", "3-1", "1-3"},
		{"hand", "lef", "left"}, {"cc", "volum", "volume"}, {"type", "nte", "note"}, {"pitch", "H", ""}, {"range", "x", ""},
	} {
		mended, _ := Mend(s, []abi.Select{{Type: c[0], Value: c[1]}}, false)
		if got := mended; c[2] == "" && got != nil || c[2] != "" && (len(got) != 1 || got[0].Value != c[2] || got[0].Type != c[0]) {
			t.Errorf("@%s:%s becomes %v, want %s", c[0], c[1], got, c[2])
		}
	}
	if mended, _ := Mend(s, []abi.Select{{Type: "drums", Value: "kick"}}, false); len(mended) != 1 || mended[0].Type != "pitch" {
		t.Errorf("@drums:kick becomes %v", mended)
	}
}
