package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// clockOf reads the tempo events of a file without our own code: TICK BPM.
func clockOf(t testing.TB, doc *pdktest.Doc) (out []string) {
	t.Helper()
	rest := doc.Save()
	for i := 0; i+6 <= len(rest); i++ {
		if rest[i] == 0xFF && rest[i+1] == 0x51 && rest[i+2] == 3 {
			micros := int(rest[i+3])<<16 | int(rest[i+4])<<8 | int(rest[i+5])
			out = append(out, fmt.Sprint(math.Round(60e6/float64(micros)*100)/100))
		}
	}
	return out
}

func TestATempoCanApplyToARange(t *testing.T) {
	for _, c := range []struct {
		name  string
		ops   []string
		want  []string // the tempo events, in order
		where string   // what the query tempo prints for their places
	}{
		{"a slower passage", []string{"tempo 60 @range:2-3"}, []string{"120", "60", "120"}, "1.1 2.1 4.1"},
		{"half of what there was", []string{"tempo 100 at:3.1", "tempo x0.5 @range:2-3"}, []string{"120", "60", "50", "100"}, "1.1 2.1 3.1 4.1"},
		{"from the start", []string{"tempo 90 @range:1-1"}, []string{"90", "120"}, "1.1 2.1"},
		{"what is inside goes", []string{"tempo 100 at:2.3", "tempo 140 at:4.1", "tempo 60 @range:2-3"}, []string{"120", "60", "140"}, "1.1 2.1 4.1"},
		{"at the end nothing comes back", []string{"tempo 60 @range:4-4"}, []string{"120", "60"}, "1.1 4.1"},
		{"a ritardando reaches its end with the music", []string{"tempo 120-60 @range:4-4"}, []string{"120", "120", "100", "80", "60"}, "1.1 4.1 4.2 4.3 4.4"},
		{"one before other music when its range ends", []string{"tempo 120-80 @range:3-3 step:half"}, []string{"120", "120", "100", "80"}, "1.1 3.1 3.3 4.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := band(t, `progression Piano "C F G C"`)
			before := doc.Save()
			doc.Do(c.ops...)
			var where []string
			for _, line := range strings.Split(doc.Query("tempo"), "\n") {
				if f := strings.Fields(line); !strings.Contains(line, "end,") {
					where = append(where, f[0])
				}
			}
			if got := clockOf(t, doc); !slices.Equal(got, c.want) || strings.Join(where, " ") != c.where {
				t.Errorf("the tempi are %v at %v, want %v at %s", got, where, c.want, c.where)
			}
			doc.Undo(len(c.ops))
			if !slices.Equal(doc.Save(), before) {
				t.Error("undo did not bring the bytes back")
			}
		})
	}
}

func TestHumanizedNotesStayInTheirBars(t *testing.T) {
	doc := band(t, `beat Drums kick:x...x...x...x... snare:....x.......x... hihat:x.x.x.x.x.x.x.xx count:8`, `line Bass "A1 w, F1 w, D2 w, E2 w"`)
	before := listen(t, doc.Save())
	doc.Do("humanize @all seed:3 time:ticks:30 vel:20")
	digest := doc.Digest()
	after := listen(t, doc.Save())
	slices.SortFunc(before, func(a, b tone) int { return int(a.tick - b.tick) })
	count := func(all []tone) (bars [9]int) {
		for _, n := range all {
			bars[n.tick/1920]++
			if n.tick/1920 != (n.tick+n.length-1)/1920 {
				t.Errorf("%v sounds over its bar", n)
			}
		}
		return bars
	}
	if count(before) != count(after) {
		t.Errorf("bars hold %v notes, had %v", count(after), count(before))
	}
	if !strings.Contains(digest, "8bars") {
		t.Errorf("the song has become longer: %s", digest)
	}
}

