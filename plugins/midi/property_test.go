package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"pgregory.net/rapid"
)

// script draws ops with all verbs. It refers to tracks by number, so the same script
// runs on any file; some values are wrong on purpose.
func script(least, most int) *rapid.Generator[[]string] {
	pick := func(words ...string) *rapid.Generator[string] { return rapid.SampledFrom(words) }
	track := pick("1", "2", "3", "\"#1\"", "conductor", "Lead", "Bass", "Nobody")
	pos := pick("1.1", "1.2", "2.1.30", "3.1", "3.3", "5", "tick:0", "tick:777", "end", "+", "+eighth", "2.1+q.", "end:1", "marker:Verse", "1.9", "0.1", "x", "200.1")
	dur := pick("quarter", "eighth", "q.", "8t", "whole", "ticks:1", "ticks:97", "2bars", "3beats", "64th", "0", "-1", "ticks:0")
	pitch := pick("C4", "C4", "E4", "G4", "F#3", "Bb-1", "G9", "midi:60", "kick", "H2")
	vel := pick("mf", "1", "127", "64", "ppp", "0", "200")
	ch := pick("1", "2", "10", "16", "17")
	sel := pick("@all", "@recent", "@recent:3", "@track:1", "@track:2 @range:1-2", "@channel:1", "@range:1.1-2.4", "@range:3-3", "@pitch:C4", "@pitch:C3-C5",
		"@velocity:1-80", "@type:any", "@type:cc", "@type:tempo", "@type:any @range:2-4", "@not:pitch:C4", "@not:range:1-2", "@type:note-on", "@type:marker",
		"@type:any @not:type:note", "@track:3 @not:recent", "@velocity:90-10", "@type:sysex", "@type:text",
		"@drums", "@highest", "@lowest", "@hand:left", "@hand:up", "@above:C4", "@below:E4 @track:1", "@offbeat", "@chord-tones", "@beat:1,3", "@marker:Verse", "@chord", "@chord:C", "@cc", "@cc:volume", "@not:drums @beat:2-4")
	bpm := pick("120", "60", "33.3", "4", "1000", "0", "60 @range:2-3", "x0.5 @range:1.2-2", "120-60 @range:1-3")
	sig := pick("4/4", "3/4", "6/8", "7/16", "1/1", "4/3")
	key := pick("C-major", "Am", "F#-minor", "Cb", "H")
	optional := func(t *rapid.T, key string, g *rapid.Generator[string]) string {
		if rapid.IntRange(0, 2).Draw(t, "has "+key) == 0 {
			return ""
		}
		return " " + key + ":" + g.Draw(t, key)
	}
	op := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 65).Draw(t, "verb") {
		case 0, 1, 2:
			return "note " + track.Draw(t, "track") + " " + strings.Join(rapid.SliceOfN(pitch, 1, 3).Draw(t, "pitches"), " ") +
				optional(t, "at", pos) + optional(t, "dur", dur) + optional(t, "vel", vel) + optional(t, "ch", ch)
		case 3:
			return "note " + track.Draw(t, "track") + " rest" + optional(t, "dur", dur)
		case 4, 5:
			return "chord " + track.Draw(t, "track") + " " + strings.Join(rapid.SliceOfN(pick("C", "Am7", "G7/B", "F#m7b5", "C6/9", "Xm"), 1, 3).Draw(t, "chords"), " ") +
				optional(t, "at", pos) + optional(t, "dur", dur) + optional(t, "oct", pick("3", "9", "-1", "x")) + optional(t, "inv", pick("0", "1", "3"))
		case 6:
			return "track add " + pick("Lead", "Bass", "Drums", "\"A B\"", "Lead").Draw(t, "name") + optional(t, "instrument", pick("violin", "standard-kit", "bass", "foo")) + optional(t, "ch", ch) + optional(t, "bank", pick("129"))
		case 7:
			return "track remove " + track.Draw(t, "track")
		case 8:
			return "track rename " + track.Draw(t, "track") + " " + pick("Lead", "Bass", "New", "\"ü\"").Draw(t, "name")
		case 9:
			return "cc " + pick("1", "2", "Lead", "Bass", "*").Draw(t, "track") + " " + pick("volume", "64", "pan", "foo").Draw(t, "cc") + " " + pick("0", "64", "127", "on", "128", "now", "now-0 @range:1-2", "0-90 @range:2-3 curve:log", "0-90 @range:2-3 curve:sine every:ticks:7").Draw(t, "value") + optional(t, "at", pos) + optional(t, "ch", ch)
		case 10:
			return "tempo " + bpm.Draw(t, "bpm") + optional(t, "at", pos) + optional(t, "track", track)
		case 11:
			return "time-sig " + sig.Draw(t, "sig") + optional(t, "at", pos) + optional(t, "track", track)
		case 12:
			return "key-sig " + key.Draw(t, "key") + optional(t, "at", pos)
		case 13:
			return "marker " + pick("Verse", "Chorus", "\"\"").Draw(t, "name") + optional(t, "at", pos)
		case 14:
			return "title " + pick("One", "Two").Draw(t, "title")
		case 15, 16:
			return "remove " + sel.Draw(t, "sel")
		case 17:
			return "remove " + pick("tempo", "time-sig", "key-sig", "marker", "marker Verse", "cc 1 volume", "note 1 C4", "track 2").Draw(t, "what") + optional(t, "at", pos)
		case 18:
			return "move " + sel.Draw(t, "sel") + optional(t, "to", pos) + optional(t, "by", pick("+quarter", "-eighth", "ticks:7", "-2bars")) + optional(t, "track", track) + optional(t, "ch", ch)
		case 19:
			return "copy " + sel.Draw(t, "sel") + optional(t, "to", pos) + optional(t, "track", track) + optional(t, "ch", ch) + optional(t, "over", pick("true", "x"))
		case 20:
			return "repeat " + sel.Draw(t, "sel") + optional(t, "count", pick("1", "2", "0"))
		case 21:
			return "transpose " + pick("+1", "-12", "+60", "0").Draw(t, "n") + " " + sel.Draw(t, "sel") + optional(t, "in", pick("C-major", "D-dorian", "H"))
		case 22:
			return "velocity " + pick("+10", "-50", "x1.5", "=90", "mf", "x0").Draw(t, "v") + " " + sel.Draw(t, "sel")
		case 23:
			return "modify " + sel.Draw(t, "sel") + optional(t, "pitch", pick("C5", "+2", "kick")) + optional(t, "vel", vel) + optional(t, "dur", dur) +
				optional(t, "at", pos) + optional(t, "track", track) + optional(t, "ch", ch) + optional(t, "value", pick("3", "300"))
		case 24:
			return "tracker " + pick("1", "1,2", "Lead,Bass", "conductor", "1,1").Draw(t, "tracks") + " import" + optional(t, "at", pos) + optional(t, "res", dur) + optional(t, "ch", pick("1", "1,10", "17")) +
				"\n0 | C4:q:80 E4\n 3 | " + pick("C4+7:=90:112@3", "kick", ".", "H4").Draw(t, "cell") + "\ntracker end"
		case 25:
			if rapid.Bool().Draw(t, "tune") {
				return "abc" + pick("", " 1", " Lead", " conductor").Draw(t, "track") + optional(t, "at", pos) + optional(t, "over", pick("true", "x")) +
					"\nX:1\nL:1/8\nM:" + pick("4/4", "3/4", "5/8").Draw(t, "metre") + "\nK:D\n" + pick("D2 (3EFG A4 |", "D | [DF]4- [DF]2 z2 |\nw: la lu", "V:1\nC4|\nV:2\nE4|", "[CE").Draw(t, "tune") + "\nabc end"
			}
			return "quantize " + sel.Draw(t, "sel") + optional(t, "grid", dur) + optional(t, "strength", pick("50", "101")) + optional(t, "ends", pick("true"))
		case 26:
			return "swing " + pick("62", "33", "50").Draw(t, "percent") + " " + sel.Draw(t, "sel") + optional(t, "grid", dur)
		case 27:
			return "humanize " + sel.Draw(t, "sel") + optional(t, "seed", pick("3", "x")) + optional(t, "time", dur) + optional(t, "vel", pick("0", "64"))
		case 28:
			return "legato " + sel.Draw(t, "sel") + optional(t, "gap", dur)
		case 29:
			return "stretch " + pick("x2", "x0.37", "x100", "x0").Draw(t, "factor") + " " + sel.Draw(t, "sel")
		case 30:
			return "reverse " + sel.Draw(t, "sel")
		case 31:
			return "split " + sel.Draw(t, "sel") + " " + pick("parts:3", "at:1.2", "at:tick:50", "grid:8t", "grid:ticks:100", "parts:99").Draw(t, "cut")
		case 32:
			return pick("crescendo ", "decrescendo ").Draw(t, "way") + sel.Draw(t, "sel") + optional(t, "from", vel) + optional(t, "to", vel)
		case 33, 34:
			return "bars insert " + pick("1", "2", "3", "5").Draw(t, "bar") + optional(t, "count", pick("2", "7", "0")) + optional(t, "track", track)
		case 35, 36:
			return "bars delete " + pick("1", "2", "3", "1-2", "2-4").Draw(t, "bar") + optional(t, "count", pick("2", "3"))
		case 37:
			return "section " + pick("Verse", "Chorus").Draw(t, "name") + " " + pick("@range:1-1", "@range:2-3", "@range:1.3-2.2", "@range:tick:0-tick:50", "@all").Draw(t, "range")
		case 38:
			return "line " + track.Draw(t, "track") + " " + pick(`"C4 q, D4 e, rest q, E4 q."`, `"E4 G4 h f, F4 | E4 w mp"`, `"C4 q 64, H"`, `"C4 q 64, D4 e 30"`, `""`).Draw(t, "line") + optional(t, "at", pos) + optional(t, "dur", dur) + optional(t, "vel", vel)
		case 39:
			return "progression " + track.Draw(t, "track") + " " + pick(`"Dm7 G7 Cmaj7"`, `"ii7 V7 | Imaj7"`, `"C:half Am:half | %"`, `"C F/A | N.C. | / G7(b9)"`, `"Q"`).Draw(t, "chords") + optional(t, "at", pos) + optional(t, "dur", dur) +
				optional(t, "voicing", pick("close", "open", "drop2", "shell", "lead", "wide")) + optional(t, "rhythm", pick("x=.x", ".X=g=.x", "=", "xyz")) + optional(t, "over", pick("true", "x")) + optional(t, "strum", pick("ticks:10", "-ticks:10", "whole"))
		case 40:
			return "arp " + track.Draw(t, "track") + " " + pick("C", "Am F", "Xm").Draw(t, "chords") + optional(t, "pattern", pick("up", "down", "updown", "in", "downup", "converge", "diverge", "random seed:4", "random", "13.29", "..")) + optional(t, "gate", pick("50", "200", "0")) + optional(t, "dur", dur) + optional(t, "bars", pick("1", "2", "0")) + optional(t, "octaves", pick("2", "9"))
		case 41:
			return "scale " + track.Draw(t, "track") + " " + pick("D dorian", "Bb-major", "C odd").Draw(t, "scale") + optional(t, "pattern", pick("updown", "down")) + optional(t, "octaves", pick("2", "8")) + optional(t, "at", pos) + optional(t, "oct", pick("3", "9"))
		case 42:
			return "drums " + track.Draw(t, "track") + optional(t, "at", pos) + optional(t, "res", dur) + optional(t, "count", pick("2", "0")) + "\nkick: x...|X..g\nsnare: ..x.\n" + pick("hihat: x-x-\n", "H9: x\n", "").Draw(t, "more") + "end"
		case 43:
			return "beat " + track.Draw(t, "track") + " kick:x...x... " + pick("snare:....X...", "foo:x", "hihat:", "snare:f..r?.g.", "snare:E(3,8) swing:62", "snare:E(9,8)", "hihat:........ swing:90/x").Draw(t, "sound") + optional(t, "at", pos) + optional(t, "count", pick("2", "0")) + optional(t, "over", pick("true"))
		case 44:
			return "program " + track.Draw(t, "track") + " " + pick("vibraphone", "40", "128", "foo").Draw(t, "program") + optional(t, "at", pos) + optional(t, "bank", pick("1", "16384")) + optional(t, "ch", ch)
		case 45:
			return pick("mute ", "solo ").Draw(t, "verb") + track.Draw(t, "track") + pick("", " on", " off", " half").Draw(t, "way")
		case 46:
			return "bend " + track.Draw(t, "track") + " " + pick("4096", "-8192", "center", "8192", "0-8191 @range:1-2", "0-100", "1st", "-50c-+0.5st @range:1-2 curve:sine every:eighth", "3st", "now-2st @range:2-2 curve:s").Draw(t, "bend") + optional(t, "at", pos) + optional(t, "ch", ch)
		case 47:
			return "pressure " + track.Draw(t, "track") + " " + pick("60", "0-127 @range:1-2", "128", "now-9 @range:1-1 curve:exp", "9 curve:log").Draw(t, "pressure") + optional(t, "pitch", pitch) + optional(t, "at", pos)
		case 48:
			return pick("rpn ", "nrpn ").Draw(t, "verb") + track.Draw(t, "track") + " " + pick("bend-range 12", "fine-tune -100", "136 8192", "16384 1", "foo 1").Draw(t, "parameter") + optional(t, "at", pos) + optional(t, "ch", ch)
		case 49:
			return pick("lyric ", "text ", "cue ").Draw(t, "verb") + pick(`"Hal-"`, "ü", `""`, `"two words"`).Draw(t, "text") + optional(t, "at", pos) + optional(t, "track", track)
		case 50:
			return "sysex " + track.Draw(t, "track") + " " + pick("F0 7E 7F 09 01 F7", `"41 10 42"`, "80", "XX", "F0", "gm-on", "gs-off", "master-volume 90").Draw(t, "bytes") + optional(t, "at", pos)
		case 51:
			return "snap " + sel.Draw(t, "sel") + optional(t, "to", pick("C-major", "A-harmonic-minor", "chords", "H"))
		case 52:
			return "reharmonize " + pick(`"Am7 | D7"`, `"C F G"`, `"X"`).Draw(t, "chords") + " " + sel.Draw(t, "sel") + optional(t, "dur", dur)
		case 53:
			return "harmonize " + track.Draw(t, "track") + " " + sel.Draw(t, "sel") + optional(t, "in", key) + optional(t, "dur", dur) + optional(t, "over", pick("true"))
		case 54:
			return "pedal " + track.Draw(t, "track") + " " + pick("@range:1-2", "@range:1.3-4", "@all", "@range:tick:0-tick:90").Draw(t, "range") + optional(t, "every", dur) + optional(t, "ch", ch)
		case 55:
			return "lyrics " + track.Draw(t, "track") + " " + pick(`"la la"`, `"Hal-le-_ lu-"`, `"_"`, `""`).Draw(t, "words") + optional(t, "at", pos)
		case 56:
			return "groove " + pick("1", "2", "Lead", "Nobody", "mpc-62", "mpc-9", "laid-back", "pushed").Draw(t, "track") + " " + sel.Draw(t, "sel") + optional(t, "grid", dur) + optional(t, "strength", pick("50", "0"))
		case 57:
			return "staccato " + sel.Draw(t, "sel") + optional(t, "length", pick("30", "1", "95%"))
		case 58:
			return "strum " + sel.Draw(t, "sel") + optional(t, "by", pick("ticks:10", "-16th", "+32nd", "x"))
		case 59:
			return "invert " + pick("+1", "-2", "0", "8").Draw(t, "times") + " " + sel.Draw(t, "sel")
		case 60:
			return pick("import ", "append ", "insert ").Draw(t, "verb") + pick("Other", "./other.mid", "./none.mid").Draw(t, "source") + optional(t, "tracks", pick("Lead", "Drums,Lead", "x")) + optional(t, "bars", pick("1", "2-2", "1-9"))
		case 61:
			return "insert Other at:" + pick("1", "2.1", "3.1", "9", "1.2").Draw(t, "at")
		case 62:
			return "copy " + sel.Draw(t, "sel") + " from:Other" + optional(t, "to", pos) + optional(t, "track", track)
		case 63:
			return pick("section Verse bars:1-1", "section Chorus bars:2-3", "arrange Verse Verse", `arrange "Chorus Verse"`).Draw(t, "section")
		case 64:
			return "mpe " + track.Draw(t, "track") + optional(t, "zone", pick("upper", "lower", "x")) + optional(t, "voices", pick("2", "15", "0"))
		default:
			return "modify track " + track.Draw(t, "track") + optional(t, "name", pick("Solo", "Bass")) + optional(t, "instrument", pick("oboe", "jazz-kit")) +
				optional(t, "ch", ch) + optional(t, "volume", pick("90")) + optional(t, "pan", pick("64", "999"))
		}
	})
	return rapid.SliceOfN(op, least, most)
}

