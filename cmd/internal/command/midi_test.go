package command

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/internal/tinyfont"
)

// startMIDI starts a server with the midi plugin and returns it with its working folder.
func startMIDI(t *testing.T) (*client, string) {
	t.Helper()
	dir := t.TempDir()
	return serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/midi"), "--limit", "call=2m"), dir // the machine may be busy
}

// newSong opens a new song with three tracks and music on them.
func (c *client) newSong() {
	c.t.Helper()
	c.session("midi", `new "Band"`)
	c.edit("midi", "track add Piano", "track add Bass instrument:acoustic-bass", "track add Drums",
		`line Piano "C4 e, D4 e, E4 q, F4 h, G4 w, A4 w, B4 w" at:1.1`, "chord Bass C Am/C G7 dur:half at:1.1 oct:2",
		"beat Drums kick:x...x... snare:..x...x. hihat:xxxxxxxx res:eighth at:1.1 count:2",
		"cc Piano volume 90", "cc Piano pan 10 at:2.1", "tempo 96 at:2.1", "marker Verse", "marker Chorus at:2.1", "lyric la at:1.1", "cue Go at:2.1", "text Hm at:2.1")
}

// querySong returns the answer to a query.
func (c *client) querySong(q string) string {
	c.t.Helper()
	return c.must("midi_query", map[string]any{"q": q})
}

// saveSong saves the song to a file and returns its bytes.
func (c *client) saveSong(dir, name string) string {
	c.t.Helper()
	os.Remove(filepath.Join(dir, name))
	c.session("midi", "save as:./"+name)
	return c.file(dir, name)
}

// chunk returns a chunk of a MIDI file.
func chunk(id, data string) string {
	return id + string(binary.BigEndian.AppendUint32(nil, uint32(len(data)))) + data
}

func midiFile(format, tracks, division uint16, chunks ...string) string {
	head := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, format), tracks), division)
	return chunk("MThd", string(head)) + strings.Join(chunks, "")
}

const (
	aNote = "\x00\x90\x3C\x40\x60\x80\x3C\x33" // with a release velocity
	ended = "\x00\xFF\x2F\x00"
)

