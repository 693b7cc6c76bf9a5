package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"pgregory.net/rapid"
)

// event is one event of a track as a file has it: its tick, and its bytes with the
// status.
type event struct {
	tick int64
	data string
}

// tracksOf reads the events of each track of a file, without our own code.
func tracksOf(file []byte) (out [][]event) {
	for rest := file[8+binary.BigEndian.Uint32(file[4:]):]; len(rest) >= 8; {
		size := min(int(binary.BigEndian.Uint32(rest[4:])), len(rest)-8)
		if string(rest[:4]) == "MTrk" {
			out = append(out, eventsOf(rest[8:8+size]))
		}
		rest = rest[8+size:]
	}
	return out
}

// eventsOf reads the events of a track up to its end.
func eventsOf(rest []byte) (out []event) {
	length := func() (n int64) {
		for {
			b := rest[0]
			rest, n = rest[1:], n<<7|int64(b&0x7F)
			if b < 0x80 {
				return n
			}
		}
	}
	take := func(n int64) string {
		s := string(rest[:n])
		rest = rest[n:]
		return s
	}
	var tick int64
	var running string
	for len(rest) > 0 {
		tick += length()
		status := running
		if rest[0] >= 0x80 {
			status = take(1)
		}
		data := status
		switch s := status[0]; {
		case s == 0xFF:
			data += take(1)
			data += take(length())
			if data[1] == 0x2F {
				return out
			}
		case s == 0xF0 || s == 0xF7:
			data += take(length())
		case s >= 0xC0 && s < 0xE0:
			data += take(1)
		default:
			data += take(2)
		}
		if status[0] < 0xF0 {
			running = status
		}
		out = append(out, event{tick, data})
	}
	return out
}

// note reports whether an event is a note-on or a note-off, ends whether it is the
// latter.
func (e event) note() bool { return e.data[0]&0xE0 == 0x80 }
func (e event) ends() bool { return e.data[0]&0xF0 == 0x80 || e.data[0]&0xF0 == 0x90 && e.data[2] == 0 }

// meta reports whether an event is a meta event of one of the types.
func (e event) meta(types string) bool {
	return e.data[0] == 0xFF && strings.Contains(types, e.data[1:2])
}

// gone lists the events of a that b does not have.
func gone(a, b []event) (out []event) {
	left := map[event]int{}
	for _, e := range b {
		left[e]++
	}
	for _, e := range a {
		if left[e]--; left[e] < 0 {
			out = append(out, e)
		}
	}
	return out
}

// scope is what an op names: the events that it may remove or add, given the track by
// its index in the file. Nil is none.
type scope struct{ remove, add func(track int, e event) bool }

// namer draws an op of a verb with what it names. Track 1 of the song has the index
// base in the file, and there are n of them.
type namer struct {
	*rapid.T
	n, base  int
	track    int // the track that the op names, from 1
	from, to int64
	ranged   bool
}

func (d *namer) pick(words ...string) string { return rapid.SampledFrom(words).Draw(d.T, "word") }

// on accepts events of the named track.
func (d *namer) on(is func(event) bool) func(int, event) bool {
	return func(track int, e event) bool { return track == d.base+d.track-1 && is(e) }
}

// within accepts events in the named range, and the ends of the notes that start there.
func (d *namer) within(is func(event) bool) func(int, event) bool {
	return d.on(func(e event) bool { return is(e) && (!d.ranged || e.tick >= d.from && (e.tick <= d.to || e.ends())) })
}

func anything(event) bool { return true }

func ofMeta(types string) func(int, event) bool {
	return func(_ int, e event) bool { return e.meta(types) }
}

func controls(numbers ...byte) func(event) bool {
	return func(e event) bool { return e.data[0]&0xF0 == 0xB0 && slices.Contains(numbers, e.data[1]) }
}

func message(kind byte) func(event) bool {
	return func(e event) bool { return e.data[0]&0xF0 == kind }
}

// sel is a selector for notes of the named track, in a range or not.
func (d *namer) sel() string {
	if d.ranged {
		return fmt.Sprintf("@track:#%d @range:tick:%d-tick:%d", d.track, d.from, d.to)
	}
	return fmt.Sprintf("@track:#%d", d.track)
}

