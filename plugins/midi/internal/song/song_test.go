package song

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

func on(tick int64, pitch byte) smf.Event {
	return smf.Event{Tick: tick, Status: 0x90, A: pitch, B: 64}
}

func off(tick int64, pitch byte) smf.Event {
	return smf.Event{Tick: tick, Status: 0x80, A: pitch, B: 64}
}

func TestNotesArePairedFirstInFirstOut(t *testing.T) {
	s := songOfEvents(480, off(0, 60), on(0, 60), on(10, 60), on(20, 62), off(30, 60), smf.Event{Tick: 40, Status: 0x90, A: 60}, on(50, 64), smf.Event{Tick: 60, Status: 0x91, A: 62})
	var got []string
	for e := range s.Tracks()[0].Events() {
		if e.IsElement() {
			got = append(got, string(e.Kind()))
		}
	}
	if want := "note-off note note note-on note-on note-off"; strings.Join(got, " ") != want {
		t.Errorf("kinds are %v, want %s", got, want)
	}
	first := s.Event("n2")
	if first == nil || first.Length() != 30 || s.Event("n3").Length() != 30 {
		t.Errorf("the first off does not end the first on")
	}
	if s.Notes() != 2 {
		t.Errorf("%d notes, want 2", s.Notes())
	}
}

func TestNewEventsFollowEqualOnesAndNoteEndsPrecedeStarts(t *testing.T) {
	s := songOfEvents(480, on(0, 60), off(480, 60), on(480, 62), off(960, 62))
	tr := s.Tracks()[0]
	x := &Insert{}
	x.Note(tr, 1, 64, 80, 64, 0, 480)
	x.Add(tr, smf.Event{Tick: 480, Status: 0xC0, A: 5})
	x.Add(tr, smf.Event{Tick: 480, Status: 0xB0, A: 32, B: 1})
	x.Add(tr, smf.Event{Tick: 480, Status: smf.Meta, A: MetaMarker, Payload: []byte("m")})
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range tr.Events() {
		if e.Tick == 480 {
			got = append(got, strings.Fields(s.Say(e))[0])
		}
	}
	if want := "marker note note cc program note"; strings.Join(got, " ") != want {
		t.Errorf("at the beat come %v, want %s", got, want)
	}
}

func TestTheConductorIsTheFirstTrackThatDoesNotPlay(t *testing.T) {
	if s := songOfEvents(480, tempo(0, 120)); !s.Tracks()[0].Conductor || len(s.Music()) != 1 {
		t.Error("a first track of tempo alone is not a conductor")
	}
	if s := songOfEvents(480, on(0, 60), off(1, 60)); s.Tracks()[0].Conductor || len(s.Music()) != 2 {
		t.Error("a first track that plays is a conductor")
	}
	single := fromFile(&smf.File{Division: 480, Chunks: []smf.Chunk{{Track: &smf.Track{}}}})
	if single.Tracks()[0].Conductor {
		t.Error("the track of format 0 is a conductor")
	}
}

func TestTracksAreFoundByNameBeginningAndNumber(t *testing.T) {
	name := func(n string) *smf.Track {
		return &smf.Track{Events: []smf.Event{{Status: smf.Meta, A: MetaName, Payload: []byte(n)}}}
	}
	s := fromFile(&smf.File{Format: 1, Division: 480, Chunks: []smf.Chunk{{Track: name("Song")}, {Track: name("Piano")}, {Track: name("Electric Bass")},
		{Track: name("")}, {Track: name("Piano")}, {Track: name("B\xF6hm")}, {Track: name("1")}}})
	for ref, number := range map[string]int{"Electric Bass": 2, "electric-bass": 2, "Elec": 2, "2": 2, "#2": 2, "Track 3": 3, "3": 3, "#1": 1, "#4": 4, "Böhm": 5, "1": 6, "conductor": 0} {
		tr, err := s.FindTrack(ref, false)
		if err != nil || s.Number(tr) != number {
			t.Errorf("%q: %v, want track %d", ref, err, number)
		}
	}
	for ref, why := range map[string]string{"Piano": "ambiguous", "Nobody": "not found", "7": "not found", "0": "not found", "": "not found"} {
		if _, err := s.FindTrack(ref, false); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", ref, err, why)
		}
	}
	if _, err := s.FindTrack("Elec", true); err == nil {
		t.Error("a mere beginning was good enough to destroy")
	}
}

