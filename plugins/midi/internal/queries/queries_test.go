package queries

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func TestTimesAreRoundedToMilliseconds(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0:00.000", 0.0004: "0:00.000", 0.0005: "0:00.001", 59.9996: "1:00.000", 61.25: "1:01.250", 3600: "60:00.000"} {
		if got := minutes(seconds); got != want {
			t.Errorf("%g seconds are %s, want %s", seconds, got, want)
		}
	}
}

func TestAKeyIsHeardUntilThePedalComesUp(t *testing.T) {
	e := &ear{}
	for _, c := range []struct {
		value int
		at    int64
	}{{63, 50}, {64, 100}, {127, 150}, {63, 200}, {100, 300}, {0, 400}} {
		e.control(sustain, c.value, c.at)
	}
	for off, want := range map[int64]int64{90: 90, 100: 100, 101: 200, 199: 200, 200: 200, 250: 250, 301: 400, 500: 500} {
		if got := e.until(off); got != want {
			t.Errorf("released at %d, it sounds until %d, want %d", off, got, want)
		}
	}
}

func TestAFindingNamesItsFirstPlaces(t *testing.T) {
	f := &finding{what: "empty bars"}
	var b strings.Builder
	if n := f.report(&b); n != 0 || b.Len() > 0 {
		t.Errorf("without places %d: %s", n, b.String())
	}
	for i := range 8 {
		f.add(fmt.Sprint(i + 1))
	}
	if n := f.report(&b); n != 8 || b.String() != "  empty bars: 1, 2, 3, 4, 5, 6 and 2 more\n" {
		t.Errorf("%d: %s", n, b.String())
	}
}

func TestAPictureHasPagesOfBars(t *testing.T) {
	s := song.New(song.Setup{BPM: 120, Num: 4, Den: 4, PPQ: 480})
	if err := (&song.AddTrack{At: 1}).Do(s); err != nil {
		t.Fatal(err)
	}
	x := &song.Insert{}
	x.Note(s.Tracks()[1], 1, 60, 64, 64, 16*1920, 480) // in bar 17
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[int]string{1: "0 30720 [[1 16] [17 17]] <nil>", 2: "30720 32640 [[1 16] [17 17]] <nil>", 3: "0 0 [] there are pages 1 to 2"} {
		from, to, pages, err := pageOf(s, page)
		if got := fmt.Sprint(from, to, pages, err); got != want {
			t.Errorf("page %d: %s, want %s", page, got, want)
		}
	}
}