// laws holds for each verb how its ops are made, with %t for the track and %s for the
// selector, and what they name.
var laws = map[string]struct {
	ops   []string
	names func(d *namer) scope
}{
	"note": adds("note %t C4 E4 at:2.1", "note %t G3 dur:quarter ch:3"), "line": adds(`line %t "C4 q, D4 e, rest q" at:2.1`), "chord": adds("chord %t Am7 at:1.3 dur:half"),
	"progression": adds(`progression %t "C F | G" at:3.1`), "arp": adds("arp %t Am at:1.1"), "scale": adds("scale %t D-dorian at:1.2"), "harmonize": adds("harmonize %t @track:#1 dur:1bar"),
	"drums": adds("drums %t at:1.1\nkick: x...x...\nend"), "beat": adds("beat %t kick:x... at:2.1 swing:60"), "tracker": adds("tracker %t import at:1.1\n0 | C4:q:80\ntracker end"),
	"abc": adds("abc %t at:2.1\nX:1\nL:1/8\nK:C\nC2 (3EFG A4 |\nabc end"), "add": adds("add note %t C4"),
	"transpose": changes("transpose +1 %s", "transpose -2 %s"), "snap": changes("snap %s to:C-major"), "reharmonize": changes(`reharmonize "C | F" %s`), "velocity": changes("velocity x0.9 %s", "velocity =70 %s"),
	"crescendo": changes("crescendo %s from:p to:f"), "decrescendo": changes("decrescendo %s from:90 to:40"), "quantize": changes("quantize %s", "quantize %s ends:true grid:eighth"),
	"swing": changes("swing 62 %s", "swing 58 %s grid:16th"), "humanize": changes("humanize %s seed:3"), "groove": changes("groove mpc-60 %s", "groove laid-back %s"), "legato": changes("legato %s"),
	"staccato": changes("staccato %s"), "strum": changes("strum %s by:ticks:5"), "invert": changes("invert +1 %s"), "stretch": changes("stretch x1.5 %s"), "reverse": changes("reverse %s"), "split": changes("split %s parts:2"),
	"modify": changes("modify %s vel:70", "modify %s dur:eighth", "modify %s pitch:+1"), "remove": {[]string{"remove %s", "remove %s @type:any"}, func(d *namer) scope { return scope{remove: d.within(anything)} }},
	"move":   {[]string{"move %s by:ticks:7", "move %s by:+1bar"}, func(d *namer) scope { return scope{d.within(event.note), d.on(event.note)} }},
	"copy":   adds("copy %s by:2bars", "copy %s to:9.1"),
	"repeat": adds("repeat %s count:2"),
	"track": {[]string{"track add Extra", "track duplicate %t Extra", "track rename %t Extra"}, func(d *namer) scope {
		name := d.on(func(e event) bool { return e.meta("\x03") })
		return scope{name, name}
	}},
	"program": sets(message(0xC0), "program %t vibraphone", "program %t 40 at:2.1"), "volume": sets(controls(7), "volume %t 90", "volume %t 40-90 @range:1-2"), "pan": sets(controls(10), "pan %t 30 at:2.1"),
	"cc": sets(controls(11), "cc %t expression 90 at:1.2", "cc %t expression 0-90 @range:1-2 curve:s"), "pedal": sets(controls(64), "pedal %t @range:1-2"), "bend": sets(message(0xE0), "bend %t 4096 at:2.1", "bend %t 0-8000 @range:1-2"),
	"pressure": sets(message(0xD0), "pressure %t 60 at:1.1"), "rpn": adding(controls(6, 38, 98, 99, 100, 101), "rpn %t bend-range 12 at:1.1"), "nrpn": adding(controls(6, 38, 98, 99, 100, 101), "nrpn %t 136 8192"),
	"sysex": adding(message(0xF0), "sysex %t F0 7E 7F 09 01 F7"), "mute": sets(func(e event) bool { return controls(7)(e) || e.meta("\x7F") }, "mute %t"),
	"mpe": sets(anything, "mpe %t"), "lyrics": sets(func(e event) bool { return e.meta("\x05") }, `lyrics %t "la la"`),
	"lyric": adding(anything, "lyric La at:1.2 track:%t"), "text": adding(anything, "text Hi at:1.2 track:%t"), "cue": adding(anything, "cue Go at:1.2 track:%t"),
	"solo": {[]string{"solo %t"}, func(*namer) scope {
		volume := func(_ int, e event) bool { return controls(7)(e) || e.meta("\x7F") }
		return scope{volume, volume}
	}},
	"tempo": marks("\x51", "tempo 90", "tempo 97 at:3.1", "tempo 60 @range:2-3", "tempo x0.5 @range:1-2", "tempo 90-120 @range:2-3"), "time-sig": marks("\x58", "time-sig 3/4 at:3.1"),
	"key-sig": marks("\x59", "key-sig Am at:2.1"), "marker": {[]string{"marker Here at:2.1"}, newMarker}, "section": {[]string{"section Here @range:2-3"}, newMarker}, "title": marks("\x03", "title Other"),
	"import": {ops: []string{"import Other"}, names: func(*namer) scope { return scope{} }}, "append": {ops: []string{"append Other"}, names: func(*namer) scope { return scope{add: func(int, event) bool { return true }} }},
	"insert": {ops: []string{"insert Other at:2.1"}, names: everything}, "arrange": {ops: []string{"arrange Here Here"}, names: everything}, "bars": {ops: []string{"bars insert 2", "bars delete 2"}, names: everything},
}

type law = struct {
	ops   []string
	names func(d *namer) scope
}

// adds is the law of verbs that add notes to a track and change nothing.
func adds(ops ...string) law { return adding(event.note, ops...) }

