package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"gitlab.com/gomidi/midi/v2"
	"gitlab.com/gomidi/midi/v2/smf"
)

// listenToFile reads a file with gomidi: every note as "TRACK@SECONDS PITCH*SECONDS on CHANNEL by PROGRAM", in
// order.
func listenToFile(t *testing.T, data []byte) []string {
	t.Helper()
	s, err := smf.ReadFrom(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ track, channel, pitch uint8 }
	type start struct {
		at      float64
		program uint8
	}
	type note struct {
		at   float64
		text string
	}
	var out []note
	programs := [16]uint8{}
	var all []smf.TrackEvent
	names := map[int]string{}
	for no, tr := range s.Tracks {
		tick := int64(0)
		for _, e := range tr {
			tick += int64(e.Delta)
			var name string
			if e.Message.GetMetaTrackName(&name) {
				names[no] = name
			}
			all = append(all, smf.TrackEvent{Event: e, TrackNo: no, AbsTicks: tick})
		}
	}
	slices.SortStableFunc(all, func(a, b smf.TrackEvent) int { return int(a.AbsTicks - b.AbsTicks) })
	open := map[key]start{}
	for _, e := range all {
		at := float64(s.TimeAt(e.AbsTicks)) / 1e6
		var ch, a, b uint8
		msg := midi.Message(e.Message)
		switch {
		case msg.GetProgramChange(&ch, &a):
			programs[ch] = a
		case msg.GetNoteStart(&ch, &a, &b):
			open[key{uint8(e.TrackNo), ch, a}] = start{at, programs[ch]}
		case msg.GetNoteEnd(&ch, &a):
			k := key{uint8(e.TrackNo), ch, a}
			from := open[k]
			out = append(out, note{from.at, fmt.Sprintf("%s@%.2f %d*%.2f on %d by %d", names[e.TrackNo], from.at, a, at-from.at, ch+1, from.program)})
		}
	}
	slices.SortStableFunc(out, func(a, b note) int { return strings.Compare(a.text, b.text) })
	var texts []string
	for _, n := range out {
		texts = append(texts, n.text)
	}
	return texts
}

// verse and outro make two songs that share a track name and a channel. A bar of verse
// lasts a second; outro is in 3/4 with half a second a beat.
func verse(t *testing.T, in ...*pdktest.World) *pdktest.Doc {
	doc := pdktest.New(t, domain(), `"Verse" tempo:240 ppqn:480`, in...)
	doc.Do("track add Piano", "track add Bass instrument:acoustic-bass", "note Piano C4 dur:whole at:1.1", "note Piano D4 dur:whole", "note Bass C2 dur:whole at:1.1")
	return doc
}

func outro(t *testing.T) *pdktest.Doc {
	doc := pdktest.New(t, domain(), `"Outro" tempo:120 time-sig:3/4 ppqn:96`)
	doc.Do("track add Flute instrument:flute", "track add piano instrument:electric-piano-1", "track add Drums", "note Flute G5 dur:3/4 at:1.1", "note piano E4 dur:quarter at:2.3", "note Drums kick at:1.1", "marker Fin at:1.1")
	return doc
}

func between(t *testing.T) *pdktest.World {
	return &pdktest.World{Documents: map[string][]byte{"Outro": outro(t).Save()}, Files: map[string][]byte{"./outro.mid": outro(t).Save(), "./junk.mid": []byte("junk")}}
}

