package args

import (
	"slices"
	"testing"
)

func TestAQuotientIsRoundedToTheNearestNumber(t *testing.T) {
	for _, c := range [][3]int64{{7, 2, 4}, {-7, 2, -4}, {5, 3, 2}, {4, 3, 1}, {-4, 3, -1}, {-5, 3, -2}, {0, 9, 0}} {
		if got := RoundDiv(c[0], c[1]); got != c[2] {
			t.Errorf("%d/%d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// Cells of a third of 100 ticks start at 0, 33, 67, 100, …: each is found from every tick in it.
func TestATickIsInTheCellWhoseLinesEncloseIt(t *testing.T) {
	g := Cells{100, 3}
	for k, want := range []int64{0, 33, 67, 100, 133, 167} {
		if got := g.Line(int64(k)); got != want {
			t.Errorf("cell %d starts at %d, want %d", k, got, want)
		}
	}
	for tick := range int64(500) {
		if k := g.Cell(tick); g.Line(k) > tick || g.Line(k+1) <= tick {
			t.Errorf("tick %d is said to be in cell %d, from %d to %d", tick, k, g.Line(k), g.Line(k+1))
		}
	}
}

func TestAPairOfCellsFindsItsOffbeat(t *testing.T) {
	for _, c := range []struct {
		starts  []int64 // in a pair of 240 ticks, whose offbeat goes to 160
		offbeat int64
		triplet []int64 // starts that belong to a triplet
	}{
		{[]int64{0, 120}, 120, nil},
		{[]int64{0, 160}, 160, nil},
		{[]int64{0, 80, 160}, 160, []int64{80}},
		{[]int64{0, 60, 120, 180}, 120, nil},
		{[]int64{0, 178}, 0, nil}, // 74 percent of the pair is too late
		{[]int64{0, 177}, 177, nil},
		{[]int64{0, 110}, 110, nil},
		{[]int64{0, 109}, 0, nil}, // more than a 24th of the pair too early
		{[]int64{0, 130}, 130, nil},
		{[]int64{0, 112, 124}, 124, nil}, // the nearer one to the middle
	} {
		p := &pair{middle: 120, end: 240, swung: 160, starts: c.starts}
		if p.find(); p.offbeat != c.offbeat {
			t.Errorf("of %v the offbeat is %d, want %d", c.starts, p.offbeat, c.offbeat)
		}
		for _, at := range c.starts {
			if p.triplet(at) != slices.Contains(c.triplet, at) && at != 160 {
				t.Errorf("of %v, %d belongs to a triplet: %v", c.starts, at, p.triplet(at))
			}
		}
	}
}

func TestANoteMoreThanATwentyFourthTooEarlyIsNoOffbeat(t *testing.T) {
	for at, want := range map[int64]int64{550: 550, 549: 0} {
		p := &pair{middle: 600, end: 1200, swung: 800, starts: []int64{0, at}}
		if p.find(); p.offbeat != want {
			t.Errorf("of %d the offbeat is %d, want %d", at, p.offbeat, want)
		}
	}
}

func TestWhatIsAroundAnOffbeatMovesInProportion(t *testing.T) {
	p := &pair{middle: 120, end: 240, swung: 160, offbeat: 130}
	for at, want := range map[int64]int64{0: 0, 65: 80, 130: 160, 120: 160, 185: 200, 240: 240} {
		if got := p.move(at); got != want {
			t.Errorf("%d goes to %d, want %d", at, got, want)
		}
	}
}

func TestABankIsANumberOrTwoBytes(t *testing.T) {
	for s, want := range map[string]int{"0": 0, "16383": 16383, "16384": -1, "3.12": 3<<7 | 12, "127.127": 16383, "128.0": -1, "1.128": -1, "1.": -1, "x": -1} {
		got, err := bank.Parse(s)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("bank %s is read as %d, want %d", s, got, want)
		}
	}
}
