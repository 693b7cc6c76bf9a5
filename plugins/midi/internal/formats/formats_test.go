package formats

import (
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func TestATableHasALineForEachEvent(t *testing.T) {
	s := song.New(song.Setup{Title: "Song", BPM: 120, Num: 4, Den: 4, PPQ: 480})
	if err := (&song.AddTrack{At: 1}).Do(s); err != nil {
		t.Fatal(err)
	}
	x, track := &song.Insert{}, s.Tracks()[1]
	x.Note(track, 2, 61, 70, 64, 480, 240)
	for _, e := range []smf.Event{{Tick: 240, Status: 0xB1, A: 7, B: 90}, {Tick: 960, Status: 0xE1, A: 1, B: 64}, {Tick: 960, Status: 0xA1, A: 60, B: 5}, {Tick: 1440, Status: smf.Meta, A: song.MetaLyric, Payload: []byte("la, la")}} {
		x.Add(track, e)
	}
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	want := `track,name,tick,position,seconds,kind,channel,pitch,note,velocity,length,value,text
0,conductor,0,1.1,0.000000,name,,,,,,,Song
0,conductor,0,1.1,0.000000,time-sig,,,,,,,time-sig 4/4
0,conductor,0,1.1,0.000000,key-sig,,,,,,,key-sig C-major
0,conductor,0,1.1,0.000000,tempo,,,,,,,tempo 120
1,Track 1,240,1.1.240,0.250000,cc,2,,,,,90,volume
1,Track 1,480,1.2,0.500000,note,2,61,C#4,70,240,,
1,Track 1,960,1.3,1.000000,bend,2,,,,,1,
1,Track 1,960,1.3,1.000000,poly-pressure,2,60,C4,,,5,
1,Track 1,1440,1.4,1.500000,lyric,,,,,,,"la, la"
`
	if got := string(eventTable(s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