func TestImportedMusicSoundsAsInItsSource(t *testing.T) {
	own := []string{"Bass@0.00 36*1.00 on 2 by 32", "Piano@0.00 60*1.00 on 1 by 0", "Piano@1.00 62*1.00 on 1 by 0"}
	for _, c := range []struct {
		op   string
		want []string // besides what was there
	}{
		// 96 ticks a quarter become 480 at four times the speed; the flute's channel 1
		// is taken.
		{"import Outro", []string{"Drums@0.00 36*0.25 on 10 by 0", "Flute@0.00 79*0.75 on 3 by 73", "piano 2@1.25 64*0.25 on 4 by 4"}},
		{"import ./outro.mid at:2.1 tracks:Flute,Drums bars:1-1", []string{"Drums@1.00 36*0.25 on 10 by 0", "Flute@1.00 79*0.75 on 3 by 73"}},
		{"import Outro tracks:piano bars:2", []string{"piano 2@0.50 64*0.25 on 3 by 4"}},
		{"append Outro", []string{"Drums@2.00 36*0.50 on 10 by 0", "Flute@2.00 79*1.50 on 3 by 73", "Piano@4.50 64*0.50 on 1 by 4"}},
		{"copy @track:piano from:Outro", []string{"Piano@1.25 64*0.25 on 1 by 0"}},
		{"copy @track:Flute from:./outro.mid track:Bass to:2.2", []string{"Bass@1.25 79*0.75 on 2 by 32"}},
	} {
		doc := verse(t, between(t))
		doc.Do(c.op)
		want := append(slices.Clone(own), c.want...)
		slices.Sort(want)
		if got := listenToFile(t, doc.Save()); !slices.Equal(got, want) {
			t.Errorf("after %s\n%s\nwant\n%s", c.op, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	doc := verse(t, between(t))
	doc.Do("insert ./outro.mid at:2.1 tracks:Flute,piano")
	want := []string{"Bass@0.00 36*1.00 on 2 by 32", "Flute@1.00 79*1.50 on 3 by 73", "Piano@0.00 60*1.00 on 1 by 0", "Piano@3.50 64*0.50 on 1 by 4", "Piano@4.00 62*1.00 on 1 by 0"}
	if got := listenToFile(t, doc.Save()); !slices.Equal(got, want) {
		t.Errorf("inserted\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := doc.Query("map"); !strings.Contains(got, "4/4 at 1, 3/4 at 2, 4/4 at 4") || !strings.Contains(got, "240 at 1.1, 120 at 2.1, 240 at 4.1") || !strings.Contains(got, "Fin 2.1") {
		t.Errorf("inserted, it is\n%s", got)
	}
}

func TestImportsWithoutMusicAreRefused(t *testing.T) {
	doc := verse(t, between(t))
	for op, want := range map[string]string{
		"import ./junk.mid": "not a MIDI file", "import Nobody": "no other document", "import Outro tracks:Tuba": "Flute, piano, Drums", "append Outro bars:2-9": "bars 1-2",
		"insert Outro at:1.2": "inside bar 1", "insert 3": "verb bars", "copy @track:Tuba from:Outro": "in Outro", "copy @track:Flute from:Outro": "name another by track:", "arrange A": "there are none",
	} {
		doc.Fail(op, want)
	}
}

// sections makes three bars of a second each that differ in tempo, metre and sound,
// with notes across the bar lines.
func sections(t *testing.T) *pdktest.Doc {
	doc := pdktest.New(t, domain(), `"Form" tempo:240`)
	doc.Do("track add Lead", "note Lead C4 dur:whole at:1.1", "note Lead E4 dur:2bars at:2.1", "note Lead G4 dur:half at:4.1", "section A bars:1-1", "section B bars:2-3", "section \"The End\" bars:4-4",
		"program Lead flute at:2.1", "tempo 120 at:2.1", "program Lead violin at:4.1", "tempo 240 at:4.1", "time-sig 2/4 at:4.1")
	return doc
}

func TestSectionsAreArrangedAsTheySound(t *testing.T) {
	for arranged, want := range map[string][]string{
		"arrange \"A A B The End\"": {"Lead@0.00 60*1.00 on 1 by 0", "Lead@1.00 60*1.00 on 1 by 0", "Lead@2.00 64*4.00 on 1 by 73", "Lead@6.00 67*0.50 on 1 by 40"},
		"arrange the-end B A":       {"Lead@0.00 67*0.50 on 1 by 40", "Lead@0.50 64*4.00 on 1 by 73", "Lead@4.50 60*1.00 on 1 by 0"},
		"arrange 1 4-4 1-1":         {"Lead@0.00 60*1.00 on 1 by 0", "Lead@1.00 67*0.50 on 1 by 40", "Lead@1.50 60*1.00 on 1 by 0"},
		"arrange B":                 {"Lead@0.00 64*4.00 on 1 by 73"},
	} {
		doc := sections(t)
		doc.Do(arranged)
		if got := listenToFile(t, doc.Save()); !slices.Equal(got, want) {
			t.Errorf("after %s\n%s\nwant\n%s\n%s", arranged, strings.Join(got, "\n"), strings.Join(want, "\n"), doc.Query("map"))
		}
		doc.Undo(1)
		if before := sections(t).Save(); !bytes.Equal(doc.Save(), before) {
			t.Errorf("%s undone is another file", arranged)
		}
	}
	doc := sections(t)
	doc.Fail("arrange A Coda", "A, B, The End")
	doc.Fail("arrange A 3-9", "A, B, The End")
	doc.Do("marker Odd at:2.3")
	doc.Fail("arrange Odd", "begin and end with bars")
}
