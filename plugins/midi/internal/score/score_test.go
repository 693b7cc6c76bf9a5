package score

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"pgregory.net/rapid"
)

// songOf makes a song of one track with notes given as pitch, start and length, at 480
// ticks a quarter note.
func songOf(t testing.TB, num, den, channel int, notes ...[3]int64) *song.Song {
	t.Helper()
	s := song.New(song.Setup{Title: "T", PPQ: 480, BPM: 120, Num: num, Den: den, Key: theory.Key{}})
	add := &song.AddTrack{At: 1, Events: []smf.Event{{Status: smf.Meta, A: song.MetaName, Payload: []byte("P")}}}
	if err := add.Do(s); err != nil {
		t.Fatal(err)
	}
	x := &song.Insert{}
	for _, n := range notes {
		x.Note(add.Made(s), channel, int(n[0]), 80, 64, n[1], n[2])
	}
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// printPart prints a part: bars between strokes, voices between semicolons, items as
// pitches with a value (t: in a triplet, ~: tied on), r for a rest, R for a whole-bar
// rest.
func printPart(p *Part) string {
	var bars []string
	for _, voices := range p.Bars {
		var lines []string
		for _, v := range voices {
			var items []string
			for _, it := range v.Items {
				var word string
				for i, n := range it.Notes {
					if i > 0 {
						word += "+"
					}
					word += n.Pitch.String()
				}
				if len(it.Notes) == 0 {
					word = "r"
				}
				if it.Whole {
					items = append(items, "R")
					continue
				}
				word += "/" + fmt.Sprint(it.Value.Den) + strings.Repeat(".", it.Value.Dots)
				if it.Value.Triplet {
					word += "t"
				}
				if len(it.Notes) > 0 && it.Notes[0].TieOut {
					word += "~"
				}
				items = append(items, word)
			}
			lines = append(lines, strings.Join(items, " "))
		}
		bars = append(bars, strings.Join(lines, "; "))
	}
	return strings.Join(bars, " | ")
}

func TestNotesAreWrittenAsMusiciansWriteThem(t *testing.T) {
	for _, c := range []struct {
		name     string
		num, den int
		notes    [][3]int64
		want     string
	}{
		{"quarters", 4, 4, [][3]int64{{60, 0, 480}, {62, 480, 480}, {64, 960, 960}}, "C4/4 D4/4 E4/2"},
		{"a chord", 4, 4, [][3]int64{{67, 0, 1920}, {60, 0, 1920}, {64, 0, 1920}}, "C4+E4+G4/1"},
		{"a rest before and after", 4, 4, [][3]int64{{60, 480, 480}}, "r/4 C4/4 r/2"},
		{"a rest on the off-beat is cut at the beat", 4, 4, [][3]int64{{60, 0, 240}, {62, 1440, 480}}, "C4/8 r/8 r/2 D4/4"},
		{"a tie over the bar", 4, 4, [][3]int64{{60, 1440, 960}}, "r/2. C4/4~ | C4/4 r/2."},
		{"an empty bar", 4, 4, [][3]int64{{60, 0, 1920}, {60, 3840, 1920}}, "C4/1 | R | C4/1"},
		{"syncopation", 4, 4, [][3]int64{{60, 0, 240}, {62, 240, 480}, {64, 720, 240}, {65, 960, 960}}, "C4/8 D4/4 E4/8 F4/2"},
		{"dots", 4, 4, [][3]int64{{60, 0, 720}, {62, 720, 240}, {64, 960, 360}, {65, 1320, 120}, {67, 1440, 480}}, "C4/4. D4/8 E4/8. F4/16 G4/4"},
		{"eighth triplets", 4, 4, [][3]int64{{60, 0, 160}, {62, 160, 160}, {64, 320, 160}, {65, 480, 1440}}, "C4/8t D4/8t E4/8t F4/2."},
		{"a triplet with a quarter", 2, 4, [][3]int64{{60, 0, 320}, {64, 320, 160}, {65, 480, 480}}, "C4/4t E4/8t F4/4"},
		{"triplet 16ths", 1, 4, [][3]int64{{60, 0, 80}, {60, 80, 80}, {60, 160, 80}, {60, 240, 80}, {60, 320, 80}, {60, 400, 80}}, "C4/16t C4/16t C4/16t C4/16t C4/16t C4/16t"},
		{"a player who is early, late and short", 4, 4, [][3]int64{{60, 3, 440}, {62, 475, 450}, {64, 965, 430}, {65, 1437, 470}}, "C4/4 D4/4 E4/4 F4/4"},
		{"a note held a little into the next", 4, 4, [][3]int64{{60, 0, 530}, {62, 480, 1440}}, "C4/4 D4/2."},
		{"two voices", 4, 4, [][3]int64{{72, 0, 1920}, {64, 0, 960}, {65, 960, 960}}, "C5/1; E4/2 F4/2"},
		{"6/8", 6, 8, [][3]int64{{60, 0, 720}, {62, 720, 240}, {64, 960, 240}, {65, 1200, 240}}, "C4/4. D4/8 E4/8 F4/8"},
		{"7/16", 7, 16, [][3]int64{{60, 0, 840}}, "C4/4.~ C4/16"},
		{"64ths", 3, 64, [][3]int64{{60, 0, 90}}, "C4/32."},
		{"a stroke on the last line, in a triplet", 1, 1, [][3]int64{{60, 0, 1920}, {60, 3433, 0}, {60, 3803, 0}}, "C4/1 | r/2. r/16t C4/16t r/8t r/16t C4/16t"},
		{"not a length at all", 4, 4, [][3]int64{{60, 0, 0}, {62, 960, 960}}, "C4/32 r/32 r/16 r/8 r/4 D4/2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Of(songOf(t, c.num, c.den, 1, c.notes...), false)
			if err != nil {
				t.Fatal(err)
			}
			if got := printPart(&s.Parts[0]); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

func TestStavesAndClefsFollowThePitches(t *testing.T) {
	for _, c := range []struct {
		pitches []int64
		channel int
		want    string
	}{{[]int64{60, 72}, 1, "[treble]"}, {[]int64{40, 52}, 1, "[bass]"}, {[]int64{40, 72}, 1, "[treble bass]"}, {[]int64{36, 42}, 10, "[percussion]"}} {
		var notes [][3]int64
		for i, p := range c.pitches {
			notes = append(notes, [3]int64{p, int64(i) * 480, 480})
		}
		s, err := Of(songOf(t, 4, 4, c.channel, notes...), false)
		if err != nil || fmt.Sprint(s.Parts[0].Staves) != c.want {
			t.Errorf("%v: %v (%v), want %s", c.pitches, s.Parts[0].Staves, err, c.want)
		}
	}
}

func TestEveryBarIsFullAndEveryNoteStartsOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		num, den := rapid.IntRange(1, 13).Draw(rt, "num"), 1<<rapid.IntRange(0, 6).Draw(rt, "den")
		notes := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) [3]int64 {
			return [3]int64{rapid.Int64Range(30, 90).Draw(rt, "pitch"), rapid.Int64Range(0, 4000).Draw(rt, "start"), rapid.Int64Range(0, 3000).Draw(rt, "length")}
		}), 1, 40).Draw(rt, "notes")
		s, err := Of(songOf(t, num, den, 1, notes...), false)
		if err != nil {
			rt.Fatal(err)
		}
		p := &s.Parts[0]
		for i, voices := range p.Bars {
			if len(voices) < len(p.Staves) {
				rt.Fatalf("bar %d has %d voices for %d staves", i+1, len(voices), len(p.Staves))
			}
			for _, v := range voices {
				at := 0
				thirds := 0
				for _, it := range v.Items {
					if it.At != at || it.Length <= 0 {
						rt.Fatalf("bar %d: an item at %d of length %d, want it at %d: %s", i+1, it.At, it.Length, at, printPart(p))
					}
					at += it.Length
					length := 4 * Quarter / it.Value.Den * (1<<(it.Value.Dots+1) - 1) >> it.Value.Dots
					if it.Value.Triplet {
						length = length * 2 / 3
						thirds += it.Length
					}
					if !it.Whole && length != it.Length {
						rt.Fatalf("bar %d: %v lasts %d, not %d", i+1, it.Value, length, it.Length)
					}
					if it.Last != (it.Value.Triplet && thirds%Quarter == 0) {
						rt.Fatalf("bar %d: a triplet does not close: %s", i+1, printPart(p))
					}
				}
				if at != s.Bars[i].Length {
					rt.Fatalf("bar %d is %d long, not %d: %s", i+1, at, s.Bars[i].Length, printPart(p))
				}
			}
		}
	})
}

