package smf

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// header makes an MThd chunk.
func header(format, tracks, division uint16) string {
	return "MThd\x00\x00\x00\x06" + string([]byte{byte(format >> 8), byte(format), byte(tracks >> 8), byte(tracks), byte(division >> 8), byte(division)})
}

// mtrk makes an MTrk chunk.
func mtrk(events string) string {
	n := len(events)
	return "MTrk" + string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + events
}

const (
	eot  = "\x00\xFF\x2F\x00"
	note = "\x00\x90\x3C\x40\x60\x80\x3C\x40"
)

// riffOf wraps MIDI data as RIFF RMID.
func riffOf(data, before, after string, pad bool) string {
	le := func(n int) string { return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) }
	body := "RMID" + before + "data" + le(len(data)) + data
	if pad && len(data)%2 == 1 {
		body += "\x00"
	}
	body += after
	return "RIFF" + le(len(body)) + body
}

func TestFilesThatOpenComeBackByteForByte(t *testing.T) {
	one := header(0, 1, 480) + mtrk(note+eot)
	odd := header(0, 1, 480) + mtrk("\x00\xFF\x01\x01A"+note+eot)
	for _, c := range []struct{ name, data, warning string }{
		{"a plain file", one, ""},
		{"running status", header(0, 1, 480) + mtrk("\x00\x90\x3C\x40\x60\x3C\x00\x00\x3E\x40\x60\x3E\x00"+eot), ""},
		{"running status across a meta event", header(0, 1, 480) + mtrk("\x00\x90\x3C\x40\x00\xFF\x01\x01x\x60\x3C\x00"+eot), "running status after a meta"},
		{"running status across sysex", header(0, 1, 480) + mtrk("\x00\x90\x3C\x40\x00\xF0\x02\x7E\xF7\x60\x3C\x00"+eot), "running status after a meta"},
		{"padded delta times", header(0, 1, 480) + mtrk("\x80\x00\x90\x3C\x40\x80\x80\x80\x60\x80\x3C\x40\x80\x00\xFF\x2F\x00"), ""},
		{"padded lengths", header(0, 1, 480) + mtrk("\x00\xFF\x01\x80\x01A\x00\xF0\x80\x80\x01\xF7"+"\x00\xFF\x2F\x80\x00"), ""},
		{"sysex in packets", header(0, 1, 480) + mtrk("\x00\xF0\x02\x43\x12\x10\xF7\x02\x43\x12\x10\xF7\x02\x43\xF7"+eot), ""},
		{"an escape", header(0, 1, 480) + mtrk("\x00\xF7\x01\xF3"+eot), ""},
		{"unknown meta events", header(0, 1, 480) + mtrk("\x00\xFF\x60\x02ab\x00\xFF\xC0\x00"+eot), ""},
		{"a tempo of two bytes", header(0, 1, 480) + mtrk("\x00\xFF\x51\x02\x07\xA1"+note+eot), "track 1 holds a tempo that means nothing; it is kept as it is and sets nothing (at byte 24)"},
		{"a tempo of no time", header(0, 1, 480) + mtrk("\x00\xFF\x51\x03\x00\x00\x00"+note+eot), "a tempo that means nothing"},
		{"a signature of no beats", header(0, 1, 480) + mtrk("\x00\xFF\x58\x04\x00\x02\x18\x08"+note+eot), "a time signature that means nothing"},
		{"a key of nine sharps", header(0, 1, 480) + mtrk("\x00\xFF\x59\x02\x09\x00"+note+eot), "a key signature that means nothing"},
		{"every channel message", header(0, 1, 480) + mtrk("\x00\x80\x01\x02\x00\x91\x03\x04\x00\xA2\x05\x06\x00\xB3\x07\x08\x00\xC4\x09\x00\xD5\x0A\x00\xE6\x0B\x0C"+eot), ""},
		{"system messages", header(0, 1, 480) + mtrk("\x00\xF1\x01\x00\xF2\x01\x02\x00\xF3\x01\x00\xF6\x00\xF8\x00\xFE"+eot), "system messages"},
		{"data bytes above 127", header(0, 1, 480) + mtrk("\x00\xB0\xA8\x40\x00\xB0\x07\xA8\x00\x08\xFF"+note+eot), "a message with a data byte above 127; it is kept unchanged and has no effect (at byte 24, 2 times more)"},
		{"a longer header", "MThd\x00\x00\x00\x09\x00\x00\x00\x01\x01\xE0abc" + mtrk(note+eot), ""},
		{"three tracks", header(1, 3, 96) + mtrk(eot) + mtrk(note+eot) + mtrk(note+eot), ""},
		{"format 2", header(2, 2, 96) + mtrk(note+eot) + mtrk(note+eot), ""},
		{"SMPTE division", header(0, 1, 0xE728) + mtrk(note+eot), ""},
		{"a foreign chunk between tracks", header(1, 2, 96) + mtrk(eot) + "XFIH\x00\x00\x00\x03abc" + mtrk(note+eot), ""},
		{"bytes after the last chunk", one + "xyz", "3 bytes after the last chunk"},
		{"a chunk cut short after the last track", one + "JUNK\x00\x00\x00\xFFab", "10 bytes after the last chunk"},
		{"bytes after the end of a track", header(0, 1, 480) + mtrk(note+eot+"\x00\x90\x3C\x40"), "4 bytes after the end of track 1"},
		{"no end of track", header(0, 1, 480) + mtrk(note), "no end-of-track"},
		{"an empty track", header(0, 1, 480) + mtrk(""), "no end-of-track"},
		{"a wrong number of tracks", header(1, 5, 480) + mtrk(note+eot), "says 5 tracks, the file has 1"},
		{"format 0 with two tracks", header(0, 2, 480) + mtrk(eot) + mtrk(eot), "format 0 holds one track"},
		{"the last byte missing", (header(0, 1, 480) + mtrk(note+eot))[:14+8+len(note)+3], "ends 1 byte early"},
		{"the last two bytes missing", (header(0, 1, 480) + mtrk(note+eot))[:14+8+len(note)+2], "ends 2 bytes early"},
		{"RIFF", riffOf(one, "", "", true), ""},
		{"RIFF with other chunks", riffOf(odd, "LIST\x04\x00\x00\x00abcd", "DISP\x02\x00\x00\x00xy", true), ""},
		{"RIFF without its pad byte", riffOf(odd, "", "", false), ""},
		{"RIFF of a wrong size", strings.Replace(riffOf(one, "", "", true), "RIFF", "RIFF\xFF", 1)[:4] + "\x10\x00\x00\x00" + riffOf(one, "", "", true)[8:], "the RIFF header says"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, warnings, err := Parse([]byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Encode(); string(got) != c.data {
				t.Errorf("encoded\n%x\nwant\n%x", got, c.data)
			}
			said := strings.Join(warnings, "\n")
			if c.warning == "" && said != "" || !strings.Contains(said, c.warning) {
				t.Errorf("warnings %q, want one with %q", said, c.warning)
			}
		})
	}
}