func TestEveryConstructOfAMIDIFileSurvives(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	track := func(data string) string { return chunk("MTrk", data+ended) }
	plain := midiFile(1, 1, 480, track(aNote))
	for name, file := range map[string]struct {
		chunks []string // chunks that must not change when a track is added
		data   string
	}{
		"running status":    {[]string{track("\x00\x90\x3C\x40\x60\x3C\x00\x00\x40\x50\x60\x40\x00")}, ""},
		"release velocity":  {[]string{track(aNote)}, ""},
		"sysex and packets": {[]string{track("\x00\xF0\x03\x43\x12\x00\x10\xF7\x02\x01\xF7\x00\xF7\x02\xF3\x01" + aNote)}, ""},
		"aftertouch":        {[]string{track("\x00\xA0\x3C\x40\x00\xD0\x22\x00\xE0\x00\x40" + aNote)}, ""},
		"texts of all kinds": {[]string{track("\x00\xFF\x01\x01a\x00\xFF\x02\x02(c\x00\xFF\x03\x05Fl\xF6te\x00\xFF\x04\x01i\x00\xFF\x05\x02la\x00\xFF\x06\x01m\x00\xFF\x07\x03cue" +
			aNote)}, ""},
		"names in UTF-8":              {[]string{track("\x00\xFF\x03\x06Fl\xC3\xB6te" + aNote)}, ""},
		"ports and unknown events":    {[]string{track("\x00\xFF\x60\x03abc\x00\xFF\x7F\x04\x00\x00\x41\x01\x00\xFF\x21\x01\x02\x00\xFF\x20\x01\x03\x00\xFF\x54\x05\x40\x00\x00\x00\x00" + aNote)}, ""},
		"padded times":                {[]string{track("\x80\x80\x00\x90\x3C\x40\x80\x60\x80\x3C\x33\x00\xFF\x03\x80\x02ab")}, ""},
		"odd chunks between tracks":   {[]string{chunk("XFIH", "abc"), track(aNote), chunk("ZZZZ", "\x00\x01"), track("")}, ""},
		"tracks without notes":        {[]string{track(""), track("\x00\xFF\x03\x01x"), track(aNote)}, ""},
		"format 0":                    {nil, midiFile(0, 1, 480, track(aNote))},
		"format 2":                    {nil, midiFile(2, 2, 480, track(aNote), track("\x00\xFF\x51\x03\x06\xA1\x20"+aNote))},
		"SMPTE time":                  {nil, midiFile(1, 1, 0xE728, track(aNote))},
		"a RIFF file":                 {nil, "RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(12+len(plain)))) + "RMIDdata" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(plain)))) + plain},
		"bytes behind the last chunk": {nil, plain + "junk"},
	} {
		if file.data == "" {
			tracks := 0
			for _, data := range file.chunks {
				if strings.HasPrefix(data, "MTrk") {
					tracks++
				}
			}
			file.data = midiFile(1, uint16(tracks), 480, file.chunks...)
		}
		put(t, dir, "a.mid", file.data)
		c.session("midi", "open ./a.mid")
		if c.saveSong(dir, "b.mid") != file.data {
			t.Errorf("%s: open and save changed the file", name)
		}
		c.edit("midi", "track add Zed")
		rest := c.saveSong(dir, "b.mid")
		for _, data := range file.chunks {
			_, after, found := strings.Cut(rest, data)
			if !found {
				t.Errorf("%s: another track's op changed %q, or its place", name, data)
				break
			}
			rest = after
		}
		c.session("midi", "undo")
		if c.saveSong(dir, "b.mid") != file.data {
			t.Errorf("%s: undo did not bring the bytes back", name)
		}
		c.session("midi", "close")
	}
}

func TestDamagedMIDIFilesAreRefusedOrReported(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	plain := midiFile(1, 1, 480, chunk("MTrk", aNote+ended))
	for data, want := range map[string]string{
		"":                            "! cannot open a.mid: midi| the file is empty (at byte 0)",
		"no song":                     "not a MIDI file",
		plain[:10]:                    "ends inside its header (at byte 10)",
		plain[:len(plain)-7]:          "cut off: track 1 goes on for another 7 bytes (at byte 27)",
		midiFile(3, 1, 480, "MTrk"):   "format 3",
		midiFile(1, 1, 0, plain[14:]): "defines no time (at byte 12)",
		midiFile(1, 1, 480, chunk("MTrk", "\x00\x3C\x40"+ended)):                                    "no status byte came before (at byte 23)",
		midiFile(1, 1, 480, chunk("MTrk", aNote)):                                                   "? midi| track 1 has no end-of-track event (at byte 30)",
		midiFile(1, 3, 480, plain[14:]):                                                             "? midi| the header says 3 tracks, the file has 1 (at byte 10)",
		midiFile(1, 1, 480, chunk("MTrk", "\x00\xFF\x51\x03\x00\x00\x00"+aNote+ended)):              "? midi| track 1 holds a tempo that means nothing; it is kept as it is and sets nothing (at byte 24)",
		midiFile(1, 1, 480, chunk("MTrk", "\x00\xFF\x58\x04\x04\x1F\x18\x08"+aNote+ended)):          "? midi| track 1 holds a time signature that means nothing",
		midiFile(1, 1, 480, chunk("MTrk", "\x00\xFF\x59\x02\x09\x05"+aNote+ended)) + "\x00\x00\x00": "? midi| track 1 holds a key signature that means nothing",
	} {
		put(t, dir, "a.mid", data)
		text, failed := c.call("midi_session", map[string]any{"action": "open ./a.mid"})
		if !strings.Contains(text, want) {
			t.Errorf("%q is opened with %q, want %q", data, text, want)
		}
		if failed {
			continue
		}
		if c.saveSong(dir, "b.mid") != data {
			t.Errorf("%q is not saved as it was", data)
		}
		c.session("midi", "close")
	}
}

// A comparable server doubled its error at each save.
func TestATempoMovesNoNoteHoweverOftenTheSongIsSaved(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	c.session("midi", `new "Ticks" tempo:93.7 time-sig:7/8`)
	c.edit("midi", "track add Piano", `line Piano "C4 8t, D4 8t, E4 8t, F4 q., G4 h" at:2.3.17`, "time-sig 3/4 at:3.1", "note Piano A4 at:4.2.13 dur:ticks:77")
	before := c.querySong("events Piano")
	c.edit("midi", "tempo 61.3-187.9 @range:1-3", "tempo 33.33 at:4.1", "tempo 140")
	for i := range 12 {
		c.saveSong(dir, fmt.Sprintf("%d.mid", i%2))
		c.session("midi", fmt.Sprintf("open ./%d.mid", i%2))
		c.edit("midi", fmt.Sprintf("tempo %d.%d at:2.1", 100+i, i))
	}
	if after := c.querySong("events Piano"); after != before {
		t.Errorf("the notes were\n%s\nand are\n%s", before, after)
	}
	c.session("midi", `new "True" tempo:60`)
	c.edit("midi", "track add Piano", "note Piano C4 dur:2bars", "tempo 120 at:2.1")
	has(t, c.querySong("stats"), "2 bars, 0:06.000")
	has(t, c.querySong("tempo"), "1.1       60 bpm, from 0:00.000\n2.1       120 bpm, from 0:04.000\n3.1       end, 0:06.000")
}

// everyVerb has an op of each verb for the band's song.
var everyVerb = []string{
	"note Piano C4 E4 at:3.1 dur:q. vel:ff ch:5", `line Piano "C4 q, D4 e, rest q, E4 h." at:3.1`, "chord Piano F#m7b5 G7/B at:3.1 voicing:drop2 strum:64th inv:1 oct:3",
	`progression Piano "Dm7 G7 | Cmaj7" at:3.1`, "arp Piano Cmaj7 pattern:updown dur:16th bars:2", "scale Piano D-dorian", "drums Drums at:3.1\nkick: x...x...\nend",
	"beat Drums kick:x..x at:3.1", "tracker Piano,Bass import at:3.1\n0 | C4:q:80 E4 | .\n4 | D4+5:=77:64 | C2\ntracker end",
	"abc Piano at:3.1\nX:1\nK:D\nD2 F2 A4 |\nw: la lu lo\nabc end",
	"track add Flute instrument:flute bank:130", "track remove Bass", "track rename Bass Low", "track move Drums to:1", "track duplicate Bass", "track merge Bass Piano",
	"program Bass fretless-bass at:2.1", "mute Piano", "solo Bass", "volume Bass 77", "pan Bass L30", "cc Piano sustain on at:2.1", "cc Piano volume 40-100 @range:1-2",
	"bend Bass 0-8191 @range:2.1-2.4", "pressure Piano 60 pitch:C4", "rpn Piano bend-range 12", "nrpn Piano 136 8192", "sysex Piano 7E 7F 09 01",
	"tempo 90", "tempo 120-140 @range:1.1-2.4", "time-sig 7/8 at:2.1", "key-sig F#-minor", "marker Bridge at:2.3", "lyric lo at:1.2", "text Ah", "cue Stop", `title "New"`,
	"section A @range:1-1", "bars insert 2 count:3", "bars delete 1", "remove tempo at:2.1", "move marker Chorus to:5.1", "remove lyric", "remove cue", "remove text",
	"remove @track:Piano @range:2-2", "remove note Piano C4", "remove cc Piano volume", "move @track:Bass by:-ticks:0+eighth", "move @drums track:Piano", "copy @marker:Verse @drums to:3.1",
	"copy @track:Bass track:Piano to:4.1", "repeat @track:Piano count:2", "repeat @range:1-1 to:9.1", "modify @pitch:C4 pitch:D4 vel:+9 dur:e", "modify track Bass instrument:cello volume:70",
	"transpose +5 @track:Piano", "transpose -2 @all in:A-minor", "velocity x0.8 @beat:2,4", "velocity =99 @velocity:1-90", "quantize @track:Piano grid:8t strength:50 ends:true",
	"swing 62 @pitch:hihat", "humanize @channel:1 seed:3", "legato @track:Piano gap:ticks:9", "stretch x1.5 @not:drums", "reverse @track:Piano", "split @chord:Am parts:3",
	"crescendo @type:note from:pp to:ff", "decrescendo @drums @range:1.1-1.4", "modify @cc:pan value:3", "add chord Bass Dm at:5.1", "add track Oboe", "add marker X at:2.2",
	"copy @all to:5.1", "repeat @drums", "remove @all",
}

func TestEachMIDIOpIsOneUndoThatRestoresTheBytes(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	c.newSong()
	was := c.saveSong(dir, "was.mid")
	for _, op := range everyVerb {
		if text, failed := c.call("midi", map[string]any{"ops": []string{op}}); failed {
			if !strings.Contains(op, "ticks:0") {
				t.Errorf("%s: %s", op, text)
			}
			continue
		}
		done := c.saveSong(dir, "done.mid")
		if done == was {
			t.Errorf("%s reports success and changed nothing", op)
		}
		c.session("midi", "undo")
		if c.saveSong(dir, "undone.mid") != was {
			t.Errorf("%s is not undone by one undo", op)
		}
		c.session("midi", "redo")
		if c.saveSong(dir, "redone.mid") != done {
			t.Errorf("%s is done otherwise when it is redone", op)
		}
		c.session("midi", "undo")
	}
}

func TestMoreNotesThanARequestHoldsAreOneBatch(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	c.session("midi", `new "Many"`)
	c.edit("midi", "track add Piano")
	empty := c.saveSong(dir, "empty.mid")
	n := abi.MaxOps + 500
	if soak.Whole() {
		n = 25_000
	}
	ops := make([]string, n)
	for i := range ops {
		ops[i] = fmt.Sprintf("note Piano midi:%d at:%d.%d dur:eighth", 40+i%40, 1+i/8, 1+i%4)
	}
	has(t, c.edit("midi", ops...), fmt.Sprintf("[1t %dn", n))
	full := c.saveSong(dir, "full.mid")
	has(t, c.edit("midi", "remove @track:Piano"), fmt.Sprintf("- %d notes", n), "[1t 0n")
	if c.saveSong(dir, "b.mid") != empty {
		t.Error("something is left of the notes")
	}
	c.session("midi", "undo")
	if c.saveSong(dir, "b.mid") != full {
		t.Error("undo did not bring the notes back")
	}
	c.session("midi", "undo batch")
	if c.saveSong(dir, "b.mid") != empty {
		t.Error("the batch is not undone as one")
	}
}

func TestMusicIsWrittenAsMusiciansSayIt(t *testing.T) {
	t.Parallel()
	c, _ := startMIDI(t)
	c.session("midi", `new "Say" key:D-minor time-sig:7/8`)
	c.edit("midi", "track add Piano", "track add Bass instrument:bass", "track add Drums")
	for _, x := range []struct{ op, query, want string }{
		{`progression Piano "i iv7 V7 i" dur:half at:1.1`, "list @range:1-1", "note D4 dur:half"},
		{"", "chords 1-2", "Dm"},
		{"note Piano C#5 at:20.1", "events Piano 20", "note C#5"},
		{"drums Drums at:1.1 res:eighth count:2\nkick: x..x...\nsnare: ..X..Xg\nend", "piano-roll Drums 1 res:eighth", "bass-drum-1 |#..#...|"},
		{"scale Piano D harmonic-minor at:5.1", "events Piano 5", "note C#5"},
		{"note Piano Bb-1 F##3 midi:60 at:21.1 dur:double-dotted-half", "events Piano 21", "note G3 dur:double-dotted-half"},
		{"note Piano C4 at:22.1 dur:3beats", "events Piano 22", "dur:dotted-quarter"},
		{"note Piano C4 at:23.1 dur:2bars vel:sfz", "events Piano 23", "vel:120"},
		{"note Piano D4 at:marker:Here", "", "! "},
		{"marker Here at:30.4", "", ""},
		{"note Piano D4 at:marker:Here+eighth dur:8t", "events Piano 30", "30.5      note D4 dur:triplet-eighth"},
		{"note Bass C2 at:end:Drums", "events Bass", "3.1       note C2"},
		{"note Bass D2 at:+q", "events Bass", "3.3       note D2"},
		{"velocity =9 @pitch:kick", "events Bass", "note C2 dur:quarter vel:80"},
		{"cc Bass expression 10-20 @range:1-1", "events Bass 1", "cc expression 20"},
		{"volume Bass 33", "events Bass 1", "cc volume 33"},
		{"pan Bass right", "events Bass 1", "cc pan 127"},
		{"", "key", "signature D-minor"},
		{"", "signatures", "time 7/8"},
		{"", "instruments violin", " 40 violin (strings) G3 to"},
		{"", "describe Bass", "electric-bass-finger"},
		{"", "find Here", `marker "Here"`},
		{"", "lint", "found"},
		{"", "tracks", "3. Drums ch:10 standard-kit"},
		{"", "map", "Markers: Here 30.4"},
	} {
		if x.op != "" {
			text, failed := c.call("midi", map[string]any{"ops": []string{x.op}})
			if failed != (x.want == "! ") {
				t.Errorf("%s: %s", x.op, text)
			}
		}
		if x.query != "" {
			has(t, c.querySong(x.query), x.want)
		}
	}
	has(t, c.edit("midi", "track add A instrument:honky"), `? midi| instrument "honky" is taken as honky-tonk-piano`)
	has(t, c.edit("midi", "track add B instrument:reed"), `? midi| instrument "reed" is taken as soprano-sax`)
	has(t, c.edit("midi", "note Bass C7 at:1.1"), "outside the range")
	has(t, c.edit("midi", "note Bass C7 at:1.1+64th"), "starts while the same pitch still sounds")
}

// The grid that the query prints, sent back as an op, makes the same notes.
func TestATrackerGridRoundTrips(t *testing.T) {
	t.Parallel()
	c, _ := startMIDI(t)
	c.newSong()
	c.edit("midi", "humanize @all seed:9")
	before := c.querySong("list")
	grid := c.querySong("tracker Piano,Bass,Drums 1-4 res:16th")
	c.edit("midi", "remove @type:note")
	c.edit("midi", grid)
	if after := c.querySong("list"); after != before {
		t.Errorf("the notes were\n%s\nand are\n%s", before, after)
	}
}

func TestSongsAreExportedAndDrawn(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	c.newSong()
	for format, want := range map[string]string{"musicxml": "<score-partwise", "abc": "\nM:4/4\n", "csv": "track,name,tick,", "svg": "<svg", "png": "\x89PNG"} {
		c.session("midi", "export "+format+" as:./out."+format)
		if got := c.file(dir, "out."+format); !strings.Contains(got, want) {
			t.Errorf("%s begins %.60q", format, got)
		}
	}
	var res struct {
		Content []struct{ Type, MIMEType string }
	}
	c.request("tools/call", map[string]any{"name": "midi_query", "arguments": map[string]any{"q": "preview 1-2"}}, &res)
	if !slices.ContainsFunc(res.Content, func(x struct{ Type, MIMEType string }) bool { return x.Type == "image" && x.MIMEType == "image/png" }) {
		t.Errorf("the preview holds %v", res.Content)
	}
	text, failed := c.call("midi_session", map[string]any{"action": "export wav as:./out.wav"})
	if !failed || !strings.Contains(text, "needs a SoundFont 2") {
		t.Errorf("sound without a SoundFont: %s", text)
	}
}

// A SoundFont adds instruments and is what export wav plays with; the resources are read in parts.
func TestASoundFontPlaysTheSong(t *testing.T) {
	t.Parallel()
	c, dir := startMIDI(t)
	put(t, dir, "a.sf2", string(tinyfont.Make("Night", tinyfont.Preset{Name: "Moon Harp", Program: 46, Bank: 3})))
	c.newSong()
	c.refuseSong("unknown instrument", "track add Harp instrument:moon-harp")
	has(t, c.session("midi", "load-soundfont ./a.sf2"), "1 instrument")
	c.edit("midi", "track add Harp instrument:moon-harp")
	has(t, c.querySong("events Harp"), "cc bank 3", "program Moon Harp")
	has(t, c.querySong("map"), "Tracks ("+strconv.Itoa(4)+")")
	has(t, c.session("midi", "export wav as:./a.wav rate:22050"), "exported a.wav (wav, ")
	wave := c.file(dir, "a.wav")
	if want := "RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(wave)-8))) + "WAVEfmt "; !strings.HasPrefix(wave, want) || len(wave) < 22050*4*4 {
		t.Errorf("the wave file has %d bytes and begins with %q", len(wave), wave[:min(len(wave), 16)])
	}
	if left, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".part") }) {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// refuseSong sends ops that must fail with want.
func (c *client) refuseSong(want string, ops ...string) {
	c.t.Helper()
	text, failed := c.call("midi", map[string]any{"ops": ops})
	if !failed || !strings.Contains(text, want) {
		c.t.Errorf("%q: %s\nwant a refusal with %q", ops, text, want)
	}
}
