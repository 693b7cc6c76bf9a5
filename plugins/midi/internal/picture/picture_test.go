package picture

import (
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func TestAPictureIsAsWideAsItsQuarters(t *testing.T) {
	s := song.New(song.Setup{BPM: 120, Num: 4, Den: 4, PPQ: 480})
	for quarters, want := range map[int64]int{1: 800, 21: 800, 22: 812, 64: 2156, 1000: MaxWidth} {
		if got := Width(s, 480, 480+quarters*480); got != want {
			t.Errorf("%d quarters are %d pixels wide, want %d", quarters, got, want)
		}
	}
}

func TestNotesArePlacedByTimeAndPitch(t *testing.T) {
	s := song.New(song.Setup{BPM: 120, Num: 4, Den: 4, PPQ: 480})
	if err := (&song.AddTrack{At: 1}).Do(s); err != nil {
		t.Fatal(err)
	}
	x := &song.Insert{}
	x.Note(s.Tracks()[1], 1, 60, 64, 64, 0, 480)
	x.Note(s.Tracks()[1], 1, 62, 64, 64, 960, 960)
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	_, places, at := Places(s, 0, 1920, 908) // 800 pixels for four quarters
	if len(places) != 2 || places[0].X != left || places[1].X != left+400 || places[1].Width < 395 || places[1].Width > 400 || places[1].Y >= places[0].Y {
		t.Errorf("got %+v", places)
	}
	if at(480) != left+200 {
		t.Errorf("beat 2 is at %g", at(480))
	}
}