func TestFilesThatCannotBeKeptAreRefusedWithTheirOffset(t *testing.T) {
	for _, c := range []struct {
		name, data, reason string
		offset             int
	}{
		{"nothing", "", "empty", 0},
		{"text", "not a midi file", "not a MIDI file", 0},
		{"half a header", "MThd\x00\x00\x00\x06\x00", "ends inside its header", 9},
		{"a header of five bytes", "MThd\x00\x00\x00\x05\x00\x00\x00\x01\x01\x00", "header chunk says 5", 4},
		{"format 3", header(3, 1, 480) + mtrk(eot), "format 3", 8},
		{"a division of nothing", header(0, 1, 0) + mtrk(eot), "division of 0", 12},
		{"frames that do not exist", header(0, 1, 0x9C04) + mtrk(eot), "frames a second", 12},
		{"ticks that do not exist", header(0, 1, 0xE700) + mtrk(eot), "0 ticks per frame", 13},
		{"no track", header(0, 0, 480), "no track", 14},
		{"a track cut off", (header(0, 1, 480) + mtrk(note+note+eot))[:30], "another 12 bytes", 30},
		{"a track cut at an event", (header(0, 1, 480) + mtrk(note+eot))[:14+8+8], "another 4 bytes", 30},
		{"a track head cut off", header(0, 1, 480) + "MTrk\x00", "inside the head of track 1", 19},
		{"a chunk shorter than its event", header(0, 1, 480) + mtrk("\x00\x90\x3C"), "ends inside a message", 24},
		{"a delta time alone", header(0, 1, 480) + mtrk("\x00"), "without its event", 22},
		{"a delta time of five bytes", header(0, 1, 480) + mtrk("\x81\x80\x80\x80\x00\x90\x3C\x40"), "more than 4 bytes", 22},
		{"no status", header(0, 1, 480) + mtrk("\x00\x3C\x40"), "no status byte", 23},
		{"a text longer than its track", header(0, 1, 480) + mtrk("\x00\xFF\x01\x20abc"), "says it has 32 bytes", 26},
		{"RIFF of sound", "RIFF\x04\x00\x00\x00WAVE", "not RMID", 8},
		{"RIFF without data", "RIFF\x04\x00\x00\x00RMID", "no data chunk", 12},
		{"a song of years", header(0, 1, 480) + mtrk("\xFF\xFF\xFF\x7F\x90\x3C\x40\xFF\xFF\xFF\x7F\x80\x3C\x40"+eot), "longer than", 29},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Parse([]byte(c.data))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if !strings.Contains(e.Reason, c.reason) || e.Offset != c.offset {
				t.Errorf("%q at %d, want %q at %d", e.Reason, e.Offset, c.reason, c.offset)
			}
		})
	}
}