func TestDrumsArePlayedAsTheirSignsSay(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{"beat Drums hihat:x.x.x.x. res:eighth swing:67", "0+322 v80, 480+322 v80, 960+322 v80, 1440+322 v80"},
		{"beat Drums hihat:xxxx res:eighth swing:67", "0+322 v80, 322+158 v80, 480+322 v80, 802+158 v80"},
		{"beat Drums hihat:xxxx swing:60/16th", "0+144 v80, 144+96 v80, 240+144 v80, 384+96 v80"},
		{"beat Drums kick:E(3,8)", "0+120 v80, 360+120 v80, 720+120 v80"},
		{"beat Drums kick:E(2,4,1)", "120+120 v80, 360+120 v80"},
		{"beat Drums snare:.f", "100+20 v40, 120+120 v80"},
		{"beat Drums snare:r res:eighth", "0+60 v50, 60+60 v60, 120+60 v70, 180+60 v80"},
	} {
		doc := band(t, c.op)
		var got []string
		for _, n := range listen(t, doc.Save()) {
			got = append(got, fmt.Sprintf("%d+%d v%d", n.tick, n.length, n.vel))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s plays %s, want %s", c.op, s, c.want)
		}
	}
	doc := band(t, "beat Drums hihat:???????? count:8 seed:4")
	if n := len(listen(t, doc.Save())); n < 16 || n > 48 {
		t.Errorf("of 64 chances %d hit", n)
	}
	again := band(t, "beat Drums hihat:???????? count:8 seed:4")
	if string(doc.Save()) != string(again.Save()) {
		t.Error("the same seed hits otherwise")
	}
	band(t).Fail("beat Drums kick:x... swing:90", "20 to 80", "try: beat Drums kick:x... swing:80")
}

func TestALoudnessMayFollowALength(t *testing.T) {
	doc := band(t, `line Piano "C4 q 64, D4 e 30, E4 16 99"`)
	if got, want := played(t, doc), []string{"0+480 ch1 60 v64 prog0 vol100", "480+240 ch1 62 v30 prog0 vol100", "720+120 ch1 64 v99 prog0 vol100"}; !slices.Equal(got, want) {
		t.Errorf("it sounds %v, want %v", got, want)
	}
}

func TestSelectorsDistinguishVoices(t *testing.T) {
	doc := band(t, "chord Piano C oct:3 dur:half at:1.1", "note Piano E5 at:1.1 dur:half", "chord Piano G oct:3 dur:half at:1.3", "note Piano D5 at:1.3 dur:quarter", "note Piano F#5 at:1.4 dur:e", "note Piano C2 at:2.1.240 dur:e")
	for sel, want := range map[string]string{
		"@highest": "0:76 960:74 1440:78 2160:36", "@lowest": "0:48 960:55 2160:36", "@hand:right": "0:76 960:74 1440:78", "@hand:left": "0:48 0:52 0:55 960:55 960:59 960:62 2160:36",
		"@above:C5": "0:76 960:74 1440:78", "@below:E3": "0:48 2160:36", "@offbeat": "2160:36", "@chord-tones @above:C5": "0:76 960:74", "@not:chord-tones @highest": "1440:78 2160:36",
	} {
		kept := band(t, "chord Piano C oct:3 dur:half at:1.1", "note Piano E5 at:1.1 dur:half", "chord Piano G oct:3 dur:half at:1.3", "note Piano D5 at:1.3 dur:quarter", "note Piano F#5 at:1.4 dur:e", "note Piano C2 at:2.1.240 dur:e")
		kept.Do("velocity =33 @track:Piano " + sel)
		var got []string
		for _, n := range listen(t, kept.Save()) {
			if n.vel == 33 {
				got = append(got, fmt.Sprintf("%d:%d", n.tick, n.pitch))
			}
		}
		slices.Sort(got)
		w := strings.Fields(want)
		slices.Sort(w)
		if !slices.Equal(got, w) {
			t.Errorf("%s is %v, want %v", sel, got, w)
		}
	}
	doc.Fail("velocity +1 @hand:lef", "left or right", "try: velocity +1 @hand:left")
	doc.Fail("velocity +1 @highest:2", "no value")
	doc.Fail("velocity +1 @above:H", "not a note name")
}

