package editing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// note makes a note on channel 1 that belongs to no track.
func note(pitch, velocity byte, from, to int64) *song.Event {
	on := &song.Event{Event: smf.Event{Tick: from, Status: 0x90, A: pitch, B: velocity}}
	on.Mate = &song.Event{Event: smf.Event{Tick: to, Status: 0x80, A: pitch}, Mate: on}
	return on
}

func TestThePitchNearestInASetIsFound(t *testing.T) {
	major := theory.ClassesOf(60, 64, 67) // C E G
	for pitch, want := range map[int]int{60: 60, 61: 60, 62: 60, 63: 64, 65: 64, 66: 67, 127: 127, 0: 0, 126: 127} {
		if got := nearest(pitch, major); got != want {
			t.Errorf("nearest to %d is %d, want %d", pitch, got, want)
		}
	}
	if got := nearest(61, 0); got != 61 {
		t.Errorf("without a set %d", got)
	}
	if got := nearestOf(61, major, func(p int) bool { return p > 60 }); got != 64 {
		t.Errorf("above 60 it is %d", got)
	}
	if got := nearestOf(61, major, func(int) bool { return false }); got != 60 {
		t.Errorf("if all are taken it is %d", got)
	}
}

func TestATranspositionIsReducedToWhatFits(t *testing.T) {
	notes := []*song.Event{note(20, 64, 0, 1), note(100, 64, 0, 1)}
	for _, c := range []struct {
		n     int
		steps bool
		want  string
	}{{40, false, "[+27]"}, {-40, false, "[-20]"}, {36, false, "[+24]"}, {-24, false, "[-12]"}, {40, true, "[]"}} {
		if got := fmt.Sprint(closestTransposition(notes, c.n, c.steps)); got != c.want {
			t.Errorf("by %d: %s, want %s", c.n, got, c.want)
		}
	}
	if got := closestTransposition([]*song.Event{note(127, 64, 0, 1)}, 1, false); got != nil {
		t.Errorf("where nothing fits: %v", got)
	}
}

func TestTheOutermostNoteThatSoundsIsHeard(t *testing.T) {
	low, high, louder := note(60, 64, 0, 480), note(72, 64, 100, 480), note(72, 90, 100, 480)
	notes := []*song.Event{low, high, louder}
	for _, c := range []struct {
		tick    int64
		highest bool
		want    *song.Event
	}{{0, true, low}, {90, true, louder}, {89, true, low}, {200, true, louder}, {200, false, low}, {469, true, louder}, {470, true, nil}, {480, false, nil}} {
		if got := soundingAt(notes, c.tick, 10, c.highest); got != c.want {
			t.Errorf("at %d, highest %v: %v", c.tick, c.highest, got)
		}
	}
}

func TestLoudnessIsAddedScaledOrSet(t *testing.T) {
	for s, want := range map[string]float64{"+10": 90, "-127": -47, "x0.5": 40, "*2": 160, "X127": 10160, "=90": 90, "90": 90, "mf": 80, "ff": 112} {
		if f, err := parseLoudness(s); err != nil || f(80) != want {
			t.Errorf("%s of 80: %v, want %v", s, err, want)
		}
	}
	for _, s := range []string{"", "+128", "-128", "x0", "x127.1", "x", "=", "=0", "128", "loud"} {
		if _, err := parseLoudness(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestTheSameSeedGivesTheSameNudges(t *testing.T) {
	a, b := randomNudges(200, 7, 10, 8), randomNudges(200, 7, 10, 8)
	if !slices.Equal(a, b) || slices.Equal(a, randomNudges(200, 8, 10, 8)) {
		t.Error("seeds and nudges do not belong together")
	}
	late := func(x, y nudge) int { return int(x.late - y.late) }
	louder := func(x, y nudge) int { return x.louder - y.louder }
	if l, h := slices.MinFunc(a, late).late, slices.MaxFunc(a, late).late; l != -10 || h != 10 {
		t.Errorf("200 notes are %d to %d ticks late", l, h)
	}
	if l, h := slices.MinFunc(a, louder).louder, slices.MaxFunc(a, louder).louder; l != -8 || h != 8 {
		t.Errorf("200 notes are %d to %d louder", l, h)
	}
}

func TestVoicesLeadToTheNearestTonesOfAChord(t *testing.T) {
	group := []*song.Event{note(60, 64, 0, 1), note(64, 64, 0, 1), note(67, 64, 0, 1)} // C E G
	for symbol, want := range map[string][]int{"F": {60, 65, 69}, "G": {59, 62, 67}, "Am": {60, 64, 69}, "C": {60, 64, 67}, "Dm7": {60, 62, 65}} {
		chord, err := theory.ParseChord(symbol)
		if err != nil {
			t.Fatal(err)
		}
		if got := leadVoices(group, nil, &chord); !slices.Equal(got, want) {
			t.Errorf("C to %s: %v, want %v", symbol, got, want)
		}
	}
}