func adding(is func(event) bool, ops ...string) law {
	return law{ops, func(d *namer) scope { return scope{add: d.on(is)} }}
}

// changes is the law of verbs that change the notes that selectors match.
func changes(ops ...string) law {
	return law{ops, func(d *namer) scope { return scope{d.within(event.note), d.on(event.note)} }}
}

// sets is the law of verbs that set messages of a kind on a track.
func sets(is func(event) bool, ops ...string) law {
	return law{ops, func(d *namer) scope { return scope{d.on(is), d.on(is)} }}
}

// marks is the law of verbs that set meta events of a type, which any track may hold.
func marks(types string, ops ...string) law {
	return law{ops, func(*namer) scope { return scope{ofMeta(types), ofMeta(types)} }}
}

func newMarker(*namer) scope { return scope{add: ofMeta("\x06")} }

func everything(*namer) scope {
	all := func(int, event) bool { return true }
	return scope{all, all}
}

func TestEveryVerbHasALaw(t *testing.T) {
	for _, v := range domain().Verbs {
		if len(laws[v.Name].ops) == 0 {
			t.Errorf("%s: no law says what its ops may change", v.Name)
		}
	}
}

// realSongs reads the real files that are small and well-formed.
func realSongs(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	names, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Size() < 15000 && !strings.Contains(name, "not-a-midi") && !strings.Contains(name, "illegal") && !strings.Contains(name, "corrupt") {
			files[filepath.Base(name)] = load(t, name)
		}
	}
	return files
}

// TestAnOpChangesOnlyWhatItNames runs ops of all verbs on real files and compares, by
// another reader, the events of each track before and after.
func TestAnOpChangesOnlyWhatItNames(t *testing.T) {
	files := realSongs(t)
	verbs := slices.Sorted(maps.Keys(laws))
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(rt, "file")
		doc := pdktest.Open(t, domain(), "x.mid", files[name], around(t))
		for range rapid.IntRange(1, 4).Draw(rt, "ops") {
			before := tracksOf(doc.Save())
			d := &namer{T: rt, n: len(before), ranged: rapid.Bool().Draw(rt, "ranged")}
			if files[name][9] == 1 && d.n > 1 && !slices.ContainsFunc(tracksOf(files[name])[0], func(e event) bool { return e.data[0] < 0xF0 }) {
				d.base, d.n = 1, d.n-1 // the first track is the conductor
			}
			d.track = rapid.IntRange(1, d.n).Draw(rt, "track")
			d.from = rapid.Int64Range(0, 4000).Draw(rt, "from")
			d.to = d.from + rapid.Int64Range(0, 4000).Draw(rt, "length")
			verb := rapid.SampledFrom(verbs).Draw(rt, "verb")
			op := strings.NewReplacer("%t", fmt.Sprint("#", d.track), "%s", d.sel()).Replace(d.pick(laws[verb].ops...))
			reply, ok := doc.Try(op)
			if !ok {
				continue
			}
			named := laws[verb].names(d)
			after := tracksOf(doc.Save())
			for i := range before {
				for _, e := range gone(before[i], after[i]) {
					if (named.remove == nil || !named.remove(i, e)) && !strings.Contains(reply, "? in place of ") {
						rt.Fatalf("%s: %s\n%s\nremoves from track %d at tick %d % X", name, op, reply, i, e.tick, e.data)
					}
				}
				for _, e := range gone(after[i], before[i]) {
					if named.add == nil || !named.add(i, e) {
						rt.Fatalf("%s: %s\n%s\nadds to track %d at tick %d % X", name, op, reply, i, e.tick, e.data)
					}
				}
			}
		}
	})
}

func TestOpsOnTracksLeaveTheOthersAlone(t *testing.T) {
	for name, file := range realSongs(t) {
		before := tracksOf(file)
		if len(before) < 3 || binary.BigEndian.Uint16(file[8:]) == 2 {
			continue
		}
		doc := pdktest.Open(t, domain(), "x.mid", file)
		last, base := len(before), 0
		if !slices.ContainsFunc(before[0], func(e event) bool { return e.data[0] < 0xF0 }) {
			last, base = last-1, 1
		}
		same := func(op string, after ...[]event) {
			t.Helper()
			reply := doc.Do(op)
			if got := tracksOf(doc.Save()); !slices.EqualFunc(got[:len(after)], after, slices.Equal) {
				t.Errorf("%s: %s changes another track:\n%s", name, op, reply)
			}
			doc.Undo(1)
		}
		end := len(before) - 1
		same(fmt.Sprintf("track remove #%d", last), before[:end]...)
		same(fmt.Sprintf("track move #%d to:1", last), slices.Insert(slices.Clone(before[:end]), base, before[end])...)
		same(fmt.Sprintf("track merge #%d #%d", last, last-1), before[:end-1]...)
		same("track duplicate #1 Extra", before...)
		same("track add Extra", before...)
	}
}
