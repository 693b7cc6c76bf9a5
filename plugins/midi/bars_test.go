package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"pgregory.net/rapid"
)

// heard is a note with the settings in force where it starts: its place in the bar, its
// signature, tempo and key, the track's program, volume and bend.
type heard struct {
	bar  int
	what string
}

// hear lists the notes of all tracks with the settings in force for each.
func hear(t *testing.T, data []byte) (out []heard) {
	t.Helper()
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Meter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, track := range s.Music() {
		sound := map[song.Kind]string{}
		for e := range track.Events() {
			if k := e.Kind(); k == song.KindProgram || k == song.KindCC || k == song.KindBend {
				sound[k] = s.Say(e)
			}
			if !e.IsNote() {
				continue
			}
			bar, beat, sub := m.Locate(e.Tick)
			g := m.At(e.Tick)
			out = append(out, heard{bar, fmt.Sprint(s.Name(track), beat, sub, g.Num, g.Den, " ", s.Tempo(nil).At(e.Tick).Micros, s.KeyAt(nil, e.Tick),
				e.Pitch(), e.Velocity(), e.Length(), sound)})
		}
	}
	return out
}

// changing draws a song whose signature, tempo, key and sounds change, at the start of
// a bar or inside it, with notes that end within their bar.
func changing(t *rapid.T) []string {
	ops := []string{"track add Piano", "track add Bass", "program Piano violin"}
	draw := func(n int, op func(bar int) string) {
		for range rapid.IntRange(0, n).Draw(t, "how many") {
			ops = append(ops, op(rapid.IntRange(1, 8).Draw(t, "bar")))
		}
	}
	pick := func(words ...string) string { return rapid.SampledFrom(words).Draw(t, "what") }
	for bar := 1; bar <= 8; bar++ { // in order of time: each signature moves the bars after it
		if rapid.IntRange(0, 2).Draw(t, "signature") == 0 {
			ops = append(ops, fmt.Sprintf("time-sig %s at:%d.1", pick("3/4", "5/8", "2/2", "4/4"), bar))
		}
	}
	draw(6, func(bar int) string {
		return fmt.Sprintf("tempo %s at:%d.%s", pick("60", "97", "140"), bar, pick("1", "2"))
	})
	draw(4, func(bar int) string {
		return fmt.Sprintf("key-sig %s at:%d.%s", pick("G", "Am", "Eb"), bar, pick("1", "2"))
	})
	draw(5, func(bar int) string {
		return fmt.Sprintf("%s at:%d.%s", pick("program Piano oboe", "cc Piano volume 70", "cc Bass volume 9", "bend Bass 999", "program Bass tuba"), bar, pick("1", "2"))
	})
	draw(20, func(bar int) string {
		return fmt.Sprintf("note %s %s at:%d.%s dur:%s", pick("Piano", "Bass"), pick("C4", "E4", "G4"), bar, pick("1", "2", "1.77"), pick("ticks:40", "ticks:100"))
	})
	return append(ops, "note Piano C5 at:8.1 dur:ticks:10")
}

// build makes the song. It skips an op that it has already done, because the domain
// refuses to set a mark to the value it has.
func build(t *testing.T, ops []string) *pdktest.Doc {
	doc := pdktest.New(t, domain(), `"Song"`)
	said := map[string]bool{"time-sig 4/4 at:1.1": true}
	for _, op := range ops {
		if !said[op] {
			doc.Do(op)
		}
		said[op] = true
	}
	return doc
}

func TestInsertingBarsOnlyMovesWhatFollows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := build(t, changing(rt))
		before, saved := hear(t, doc.Save()), doc.Save()
		at, count := rapid.IntRange(1, 8).Draw(rt, "at"), rapid.IntRange(1, 3).Draw(rt, "count")
		op := fmt.Sprintf("bars insert %d count:%d", at, count)
		doc.Do(op)
		after := hear(t, doc.Save())
		for i := range before {
			want := before[i]
			if want.bar >= at {
				want.bar += count
			}
			if i >= len(after) || after[i] != want {
				rt.Fatalf("%s: a note at bar %d, %s, became bar %d, %s", op, before[i].bar, before[i].what, after[i].bar, after[i].what)
			}
		}
		doc.Undo(1)
		if !slices.Equal(doc.Save(), saved) {
			rt.Fatalf("undo of %s did not bring the bytes back", op)
		}
	})
}