func TestLookupsFollowEveryEdit(t *testing.T) {
	s := New(Setup{Title: "T", PPQ: 480, BPM: 120, Num: 4, Den: 4})
	lead := s.Lead()
	if got := s.Tempo(nil).At(0).BPM(); got != 120 {
		t.Fatalf("tempo %v", got)
	}
	p, _ := TempoPayload(60)
	x := &Insert{}
	x.Add(lead, smf.Event{Tick: 960, Status: smf.Meta, A: MetaTempo, Payload: p})
	x.Add(lead, smf.Event{Tick: 1920, Status: smf.Meta, A: MetaTimeSig, Payload: SignaturePayload(3, 4)})
	x.Add(lead, smf.Event{Tick: 960, Status: smf.Meta, A: MetaMarker, Payload: []byte("Here")})
	x.Add(lead, smf.Event{Tick: 960, Status: smf.Meta, A: MetaKeySig, Payload: KeyPayload(theory.Key{Fifths: 2})})
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	check := func(when string, bpm float64, third int64, markers, fifths int) {
		t.Helper()
		m, _ := s.Meter(nil)
		if s.Tempo(nil).At(1000).BPM() != bpm || m.BarTick(3) != third || len(s.Markers(nil)) != markers || s.KeyAt(nil, 1000).Fifths != fifths {
			t.Errorf("%s: tempo %v, bar 3 at %d, %d markers, %d fifths", when, s.Tempo(nil).At(1000).BPM(), m.BarTick(3), len(s.Markers(nil)), s.KeyAt(nil, 1000).Fifths)
		}
	}
	check("after inserting", 60, 1920+1440, 1, 2)
	if err := x.Undo(s); err != nil {
		t.Fatal(err)
	}
	check("after undoing", 120, 3840, 0, 0)
}

func TestAnEditIsRefusedOnAStateItWasNotMadeFor(t *testing.T) {
	s := songOfEvents(480, on(0, 60), off(480, 60))
	for _, e := range []interface{ Do(*Song) error }{&Remove{IDs: []ID{1, 99}}, &Set{Items: []Change{{ID: 99}}}, &Move{Items: []Step{{ID: 1, Track: 9}}},
		&Move{Items: []Step{{ID: 1, Track: 1, Tick: -1}}}, &Insert{Items: []Item{{Track: 9}}}, &Insert{Items: []Item{{Track: 1, Paired: true}}},
		&AddTrack{At: 7}, &DropTrack{ID: 9}, &Insert{first: 1, Items: []Item{{Track: 1}}}} {
		before := s.Snapshot()
		if err := e.Do(s); err == nil {
			t.Errorf("%T %+v was done", e, e)
		}
		if !bytes.Equal(before, s.Snapshot()) {
			t.Errorf("%T %+v failed and changed the song", e, e)
		}
	}
}

func TestASnapshotIsTheWholeState(t *testing.T) {
	s := songOfEvents(480, on(0, 60), off(480, 60), on(480, 62), off(960, 62))
	x := &Insert{Track: 1, Cursor: Cursor{10, 20, true}}
	x.Note(s.Tracks()[0], 3, 70, 80, 64, 240, 480)
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	if err := (&Remove{IDs: []ID{1, 2}}).Do(s); err != nil {
		t.Fatal(err)
	}
	back, err := Restore(s.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back.Snapshot(), s.Snapshot()) || !bytes.Equal(back.Save(), s.Save()) {
		t.Error("restored, the song is another")
	}
	if err := x.Undo(back); err != nil {
		t.Errorf("an edit made before the snapshot is not undone after it: %v", err)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(songOfEvents(480, on(0, 60), off(480, 60), marker(500, "x")).Snapshot())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		s, err := Restore(data)
		if err != nil {
			return
		}
		s.Save()
		s.Troubles()
	})
}

func FuzzEdit(f *testing.F) {
	for _, typ := range []string{"events.insert", "events.remove", "events.set", "events.move", "track.add", "track.drop", "header.set"} {
		data, _ := msgpack.Marshal([]byte{1, 1, 0, 0, 1, 0, 0, 0, 0x90, 60, 64})
		f.Add(typ, data)
	}
	f.Fuzz(func(t *testing.T, typ string, data []byte) {
		e := EditOf(typ)
		if e == nil || msgpack.Unmarshal(data, e) != nil {
			return
		}
		s := songOfEvents(480, on(0, 60), off(480, 60))
		if e.Do(s) == nil {
			s.Save()
		}
	})
}

// TestTheListIsASlice compares the blocked list with a plain slice.
func TestTheListIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := songOfEvents(480)
		tr := s.Tracks()[0]
		var plain []*Event
		spread := rapid.Int64Range(0, 3000).Draw(t, "spread")
		inserts := rapid.IntRange(0, 1500).Draw(t, "inserts")
		for i := range inserts {
			e := &Event{Event: on((int64(i)*7919)%(spread+1), byte(i%128)), Track: tr, ID: ID(i + 1)}
			at := tr.place(e)
			i := 0
			for i < len(plain) && plain[i].Tick <= e.Tick {
				i++
			}
			plain = append(plain[:i:i], append([]*Event{e}, plain[i:]...)...)
			s.byID = append(s.byID, e)
			tr.events.insert(at, e)
		}
		for i := rapid.IntRange(0, len(plain)).Draw(t, "removals"); i > 0; i-- {
			k := (i * 31) % len(plain)
			tr.events.remove(tr.events.find(plain[k]))
			plain = append(plain[:k:k], plain[k+1:]...)
		}
		i := 0
		for e := range tr.Events() {
			if i >= len(plain) || e != plain[i] {
				t.Fatalf("event %d differs", i)
			}
			if p := tr.events.before(tr.events.find(e)); i > 0 && p != plain[i-1] || i == 0 && p != nil {
				t.Fatalf("what comes before event %d differs", i)
			}
			i++
		}
		if i != len(plain) || tr.Len() != i {
			t.Fatalf("%d events, %d counted, want %d", i, tr.Len(), len(plain))
		}
	})
}