func TestRunningStatusIsSpelledOutWhereAnEditBrokeTheRun(t *testing.T) {
	f, _, err := Parse([]byte(header(0, 1, 480) + mtrk("\x00\x90\x3C\x40\x60\x3C\x00"+eot)))
	if err != nil {
		t.Fatal(err)
	}
	tr := f.Tracks()[0]
	tr.Events = []Event{tr.Events[0], {Tick: 1, Status: 0xB0, A: 7, B: 100}, tr.Events[1]}
	want := header(0, 1, 480) + mtrk("\x00\x90\x3C\x40\x01\xB0\x07\x64\x5F\x90\x3C\x00"+eot)
	if got := f.Encode(); string(got) != want {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
	tr.Events[1] = Event{Tick: 1, Status: Meta, A: 6, Payload: []byte("m")}
	want = header(0, 1, 480) + mtrk("\x00\x90\x3C\x40\x01\xFF\x06\x01m\x5F\x90\x3C\x00"+eot)
	if got := f.Encode(); string(got) != want {
		t.Errorf("a running status went on after a meta event:\n%x\nwant\n%x", got, want)
	}
}

func TestAnEndOfTrackThatWasCutOffIsWholeBeforeAnotherTrack(t *testing.T) {
	f, _, err := Parse([]byte((header(1, 1, 480) + mtrk(note+eot))[:14+8+len(note)+3]))
	if err != nil {
		t.Fatal(err)
	}
	f.Chunks = append(f.Chunks, Chunk{Track: &Track{}})
	if got, want := string(f.Encode()), header(1, 2, 480)+mtrk(note+eot)+mtrk(eot); got != want {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}

func TestTheEndOfTrackFollowsTheLastEvent(t *testing.T) {
	f := &File{Division: 480, Chunks: []Chunk{{Track: &Track{Events: []Event{{Tick: 100, Status: 0x90, A: 60, B: 1}}}}}}
	want := header(0, 1, 480) + mtrk("\x64\x90\x3C\x01"+eot)
	if got := f.Encode(); string(got) != want {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(header(1, 2, 96) + mtrk("\x00\x90\x3C\x40\x60\x3C\x00"+eot) + "XFIH\x00\x00\x00\x03abc" + mtrk("\x80\x00\xF0\x02\x43\xF7"+eot+"x") + "y"))
	f.Add([]byte(riffOf(header(0, 1, 0xE728)+mtrk(note+eot), "LIST\x00\x00\x00\x00", "ab", true)))
	f.Add([]byte((header(0, 1, 480) + mtrk(note+eot))[:33]))
	f.Fuzz(func(t *testing.T, data []byte) {
		keep := bytes.Clone(data)
		file, _, err := Parse(data)
		if err != nil {
			return
		}
		if got := file.Encode(); !bytes.Equal(got, keep) {
			t.Fatalf("encoded\n%x\nwant\n%x", got, keep)
		}
		if !bytes.Equal(data, keep) {
			t.Fatal("the input was written to")
		}
	})
}