func TestDeletingBarsRemovesOnlyTheirNotes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := build(t, changing(rt))
		before, saved := hear(t, doc.Save()), doc.Save()
		at := rapid.IntRange(1, 8).Draw(rt, "at")
		count := rapid.IntRange(1, 9-at).Draw(rt, "count")
		op := fmt.Sprintf("bars delete %d count:%d", at, count)
		doc.Do(op)
		after := hear(t, doc.Save())
		left := slices.DeleteFunc(before, func(h heard) bool { return h.bar >= at && h.bar < at+count })
		if len(left) != len(after) {
			rt.Fatalf("%s left %d notes, not %d", op, len(after), len(left))
		}
		for i, want := range left {
			if want.bar >= at {
				want.bar -= count
			}
			if after[i] != want {
				rt.Fatalf("%s: a note at bar %d, %s, became bar %d, %s", op, want.bar, want.what, after[i].bar, after[i].what)
			}
		}
		doc.Undo(1)
		if !slices.Equal(doc.Save(), saved) {
			rt.Fatalf("undo of %s did not bring the bytes back", op)
		}
	})
}

func TestBarsWithNotesAndMarksAtTheirEdges(t *testing.T) {
	for _, c := range []struct {
		name  string
		ops   []string
		query string
		want  string
	}{
		{"a note held over the line goes on after the new bars", []string{"note Piano C4 at:1.3 dur:whole vel:70", "note Piano E4 at:2.1", "bars insert 2"}, "events Piano 1-9",
			"1.1       name \"Piano\"\n1.1       program acoustic-grand-piano\n1.3       note C4 dur:half vel:70\n3.1       note E4 dur:quarter vel:80\n3.1       note C4 dur:half vel:70"},
		{"one that is let go late rings on", []string{"note Piano C4 at:1.1 dur:ticks:1930", "note Piano E4 at:2.1", "bars insert 2"}, "events Piano 1-9",
			"1.1       name \"Piano\"\n1.1       program acoustic-grand-piano\n1.1       note C4 dur:ticks:1930 vel:80\n3.1       note E4 dur:quarter vel:80"},
		{"a note that sounds into deleted bars ends where they were", []string{"note Piano C4 at:1.3 dur:whole", "note Piano E4 at:4.1", "bars delete 2"}, "events Piano 1-9",
			"1.1       name \"Piano\"\n1.1       program acoustic-grand-piano\n1.3       note C4 dur:half vel:80\n3.1       note E4 dur:quarter vel:80"},
		{"one that sounds beyond them is that much shorter", []string{"note Piano C4 at:1.3 dur:3bars", "bars delete 2"}, "events Piano 1-9",
			"1.1       name \"Piano\"\n1.1       program acoustic-grand-piano\n1.3       note C4 dur:ticks:3840 vel:80"},
		{"what was written goes on where the last note is now", []string{"note Piano C4 at:3.1", "bars insert 2", "note Piano D4", "bars delete 1", "note Piano E4"}, "events Piano 3",
			"3.1       note C4 dur:quarter vel:80\n3.2       note D4 dur:quarter vel:80\n3.3       note E4 dur:quarter vel:80"},
		{"the first bar's setup stays, its markers move", []string{"marker Start at:1.1", "lyric la at:1.1 track:Piano", "cc Piano volume 90", "bars insert 1"}, "events * 1-9",
			"1.1       conductor: name \"Song\"\n1.1       conductor: time-sig 4/4\n1.1       conductor: key-sig C-major\n1.1       conductor: tempo 120\n" +
				"1.1       Piano: name \"Piano\"\n1.1       Piano: program acoustic-grand-piano\n1.1       Piano: cc volume 90\n2.1       conductor: marker \"Start\"\n2.1       Piano: lyric \"la\""},
		{"new bars have the signature of the bar they are in front of", []string{"time-sig 3/4 at:2.1", "tempo 90 at:2.1", "note Piano C4 at:2.1", "bars insert 2"}, "events conductor 1-9",
			"1.1       name \"Song\"\n1.1       time-sig 4/4\n1.1       key-sig C-major\n1.1       tempo 120\n2.1       time-sig 3/4\n3.1       tempo 90"},
		{"a bar that was cut short stays so", []string{"time-sig 3/4 at:1.3", "note Piano C4 at:3.1", "bars insert 2"}, "signatures",
			"1.1       time 4/4, bar 1\n2.1       time 3/4, bars 2-4\n1.1       key C-major (no accidentals)"},
		{"of the sounds in deleted bars the last stays", []string{"cc Piano volume 10 at:2.1", "cc Piano volume 20 at:2.3", "program Piano oboe at:2.2", "note Piano C4 at:3.1", "bars delete 2"}, "events Piano 2",
			"2.1       program oboe\n2.1       cc volume 20\n2.1       note C4 dur:quarter vel:80"},
		{"one that is set anew after them does not", []string{"tempo 90 at:2.1", "tempo 80 at:3.1", "note Piano C4 at:3.1", "bars delete 2"}, "events conductor 2", "2.1       tempo 80"},
		{"parameters are kept whole and in order, devices stay configured", []string{"sysex Piano 7E 7F 09 01 at:2.1", "rpn Piano bend-range 12 at:2.2", "note Piano C4 at:3.1", "bars delete 2"}, "events Piano 2",
			"2.1       sysex 7e7f0901f7\n2.1       cc rpn-msb 0\n2.1       cc rpn-lsb 0\n2.1       cc data 12\n2.1       cc data-lsb 0\n2.1       cc rpn-msb 127\n2.1       cc rpn-lsb 127\n2.1       note C4 dur:quarter vel:80"},
		{"all bars go and the setup stays", []string{"note Piano C4 at:1.1", "cc Piano volume 10 at:1.2", "tempo 90 at:2.2", "bars delete 1-2"}, "events * 1-2",
			"1.1       conductor: name \"Song\"\n1.1       conductor: time-sig 4/4\n1.1       conductor: key-sig C-major\n1.1       conductor: tempo 90\n1.1       Piano: name \"Piano\"\n1.1       Piano: program acoustic-grand-piano\n1.1       Piano: cc volume 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := pdktest.New(t, domain(), `"Song"`)
			doc.Do("track add Piano")
			before := doc.Save()
			doc.Do(c.ops...)
			if got := doc.Query(c.query); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if got := doc.Reopen().Query(c.query); got != c.want {
				t.Errorf("saved and opened it is\n%s\nwant\n%s", got, c.want)
			}
			doc.Undo(len(c.ops))
			if !slices.Equal(doc.Save(), before) {
				t.Error("undo did not bring the bytes back")
			}
		})
	}
}

