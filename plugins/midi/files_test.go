package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"gitlab.com/gomidi/midi/v2/smf"
)

// file makes a file of format 0 with one track.
func file(events string) string {
	n := len(events)
	return "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x01\xE0MTrk" + string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + events
}

// riff wraps a MIDI file as RIFF RMID.
func riff(data string) string {
	le := func(n int) string { return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) }
	return "RIFF" + le(len(data)+12+len(data)%2) + "RMIDdata" + le(len(data)) + data + strings.Repeat("\x00", len(data)%2)
}

const oneNote = "\x00\x90\x3C\x40\x83\x60\x80\x3C\x40"

const endOfTrack = "\x00\xFF\x2F\x00"

// TestTheNameSaysWhetherAFileIsWrapped reads the saved file with gomidi, which does not
// know RIFF.
func TestTheNameSaysWhetherAFileIsWrapped(t *testing.T) {
	plain := file(oneNote + endOfTrack)
	wrapped := riff(plain)
	for _, c := range []struct{ name, data, as, want string }{
		{"song.rmi", wrapped, "song.mid", plain},
		{"song.rmi", wrapped, "SONG.KAR", plain},
		{"song.rmi", wrapped, "other.RMI", wrapped},
		{"song.mid", plain, "song.rmi", wrapped},
		{"song.mid", plain, "other.midi", plain},
		{"song.mid", wrapped, "song.mid", wrapped}, // a mismatch of the opened file is kept
		{"song.rmi", plain, "song.rmi", plain},
	} {
		s, _, err := song.OpenAs(c.name, []byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		again, err := song.Restore(s.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		got := s.SaveAs(c.as)
		if string(got) != c.want || !bytes.Equal(got, again.SaveAs(c.as)) {
			t.Errorf("%s saved as %s is\n%q, from a snapshot\n%q, want\n%q", c.name, c.as, got, again.SaveAs(c.as), c.want)
		}
		if _, err := smf.ReadFrom(bytes.NewReader(got)); c.want == plain && err != nil {
			t.Errorf("%s saved as %s: gomidi says %v", c.name, c.as, err)
		}
	}
}

func TestAFileWithDataBytesAbove127IsEditedAroundThem(t *testing.T) {
	bad := "\x00\xB0\xA8\x40\x00\x07\xA8\x00\x90\xBC\x40\x00\x90\x3C\xC0\x00\xC0\xFF\x00\xE0\x80\x80\x00\x80\xBC\x40"
	doc := pdktest.Open(t, domain(), "clipped.mid", []byte(file(bad+oneNote+endOfTrack)))
	if got := doc.Digest(); !strings.HasPrefix(got, "1t 1n ") {
		t.Errorf("the digest is %s", got)
	}
	for _, q := range []string{"map", "events *", "describe 1", "stats", "lint", "chords", "piano-roll 1", "tracker 1 1-2"} {
		doc.Query(q)
	}
	for _, format := range []string{"csv", "musicxml", "abc", "svg"} {
		doc.Export(format)
	}
	before := doc.Save()
	doc.Do("transpose +2 @all", "velocity +9 @all", "repeat @all count:2", "move @all by:quarter", "bars insert 1", "track duplicate 1 Twice")
	if !bytes.Contains(doc.Save(), []byte("\xA8")) {
		t.Error("what was malformed is gone")
	}
	doc.Undo(6)
	if !bytes.Equal(doc.Save(), before) {
		t.Error("undone, the file is another")
	}
}

func TestANameIsShownWithoutItsPadding(t *testing.T) {
	doc := pdktest.Open(t, domain(), "padded.mid", []byte(file("\x00\xFF\x03\x0APiccolo\x00\x00\x00"+oneNote+endOfTrack)))
	for _, q := range []string{"events *", "map", "tracks"} {
		if got := doc.Query(q); !strings.Contains(got, "Piccolo") || strings.Contains(got, "u0000") || strings.Contains(got, "\x00") {
			t.Errorf("%s says %q", q, got)
		}
	}
	doc.Do("note Piccolo C5")
	if !bytes.Contains(doc.Save(), []byte("Piccolo\x00\x00\x00")) {
		t.Error("the padding is gone from the file")
	}
}

// TestALateReleaseBeginsNoBar also counts the bars of the notation.
func TestALateReleaseBeginsNoBar(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1 dur:whole", "note Piano E4 at:2.1 dur:ticks:1950")
	for ops, want := range map[string]int{"tempo 100": 2, "note Piano G4 at:3.1 dur:ticks:10": 3, "note Piano G4 at:1.1 dur:ticks:3901": 3} {
		doc.Do(ops)
		if got := doc.Digest(); !strings.HasSuffix(got, fmt.Sprintf(" %dbars", want)) {
			t.Errorf("after %s the digest is %s, want %d bars", ops, got, want)
		}
		if got := bytes.Count(doc.Export("musicxml"), []byte("<measure number")); got != want {
			t.Errorf("after %s the score has %d measures, want %d", ops, got, want)
		}
		doc.Undo(1)
	}
}