func TestSongsWithoutBarsAreRefused(t *testing.T) {
	empty := song.New(song.Setup{Title: "T", PPQ: 480, BPM: 120, Num: 4, Den: 4})
	if _, err := Of(empty, false); err == nil || !strings.Contains(err.Error(), "no notes") {
		t.Errorf("an empty song: %v", err)
	}
	frames, _, err := song.Open([]byte("MThd\x00\x00\x00\x06\x00\x00\x00\x01\xE7\x28MTrk\x00\x00\x00\x0C\x00\x90\x3C\x40\x60\x80\x3C\x40\x00\xFF\x2F\x00"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(frames, false); err == nil || !strings.Contains(err.Error(), "SMPTE") {
		t.Errorf("a song in frames: %v", err)
	}
}

func TestDrumsLastToTheNextStrokeOrWithTheBeat(t *testing.T) {
	for _, c := range []struct {
		name     string
		num, den int
		notes    [][3]int64
		want     string
	}{
		{"short ones reach the end of the beat", 4, 4, [][3]int64{{38, 0, 120}, {38, 480, 120}}, "D2/4 D2/4 r/2"},
		{"long ones, too", 4, 4, [][3]int64{{38, 0, 298}, {42, 0, 40}, {49, 960, 960}}, "D2+F#2/4 r/4 C#3/4 r/4"},
		{"or the next stroke", 4, 4, [][3]int64{{38, 0, 298}, {42, 320, 155}}, "D2/4t F#2/8t r/2."},
		{"eight hats are eighths", 4, 4, [][3]int64{{42, 0, 120}, {42, 240, 120}, {42, 480, 120}, {42, 720, 120}, {42, 960, 120}, {42, 1200, 120}, {42, 1440, 120}, {42, 1680, 120}},
			"F#2/8 F#2/8 F#2/8 F#2/8 F#2/8 F#2/8 F#2/8 F#2/8"},
		{"feet have a voice of their own", 4, 4, [][3]int64{{36, 0, 120}, {42, 0, 120}, {42, 240, 120}, {38, 480, 120}, {36, 720, 120}}, "F#2/8 F#2/8 D2/4 r/2; C2/4 r/8 C2/8 r/2"},
		{"in compound time the beat is dotted", 6, 8, [][3]int64{{42, 0, 31}, {38, 720, 31}}, "F#2/4. D2/4."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Of(songOf(t, c.num, c.den, theory.DrumChannel, c.notes...), false)
			if err != nil {
				t.Fatal(err)
			}
			if got := printPart(&s.Parts[0]); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
