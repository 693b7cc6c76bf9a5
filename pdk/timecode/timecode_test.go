package timecode

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/pdk/value"
)

var (
	fps30 = Rate{30, 1}
	ntsc  = Rate{30000, 1001}
)

func TestTimesAreReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		text   string
		rate   Rate
		frames int
		exact  bool
	}{
		{"10s", fps30, 300, true}, {"10", fps30, 300, true}, {"1.5s", fps30, 45, true}, {"1m32s", fps30, 2760, true}, {"1h", fps30, 108000, true}, {"2h1m0.1s", Rate{10, 1}, 72601, true},
		{"500ms", fps30, 15, true}, {"1s500ms", fps30, 45, true}, {"00:01:02,500", fps30, 1875, true}, {"01:02,5", fps30, 1875, true}, {"1.5m", fps30, 2700, true}, {"00:01:32.5", fps30, 2775, true}, {"01:32", fps30, 2760, true}, {"00:01:32:12", fps30, 2772, true}, {"250f", fps30, 250, true}, {"0s", fps30, 0, true},
		{"1m32", fps30, 2760, true}, {"90m", Rate{24, 1}, 129600, true}, {"1.01s", fps30, 30, false}, {"1.02s", fps30, 31, false}, {"10s", ntsc, 300, false}, {"1001s", ntsc, 30000, true},
		{"00:01:00;02", ntsc, 1800, true}, {"00:10:00;00", ntsc, 17982, true}, {"01:00:00;00", ntsc, 107892, true}, {"00:01:00:00", ntsc, 1800, true},
	} {
		l, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if f, exact, err := l.In(c.rate); f != c.frames || exact != c.exact || err != nil {
			t.Errorf("%s at %s is frame %d, exact %v, %v; want %d, %v", c.text, c.rate, f, exact, err, c.frames, c.exact)
		}
	}
}

// frames reads a text at a rate.
func frames(text string, r Rate) (int, error) {
	l, err := Parse(text)
	if err != nil {
		return 0, err
	}
	n, _, err := l.In(r)
	return n, err
}

func TestInvalidTimesAreRefused(t *testing.T) {
	for _, text := range []string{"", "s", "m", "-1s", "1s2m", "ten", "1:2:3:4:5", "00:61:00:00", "00:00:00:30", "00:00:10;00", "1e9s", "99999999f", "200h", "1.2.3", "f", "ms", "10 s", "0x10", "1,5s", "1:", ":5", "1.s", ".5s", "00;00:00:10", "1s500msm", "+1f"} {
		if n, err := frames(text, fps30); err == nil {
			t.Errorf("%q is read as frame %d", text, n)
		}
	}
	for text, why := range map[string]string{"00:01:00;01": "leave out", "00:00:00:30": "from 0 to 29", "00:61:00": "more than 59", "100h1s": "a hundred hours"} {
		if _, err := frames(text, ntsc); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s is refused as %v, want %s", text, err, why)
		}
	}
}

func TestShiftsHaveSigns(t *testing.T) {
	for text, want := range map[string]int{"-200ms": -6, "+2s": 60, "2s": 60, "-00:00:01:15": -45, "-12f": -12, "-00:00:01,5": -45} {
		l, err := Shift.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if n, exact, err := l.In(fps30); n != want || !exact || err != nil || l.Signed == (text == "2s") {
			t.Errorf("%s is %d frames, exact %v, signed %v, %v; want %d", text, n, exact, l.Signed, err, want)
		}
	}
	for _, text := range []string{"--1s", "+-1s", "-", "1s-"} {
		if l, err := Shift.Parse(text); err == nil {
			t.Errorf("%s is read as %+v", text, l)
		}
	}
}

func TestARefusalSuggestsTheTimeThatWasMeant(t *testing.T) {
	for text, want := range map[string]string{"2 sec": "2s", "1,5s": "1.5s", "3seconds": "3s", "soon": "", "": ""} {
		_, err := Time.Parse(text)
		var no *value.Invalid
		if !errors.As(err, &no) || strings.Join(no.Near, " ") != want {
			t.Errorf("%q is refused with %+v, want %q", text, err, want)
		}
	}
}

func TestRatesArePrintedAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]Rate{"30": {30, 1}, "29.97": {30000, 1001}, "23.976": {24000, 1001}, "23.98": {24000, 1001}, "59.94fps": {60000, 1001}, "12.5": {25, 2}, "30000/1001": {30000, 1001}, "25/1": {25, 1}, "50/2": {25, 1}, "1": {1, 1}, "240": {240, 1}} {
		got, err := ParseRate(text)
		if err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
		if back, err := ParseRate(got.String()); err != nil || back != got {
			t.Errorf("%v is told as %s, which is %v, %v", got, got, back, err)
		}
	}
	for _, text := range []string{"", "0", "0/0", "-25", "NaN", "Inf", "241", "1/2", "1e400", "a/b"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q is a rate, %v", text, got)
		}
	}
}

func TestPrintedTimesParseToTheSameFrame(t *testing.T) {
	rates := []Rate{{24, 1}, {25, 1}, fps30, {60, 1}, {240, 1}, ntsc, {24000, 1001}, {60000, 1001}, {25, 2}}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(rates).Draw(t, "rate")
		f := rapid.IntRange(0, 4_000_000).Draw(t, "frames")
		texts := []string{r.Text(f), r.Clock(f), r.Timecode(f, false)}
		if r.DropFrame() {
			texts = append(texts, r.Timecode(f, true))
		}
		for _, text := range texts {
			back, err := frames(text, r)
			if err != nil {
				t.Fatalf("%d frames at %s are told as %s: %v", f, r, text, err)
			}
			if back != f {
				t.Fatalf("%d frames at %s are told as %s, which is frame %d", f, r, text, back)
			}
		}
		if back, exact := r.Frames(r.Seconds(f)); back != f || !exact {
			t.Fatalf("%d frames at %s are %v, which is frame %d", f, r, r.Seconds(f), back)
		}
		if back := r.Of(float64(f), r.Float()); back != f {
			t.Fatalf("%d frames at %s are frame %d", f, r, back)
		}
	})
}

func TestTimesArePrintedShort(t *testing.T) {
	for f, want := range map[int]string{0: "0s", 30: "1s", 45: "1.5s", 2760: "1m32s", 47: "1.567s", 1800: "1m", 108000: "1h", 108030: "1h0m1s", -30: "-1s"} {
		if got := fps30.Text(f); got != want {
			t.Errorf("%d frames are %s, want %s", f, got, want)
		}
	}
	if got := fps30.Clock(465); got != "00:15.5" {
		t.Errorf("465 frames are %s", got)
	}
}

func TestSumsAreExact(t *testing.T) {
	for _, c := range [][3]Rat{
		{{1, 2}, {1, 2}, {1, 1}},
		{{1, 10}, {1, 25}, {7, 50}},
		{{MaxSeconds*1_000_000_000_000 - 1, 1_000_000_000_000}, {MaxSeconds*1_000_000_000 - 1, 1_000_000_000}, {2*MaxSeconds*1_000_000_000_000 - 1001, 1_000_000_000_000}},
	} {
		if got := c[0].Plus(c[1]); got != c[2] {
			t.Errorf("%v and %v are %v, want %v", c[0], c[1], got, c[2])
		}
	}
}