func TestArticulationChangesWhatItSays(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{"staccato @all length:25", "0+120 60, 0+120 64, 0+120 67, 480+120 62"},
		{"strum @all by:ticks:20", "0+480 60, 20+460 64, 40+440 67, 480+480 62"},
		{"strum @all by:-ticks:20", "0+480 67, 20+460 64, 40+440 60, 480+480 62"},
		{"invert +1 @all", "0+480 64, 0+480 67, 0+480 72, 480+480 62"},
		{"invert -1 @all", "0+480 55, 0+480 60, 0+480 64, 480+480 62"},
		{"invert +3 @all", "0+480 72, 0+480 76, 0+480 79, 480+480 62"},
	} {
		doc := band(t, "note Piano C4 E4 G4 at:1.1", "note Piano D4")
		doc.Do(c.op)
		all := listen(t, doc.Save())
		slices.SortStableFunc(all, func(a, b tone) int { return int(a.tick-b.tick)*1000 + a.pitch - b.pitch })
		var got []string
		for _, n := range all {
			got = append(got, fmt.Sprintf("%d+%d %d", n.tick, n.length, n.pitch))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s gives %s, want %s", c.op, s, c.want)
		}
	}
	doc := band(t, "note Piano C4")
	doc.Fail("staccato @all length:3", "5 to 95", "try: staccato @all length:5")
	doc.Fail("invert 0 @all", "-8 to 8")
	doc.Fail("strum @all by:x", "duration")
	if got := doc.Do("strum @all", "invert +1 @all"); strings.Count(got, "? ") != 2 {
		t.Errorf("one note is a chord: %s", got)
	}
}