// around makes another song with its own time and sounds, as an open document and as a
// file.
func around(t *testing.T) *pdktest.World {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Other" tempo:90 time-sig:3/4 ppqn:96`)
	doc.Do("track add Lead instrument:flute", "track add Drums", "note Lead C5 E5 dur:half", "note Lead G5 dur:2bars", "note Drums kick at:1.1", "tempo 60 at:2.1", "marker Verse at:2.1", "cc Lead volume 70 at:2.1")
	return &pdktest.World{Documents: map[string][]byte{"Other": doc.Save(), "Intro": doc.Save()}, Files: map[string][]byte{"./other.mid": doc.Save()}}
}

func TestAnySequenceOfOpsOnANewSongKeepsTheLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ops := append([]string{"track add Lead", "track add Bass", "track add Drums", "note 1 C4 E4 dur:half", "note 2 C3 at:2.1"}, script(1, 20).Draw(rt, "ops")...)
		pdktest.New(t, domain(), `"Song"`, around(t)).Laws(ops...)
	})
}

func TestAnySequenceOfOpsOnAFileKeepsTheLaws(t *testing.T) {
	track := "MTrk\x00\x00\x00\x13\x00\xFF\x51\x03\x07\xA1\x20\x00\x90\x3C\x40\x60\x80\x3C\x40\x00\xFF\x2F\x00"
	files := map[string][]byte{
		"songs of their own": []byte("MThd\x00\x00\x00\x06\x00\x02\x00\x02\x01\xE0" + track + track),
		"SMPTE time":         []byte("MThd\x00\x00\x00\x06\x00\x00\x00\x01\xE7\x28" + track),
		"a coarse division":  []byte("MThd\x00\x00\x00\x06\x00\x01\x00\x01\x00\x05" + track),
	}
	names, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Size() < 3000 && !strings.Contains(name, "not-a-midi") {
			files[filepath.Base(name)] = load(t, name)
		}
	}
	small := slices.Sorted(maps.Keys(files))
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(small).Draw(rt, "file")
		ops := append([]string{"title T"}, script(1, 12).Draw(rt, "ops")...)
		pdktest.Open(t, domain(), "x.mid", files[name], around(t)).Laws(ops...)
	})
}