func TestTheEndOfATrackMovesWithItsBars(t *testing.T) {
	// A track that ends a bar (4 x 96 ticks) after its one note, at 0x0600, and another at 0x0100.
	file := "MThd\x00\x00\x00\x06\x00\x01\x00\x02\x00\x60" +
		"MTrk\x00\x00\x00\x0D\x00\x90\x3C\x40\x60\x80\x3C\x40\x8B\x20\xFF\x2F\x00" +
		"MTrk\x00\x00\x00\x05\x82\x00\xFF\x2F\x00"
	doc := pdktest.Open(t, domain(), "x.mid", []byte(file))
	ends := func() (out []int64) {
		s, _, err := song.Open(doc.Save())
		if err != nil {
			t.Fatal(err)
		}
		for _, track := range s.Tracks() {
			out = append(out, track.Length())
		}
		return out
	}
	for _, c := range []struct {
		op   string
		want []int64
	}{{"bars insert 2 count:2", []int64{0x600 + 768, 0x100}}, {"bars delete 3-5", []int64{1152, 0x100}}, {"bars delete 1", []int64{768, 0}}, {"bars insert 2", []int64{1152, 0}}} {
		doc.Do(c.op)
		if got := ends(); !slices.Equal(got, c.want) {
			t.Errorf("after %s the tracks end at %v, want %v", c.op, got, c.want)
		}
	}
	doc.Undo(4)
	if string(doc.Save()) != file {
		t.Error("undo did not bring the bytes back")
	}
}