func TestThePedalGoesDownWithEachBar(t *testing.T) {
	doc := band(t, "time-sig 3/4 at:2.1", "note Piano C4 dur:3bars", "cc Piano sustain on at:2.2", "pedal Piano @range:1-3", "note Bass C2")
	if got, want := doc.Query("list @cc:sustain"), `6:
1.1       cc sustain 127
1.4.420   cc sustain 0
2.1       cc sustain 127
2.3.420   cc sustain 0
3.1       cc sustain 127
3.3.420   cc sustain 0`; strings.Join(strings.Fields(strings.NewReplacer("Piano: ", "").Replace(got)), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	doc.Fail("pedal Piano", "@range:P-P")
}

func TestWordsAreSungOnTheirNotes(t *testing.T) {
	doc := band(t, `line Piano "C4 q, C4 q, G4 q, G4 q, A4 q, A4 q, G4 h"`, `lyrics Piano "Twin-kle, twin-kle lit-_ star"`)
	want := "1.1 Twin-, 1.2 kle,, 1.3 twin-, 1.4 kle, 2.1 lit-, 2.3 star"
	var got []string
	for _, line := range strings.Split(doc.Query("list @type:lyric"), "\n")[1:] {
		f := strings.Fields(strings.NewReplacer("Piano: ", "", "lyric ", "", `"`, "").Replace(line))
		got = append(got, strings.Join(f, " "))
	}
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
	doc.Do(`lyrics Piano "la la" at:1.3`)
	if got := doc.Query("find la"); !strings.Contains(got, "2 found") {
		t.Errorf("%s", got)
	}
	doc.Fail(`lyrics Piano "a b c" at:2.1.1`, "2 notes", "try query: events Piano")
}

func TestAGrooveIsTakenFromAnotherTrack(t *testing.T) {
	doc := band(t, "beat Drums hihat:XxXx res:eighth", "swing 60 @drums", `line Bass "C2 e, C2 e, C2 e, C2 e" vel:80`, "groove Drums @track:Bass grid:eighth")
	if got, want := notesByStart(t, doc, 2), []string{"0+240: 36", "288+192: 36", "480+240: 36", "768+240: 36"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, n := range listen(t, doc.Save()) {
		if n.track == 2 && (n.vel > 80) != (n.tick == 0 || n.tick == 480) {
			t.Errorf("the accents are not those of the drums: %v", n)
		}
	}
	doc.Fail("groove Piano @track:Bass", "no notes")
}

func TestAMachineHasAGroove(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{"groove mpc-62 @track:Bass", "[0 149 240 389 480 629 720 869 960]"},
		{"groove mpc-62 @track:Bass strength:50", "[5 135 240 375 480 615 720 855 960]"},
		{"groove mpc-66 @beat:1 @track:Bass grid:eighth", "[0 317 317 480 480 600 720 840 960]"},
		{"groove laid-back @track:Bass", "[0 135 255 375 495 615 735 855 975]"},
		{"groove pushed @track:Bass", "[0 110 230 350 470 590 710 830 950]"},
	} {
		doc := band(t, `line Bass "C2 s, D2 s, E2 s, F2 s, G2 s, A2 s, B2 s, C3 s, D3 s" at:1.1`, "move @pitch:C2 @track:Bass by:ticks:10")
		got := []int64{}
		doc.Do(c.op)
		for _, n := range listen(t, doc.Save()) {
			got = append(got, n.tick)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: notes at %v, want %s", c.op, got, c.want)
		}
	}
	doc := band(t, "note Bass C2 at:1.1.120")
	doc.Fail("groove mpc-90 @all", "mpc-50", "try: groove mpc-75 @all")
	doc.Do("track add mpc-62")
	doc.Fail("groove mpc-62 @all", "no notes")
}

func TestArpeggiosFollowTheirPattern(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"pattern:up", "0:C4 1:E4 2:G4 3:B4 4:C4 5:E4 6:G4 7:B4"},
		{"pattern:downup", "0:B4 1:G4 2:E4 3:C4 4:E4 5:G4 6:B4 7:G4"},
		{"pattern:converge", "0:C4 1:B4 2:E4 3:G4 4:C4 5:B4 6:E4 7:G4"},
		{"pattern:diverge", "0:G4 1:E4 2:B4 3:C4 4:G4 5:E4 6:B4 7:C4"},
		{"pattern:13.2", "0:C4 1:G4 3:E4 4:C4 5:G4 7:E4"},
		{"pattern:156", "0:C4 1:C5 2:E5 3:C4 4:C5 5:E5 6:C4 7:C5"},
	} {
		doc := band(t, "arp Piano Cmaj7 gate:50 "+c.words)
		var got []string
		for _, n := range listen(t, doc.Save()) {
			if n.length != 120 {
				t.Errorf("%s: half of an eighth is %d", c.words, n.length)
			}
			got = append(got, fmt.Sprintf("%d:%s%d", n.tick/240, []string{"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"}[n.pitch%12], n.pitch/12-1))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s plays %s, want %s", c.words, s, c.want)
		}
	}
	doc := band(t, "arp Piano Cmaj7 pattern:random seed:5 bars:8 gate:100")
	count, last := map[int]int{}, -1
	for _, n := range listen(t, doc.Save()) {
		count[n.pitch]++
		if n.pitch == last {
			t.Errorf("%v comes twice", n)
		}
		last = n.pitch
	}
	if len(count) != 4 || count[60] != 16 {
		t.Errorf("each note comes as often: %v", count)
	}
	if again := band(t, "arp Piano Cmaj7 pattern:random seed:5 bars:8 gate:100"); string(again.Save()) != string(doc.Save()) {
		t.Error("the same seed plays otherwise")
	}
	doc.Fail("arp Piano C pattern:zigzag", "1323 or 13.2")
	doc.Fail("arp Piano C pattern:randm", "try: arp Piano C pattern:random")
	doc.Fail("arp Piano C gate:0", "1 to 200", "try: arp Piano C gate:1")
	doc.Fail("arp Piano C seed:3", "pattern:random")
	doc.Fail("arp Piano G oct:9 pattern:19", "outside the range")
}
