package writing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestEuclideanRhythmsAreSpreadEvenly(t *testing.T) {
	for s, want := range map[string]string{
		"E(5,8)": "x.x.xx.x", "E(3,8)": "x..x..x.", "e( 4, 16 )": "x...x...x...x...", "E(3,8,1)": "..x..x.x", "E(8,8)": "xxxxxxxx", "E(1,4)": "x...", "E(1,256)": "x" + strings.Repeat(".", 255),
		"E(0,8)": "", "E(9,8)": "", "E(1,257)": "", "E(3)": "", "E(3,8,1,2)": "", "E(3,8": "", "(3,8)": "", "E(a,8)": "",
	} {
		if got, ok := euclid(s); got != want || ok != (want != "") {
			t.Errorf("%s is %q (%v), want %q", s, got, ok, want)
		}
	}
}

func TestPitchesArePlayedInADirection(t *testing.T) {
	for _, c := range []struct {
		direction string
		round     bool
		want      []int
	}{{"up", true, []int{1, 2, 3}}, {"down", true, []int{3, 2, 1}}, {"updown", true, []int{1, 2, 3, 2}}, {"updown", false, []int{1, 2, 3, 2, 1}}} {
		if got := orderPitches([]int{1, 2, 3}, c.direction, c.round); !slices.Equal(got, c.want) {
			t.Errorf("%s, again %v: %v, want %v", c.direction, c.round, got, c.want)
		}
	}
}

func TestRowsOfOtherGridsAreMadeReadable(t *testing.T) {
	rows := padRows(convertMarks([]gridRow{{marks: "o--1 |X"}, {marks: "x?*#zg.r"}}))
	if got := fmt.Sprint(rows[0].marks, ";", rows[1].marks); got != "x--x |X...;x?xx.g.r" {
		t.Errorf("got %s", got)
	}
}

func TestTheNearestOctaveThatFitsIsFound(t *testing.T) {
	for _, c := range []struct{ octave, low, high, want int }{{12, -1, 9, 9}, {4, 6, 9, 6}, {4, -1, 3, 3}, {5, 4, 6, 4}, {3, 20, 30, 0}} {
		want := []string{fmt.Sprint(c.want)}
		if c.low > 9 {
			want = nil
		}
		if got := nearestOctave(c.octave, func(o int) bool { return o != c.octave && o >= c.low && o <= c.high }); !slices.Equal(got, want) {
			t.Errorf("for octave %d, in %d to %d: %v, want %v", c.octave, c.low, c.high, got, want)
		}
	}
}

func TestAccentsAndGhostNotesStayVelocities(t *testing.T) {
	for v, want := range map[int][2]int{80: {112, 40}, 127: {127, 63}, 100: {127, 50}, 1: {1, 1}, 90: {126, 45}} {
		if got := [2]int{accentVelocity(v), ghostVelocity(v)}; got != want {
			t.Errorf("velocity %d: %v, want %v", v, got, want)
		}
	}
}

func TestAPatternOfNumbersHasANote(t *testing.T) {
	for s, want := range map[string]bool{"1323": true, "13.2": true, ".": false, "": false, "10": false, "up": false} {
		if isNoteRow(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