func TestEveryRealFileSurvivesAnEditAndItsUndo(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(name, "not-a-midi") {
				pdktest.OpenFails(t, domain(), "x.mid", data, "not a MIDI file", "at byte 0")
				return
			}
			doc := pdktest.Open(t, domain(), filepath.Base(name), data)
			if string(doc.Save()) != string(data) {
				t.Fatal("open and save changed the file")
			}
			doc.Do("track add Extra", "note Extra C4 at:1.1", "title Other")
			doc.Undo(3)
			if string(doc.Save()) != string(data) {
				t.Error("undo did not bring the bytes back")
			}
		})
	}
}

// FuzzOpen opens arbitrary bytes, runs every query and edits: a file that opens is
// saved as it was, and undo restores it.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("MThd\x00\x00\x00\x06\x00\x01\x00\x02\x01\xE0MTrk\x00\x00\x00\x0B\x00\xFF\x51\x03\x07\xA1\x20\x00\xFF\x2F\x00MTrk\x00\x00\x00\x10\x00\x90\x3C\x40\x60\x3C\x00\x00\xF0\x01\xF7\x00\xFF\x2F\x00"))
	f.Add([]byte("MThd\x00\x00\x00\x06\x00\x02\x00\x01\xE7\x28MTrk\x00\x00\x00\x14\x00\xFF\x58\x04\x03\x02\x18\x08\x00\xFF\x59\x02\x01\x00\x00\xC5\x05\x00\xFF\x2F\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := pdk.NewInstance(domain())
		if _, err := in.Open(&abi.OpenRequest{Name: "x.mid", Data: bytes.Clone(data)}); err != nil {
			return
		}
		save := func() []byte {
			out, err := in.Save(&abi.SaveRequest{})
			if err != nil {
				t.Fatal(err)
			}
			return out.Data
		}
		if !bytes.Equal(save(), data) {
			t.Fatal("open and save changed the file")
		}
		star := []abi.Positional{{Text: "*"}}
		for _, q := range []abi.Op{{Verb: "map"}, {Verb: "stats"}, {Verb: "tracks"}, {Verb: "describe", Positionals: star}, {Verb: "events", Positionals: star}} {
			if _, err := in.Query(&abi.QueryRequest{Query: q}); err != nil {
				t.Fatalf("%s: %v", q.Verb, err)
			}
		}
		anything := []abi.Select{{Type: "type", Value: "any"}}
		out, err := in.Apply(&abi.ApplyRequest{Each: true, Ops: []abi.Op{
			{Verb: "velocity", Positionals: []abi.Positional{{Text: "x0.5"}}, Selectors: []abi.Select{{Type: "all"}}},
			{Verb: "move", Selectors: anything, Params: []abi.KeyValue{{Key: "by", Value: "ticks:10"}}},
			{Verb: "copy", Selectors: anything, Params: []abi.KeyValue{{Key: "to", Value: "tick:1"}}},
			{Verb: "track", Positionals: []abi.Positional{{Text: "add"}, {Text: "New"}}},
			{Verb: "remove", Selectors: anything},
		}})
		if err != nil {
			t.Fatal(err)
		}
		save()
		var r abi.EventsRequest
		for i := len(out.Results) - 1; i >= 0; i-- {
			events := out.Results[i].Events
			for j := len(events) - 1; j >= 0; j-- {
				r.Events = append(r.Events, events[j])
			}
		}
		if _, err := in.Reverse(&r); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(save(), data) {
			t.Fatal("undo did not bring the bytes back")
		}
	})
}