func TestBarsOfFractionalTicksAreRefused(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Song" ppqn:24 time-sig:3/64`)
	doc.Do("track add Piano", "note Piano C4 at:9.1")
	doc.Fail("bars insert 2", "not a whole number of ticks")
	doc.Do("bars insert 2 count:2", "bars delete 2 count:2")
	doc.Fail("bars delete 2", "not a whole number of ticks")
}

func TestFormat2TracksHaveTheirOwnBars(t *testing.T) {
	track := "MTrk\x00\x00\x00\x13\x00\xFF\x51\x03\x07\xA1\x20\x00\x90\x3C\x40\x60\x80\x3C\x40\x00\xFF\x2F\x00"
	doc := pdktest.Open(t, domain(), "x.mid", []byte("MThd\x00\x00\x00\x06\x00\x02\x00\x02\x01\xE0"+track+track))
	doc.Fail("bars insert 1", "own time", "track:")
	doc.Do("bars insert 1 track:2")
	if one, two := starts(t, doc, 0), starts(t, doc, 1); one[0] != 0 || two[0] != 1920 {
		t.Errorf("the notes start at %v and %v", one, two)
	}
}

func TestOnlyBarsThatTheCallEmptiedAreReported(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1 dur:whole", "note Piano D4 at:2.1 dur:whole", "note Piano E4 at:5.1 dur:whole", "note Piano F4 at:8.1 dur:whole",
		"note Bass C2 at:1.1 dur:2bars", "note Bass D2 at:6.1 dur:whole", "note Drums kick at:1.1", "note Drums kick at:8.1")
	for _, c := range []struct {
		ops  []string
		want string
	}{
		{[]string{"bars insert 2"}, "Piano, Bass: empty at bar 2\nDrums: empty at bars 2-8"}, // the two-bar pad is cut
		{[]string{"bars delete 2"}, ""},
		{[]string{"bars insert 3 count:2"}, "Piano: empty at bars 3-6\nBass: empty at bars 3-7\nDrums: empty at bars 2-9"},
		{[]string{"note Piano C5 at:20.1"}, "Piano: empty at bars 11-19"},
		{[]string{"note Piano C5 at:30.1", "note Piano C5 at:25.1", "remove @range:20-20"}, "Piano: empty at bars 11-24, 26-29"},
		{[]string{"move @range:1-1 by:ticks:10"}, ""},
		{[]string{"transpose @all +1"}, ""},
	} {
		var told []string
		for line := range strings.Lines(doc.Do(c.ops...)) {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "? "); ok && strings.Contains(text, "empty at") {
				told = append(told, text)
			}
		}
		if text := strings.Join(told, "\n"); text != c.want {
			t.Errorf("%s tells\n%s\nwant\n%s", c.ops, text, c.want)
		}
	}
}

func TestASectionThatBeginsWithinABarIsRefused(t *testing.T) {
	doc := band(t, "note Piano C4 dur:4bars", "marker Late at:2.3")
	doc.Fail("arrange Late", "section Late goes from 2.3 to the end: it has to begin and end with bars")
	doc.Do("marker Stop at:3.2")
	doc.Fail("arrange Late", "section Late goes from 2.3 to 3.2: it has to begin and end with bars")
}
