package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// barsSeen is the number of bars of each track that are compared one by one.
const barsSeen = 20

// songElements reads a song: its tracks, their settings, each bar of each track, and the kinds of events that all tracks
// share.
func songElements(_ testing.TB, ask func(q string) string, _ []byte) map[string]element {
	out := map[string]element{}
	put := func(id, parent, text string, names ...string) {
		e, ok := out[id]
		if !ok {
			e = element{parent: parent, names: []string{"bars", "insert", "all"}}
		}
		e.text += text
		for _, n := range names {
			if !slices.Contains(e.names, n) {
				e.names = append(e.names, n)
			}
		}
		out[id] = e
	}
	for l := range strings.Lines(ask("tracks")) {
		number, rest, _ := strings.Cut(strings.TrimSpace(l), ". ")
		name, rest, music := strings.Cut(rest, " ch:")
		if !music {
			continue
		}
		channel, _, _ := strings.Cut(rest, " ")
		put("order", "", name+"\n", "track", "merge", "rename", "name", "note", "add", "line", "chord", "progression", "arp", "scale", "beat")
		put(name, "", "", name, number, channel)
		put(name+" setup", name, "", "solo")
		for bar := 1; bar <= barsSeen; bar++ {
			put(fmt.Sprint(name, " ", bar), name, "", barNames(bar)...)
			if channel == "10" {
				put(fmt.Sprint(name, " ", bar), name, "", "drums")
			}
		}
	}
	for l := range strings.Lines(ask("events * from-line:1")) {
		l = strings.TrimSuffix(l, "\n") + "\n"
		place, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		track, what, _ := strings.Cut(strings.TrimSpace(rest), ": ")
		kind, value, _ := strings.Cut(what, " ")
		first, _, _ := strings.Cut(value, " ")
		bar, _, _ := strings.Cut(place, ".")
		switch {
		case kind == "marker":
			put("marker "+value, "", l, "marker", "section", value, place)
		case track == "conductor":
			put(kind, "", l, kind, "title", map[string]string{"tempo": "bpm", "time-sig": "meter", "key-sig": "key"}[kind])
		case kind == "note":
			put(track+" "+bar, track, l, first, place, "C3-C5", "C5-C3", "60-90", "90-60", "1-20", "chord")
		default:
			put(track+" setup", track, l, kind, first)
		}
	}
	return out
}

// barNames returns the names of a bar of this song.
func barNames(bar int) []string {
	names := []string{fmt.Sprint(bar), "bar", "note", "beat", "Verse"}
	if bar > 4 {
		names[4] = "Chorus"
	}
	for from := 1; from <= bar; from++ {
		for to := bar; to <= 8; to++ {
			names = append(names, fmt.Sprintf("%d-%d", from, to))
		}
	}
	for beat := 1; beat <= 4; beat++ {
		names = append(names, fmt.Sprintf("%d.%d", bar, beat))
	}
	return names
}

func midiSubject() *subject {
	op := func(texts ...string) (out []mistake) {
		for _, text := range texts {
			out = append(out, mistake{kind: abi.TryOp, text: text})
		}
		return out
	}
	// Ops that models send that know other programs.
	foreign := op("set tempo 140", "set tempo to 140", "set_tempo 140", "settempo 140", "tempo=140", "tempo bpm:140", "tempo 140 6.1", "tempo 140 at bar 6", "set title Monday", "set key D-major",
		"time-sig 6/8 9.1", "time signature 6/8 at:9.1", "delete bars 3", "delete bars 3-4", "insert bar 3", "insert bars 3 2", "bars insert 2 at 3", "rename track Low Deep", "rename Low to Deep",
		"duplicate track Low", "delete track Air", "create_track Lead", "addTrack Lead", "track new Lead", "track add Lead violin", "track add Lead instrument=violin", "set volume Low to 80",
		"Low volume 80", "volume 80 Low", "volume Low 80 at 3.1", "pan Low left 30", "sustain Keys on at:2.1", "reverb Keys 60", "pitch bend Keys 1000", "note C4 Keys", "note Keys C4 quarter",
		"note Keys C4 6.1 quarter", "note Keys C4 dur=half", "note Keys C4 bar:6 beat:2", "note Keys C4,E4", "note Keys Am", "note Keys pitch:C4 dur:half", "note Keys C4 @6.1", "note Q C4",
		"chord Keys C4 E4 G4", "chord Keys A-minor", "chord Keys A minor", "chord Keys Am half", "chord Am Keys", "arp Keys Am up", "scale Air dorian", "scale Air C major up", "marker Coda 8.1",
		"marker Coda bar 8", "lyric moon 3.1", "transpose Keys +2", "transpose Keys 2", "velocity Keys 100", "quantize @track:Air grid=eighth", "repeat @track:Keys @range:1-2 times:2",
		"repeat @track:Keys 2 times", "copy @range:1-2 to=9.1", "drums Kit\nkick: x...", "remove marker Vers", "remove track:Air", "remove Air", "duplicate bars 1-2", "section Bridge 6-7")
	return &subject{
		domain: "midi", file: "song.mid", look: songElements,
		build: []string{
			`title "Sunday"`, "track add Keys", "track add Low instrument:acoustic-bass", "track add Kit instrument:jazz-kit", "track add Air instrument:flute",
			"chord Keys C Am F G7 dur:whole at:1.1 oct:3", `line Keys "E5 e, F5 e, G5 q, A5 h, G5 w" at:5.1 vel:f`, `line Low "C2 h, G2 h, A2 w, F2 w, G2 w" at:1.1`,
			"beat Kit kick:x...x... snare:..x...x. hihat:xxxxxxxx res:eighth at:1.1 count:4", "note Air C5 E5 at:2.1.30 dur:half vel:60", "note Air G4 at:7.1",
			"tempo 96 at:3.1", "time-sig 3/4 at:7.1", "key-sig Am at:5.1", "marker Verse", "marker Chorus at:5.1", "lyric sun track:Air at:2.1", "cue Lights at:3.1",
			"cc Keys volume 90", "cc Keys sustain on at:2.1", "cc Keys sustain off at:4.1", "volume Low 100-60 @range:3-4", "program Air oboe at:7.1",
		},
		after: []string{"note Air D5 at:8.1", "note Air B4 at:9.1"},
		files: map[string]string{"plain.txt": "no font"},
		ops: []string{
			"note Keys C4 E4 at:6.1 dur:quarter vel:mf ch:2", "add note Keys C5 at:6.2 dur:eighth velocity:90", `line Low "C2 q, rest e, E2 q. f | G2 h" at:9.1`,
			"chord Keys Am7 G7/B at:8.1 dur:half oct:3 inv:1 voicing:open strum:64th", `progression Keys "Dm7 G7:half C:half" at:8.1`,
			"arp Keys Cmaj7 pattern:updown dur:16th bars:2 octaves:2 at:8.1", "scale Air D dorian pattern:down octaves:2 at:8.1",
			"beat Kit kick:x...x... snare:....x... at:8.1 res:16th count:2",
			"track add Horn instrument:french-horn ch:7", "track rename Low Deep", "track duplicate Keys Copy ch:9", "track remove Air", "track move Low to:1", "track merge Air Keys",
			"program Keys vibraphone at:5.1 bank:1", "volume Keys 80 at:6.1", "pan Keys left-right @range:1-2", "mute Low on", "solo Keys", "cc Keys expression 40-110 @range:1-2",
			"bend Keys 4096 at:2.1", "pressure Keys 60 pitch:C3 at:2.1", "rpn Keys bend-range 12 at:2.1", "sysex Keys 7E 7F 09 01",
			"tempo 120-140 @range:5-6 step:quarter", "tempo 92.5 at:5.1", "time-sig 6/8 at:9.1", "key-sig G-major at:9.1", "marker Coda at:8.1", "section Bridge @range:6-7",
			"bars insert 3 count:2", "bars delete 3-4", "lyric moon at:3.1 track:Air", "title Monday",
			"remove @track:Air @range:2-2", "remove marker Chorus", "remove tempo at:3.1", "remove cc Keys sustain at:4.1", "remove note Air C5 at:2.1.30",
			"move @track:Air to:9.1", "move @range:3-4 by:-quarter", "move marker Chorus to:6.1", "copy @track:Low @range:1-2 to:8.1 track:Air", "repeat @track:Keys @range:1-2 count:2",
			"modify @track:Air vel:70 dur:quarter", "modify track Air instrument:oboe volume:70 name:Wind", "transpose +2 @track:Keys in:C-major", "velocity x0.8 @range:1-2",
			"velocity +5 @pitch:C3-C5", "velocity -5 @drums", "velocity +3 @marker:Verse", "velocity +4 @chord:Am", "velocity +6 @beat:2-3", "modify @cc:sustain value:100", "remove @type:lyric",
			"quantize @track:Air grid:eighth strength:80", "swing 62 @track:Kit grid:eighth", "humanize @track:Keys seed:7 time:ticks:5", "legato @track:Low gap:ticks:10",
			"stretch x0.5 @track:Keys @range:5-6", "reverse @track:Low", "split @track:Low parts:2", "crescendo @track:Kit from:p to:f",
		},
		queries: []string{"events Low 1-2", "describe Keys", "list @track:Air @range:2-7", "find C5", "piano-roll Keys 1-2 res:16th", "tracker Keys,Low 1-2 res:eighth", "chords 1-4",
			"preview 1-2 width:800", "instruments violin", "lint Keys", "tempo", "signatures"},
		actions: []string{`new "Other" tempo:90 time-sig:3/4 key:D-minor ppqn:960`, "export csv as:./out.csv"},
		mistakes: append(append(foreign, op(
			"tempo abc", "tempo -3", "tempo 5000", "tempo 60 @range:3-4", "tempo 120-140", "time-sig 4", "time-sig 4/3", "time-sig 0/4", "key-sig H", "key-sig G#-major", "key-sig C-majr",
			"note Keys C", "note Keys C11", "note Keys kick", "note Kit kik", "note Keys C4 C4", "note Keys H4", "note Keys C4 at:4.5", "note Keys C4 at:0.1", "note Keys C4 at:1:3",
			"note Keys C4 at:marker:Chrous", "note Keys C4 at:end:Ari", "note Keys C4 at:1.1.900", "note Keys C4 dur:quater", "note Keys C4 dur:480", "note Keys C4 dur:1.5",
			"note Keys C4 dur:half-dotted", "note Keys C4 dur:crotchet", "note Keys C4 vel:200", "note Keys C4 vel:0", "note Keys C4 vel:loud", "note Keys C4 ch:17", "note Nobody C4",
			"note conductor C4", `note "Keys C4`, "note Keys C4 duration:eighth", "note Kyes C4 vel:200 dur:quater",
			`line Keys "C4 q D4 e"`, `line Keys "C4 q, | D4 e"`, `line Keys "C4 quater"`, `line Keys ""`, "chord Keys am7", "chord Keys Cmaj77", "chord Keys C7(b9)", "chord Keys Hm", "chord Keys C inv:9",
			"chord Keys C oct:12", "chord Keys C strum:whole", `progression Keys "Dm7 Zz"`, `progression Keys "C:halff"`, "scale Air C locrain", "scale Air H major", "arp Keys Am pattern:sideways",
			"beat Kit kick:x..x snare:xx", "beat Kit kick:o.o.", "beat Kit kik:x...", "beat Kit", "beat Keys kick:x...",
			"track add Keys", `track add ""`, "track add Electric Piano", "track add X instrument:violn", "track add X instrument:synth", "track add X instrument:jazz-kit ch:3", "track add X instrument:violin ch:10",
			"track add X program:violin", "track add X bank:3.12", "track remove Violin", "track remove Ke", "track remove conductor", "track rename Keys Low", "track move Keys", "track merge Keys Keys",
			"track delete Air", "program Kit violin", "program Keys jazz-kit", "program Keys 200", "cc Keys volum 3", "cc Keys volume 300", "volume Keys 40-100", "volume Keys 90 @range:3-4", "pan Keys centr",
			"mute Keys of", "bend Keys 9000", "rpn Keys bend-range 200", "sysex Keys 0x7E 0x01", "sysex Keys 7E 80",
			"remove", "remove Keys", "remove @track:Violin", "remove @track:Ke", "remove @velocity:loud", "remove @velocity:90-60", "remove @range:bad", "remove @range:2-1", "remove @range:1-99.1",
			"remove @pitch:C9", "remove @pitch:C5-C3", "remove @channel:17", "remove @channel:1-20", "remove @type:tmepo", "remove @drums:kick", "remove @all at:2.1", "remove @all track:Air",
			"remove @all:5", "remove @recent:x", "remove tempo", "remove tempo at:9.1", "remove tempo 3.1", "remove marker Chrous", "remove lyric moon", "remove note Keys", "remove track Air at:2.1",
			"remove bars 3-4", "remove section Chorus", "remove @bogus:3", "transpose 2", "transpose +2 Keys", "transpose 200 @track:Air", "transpose +120 @track:Air", "transpose +2 @track:Kit @track:Keys",
			"transpose +2 @range:1-1 @drums", "velocity 200 @track:Air", "velocity 80% @track:Air", "velocity loud @track:Air", "velocity +3 @marker:Nope", "quantize Air", "quantize @track:Air grid:0",
			"quantize @track:Air strength:150", "swing 99 @track:Kit", "stretch 150% @track:Air", "stretch x2 @type:any", "split @track:Low", "split @track:Low parts:1", "crescendo @track:Kit from:f to:p",
			"move @track:Air", "move @track:Air at:9.1", "move @track:Air to:9.1 by:quarter", "move @track:Air by:-99bars", "move tempo at:1.1 to:3.1", "copy @track:Air", "copy @type:tempo to:1.1",
			"repeat @track:Keys count:0", "repeat @track:Keys count:2 to:40.1", "modify @track:Air", "modify Air vel:50", "modify @track:Air value:3", "modify track Kit instrument:violin",
			"modify track Air volume:300", "bars insert 0", "bars insert 99", "bars delete 40", "bars delete 6-40", "bars delete 4-3", "bars turn 1", "section Bridge", `marker ""`,
			"rename Low Deep", "bpm 90", "key C-minor", "meter 6/8 at:9.1", "delete @track:Air", "delete track Air", "instrument Air flute", "fade Low 100-0 @range:1-2", "undo", "save", "map", "add Keys C4",
			"add Keys Am7", "add blob X", "insert 3 count:2", "tracker Keys import at:1.1", "frobnicate @all", "@all", "123", "",
			"chord Keys C voicing:wide", "chord Keys Xm7", `sysex Keys "7E 80"`, "humanize @all vel:100", "humanize @all seed:-1", "split @all at:2.1 parts:2", "velocity x-1 @all", "velocity +5 @pich:C4",
			"velocity +5 @beat:0", "velocity +5 @channel:17", "remove @velocity:128", "tempo fast", "tempo 120bpm at:x", "bars delete 0", "repeat @track:Low to:1.2", "crescendo @track:Kit from:ff",
		)...),
			mistake{kind: abi.TryAction, text: "undo start"}, mistake{kind: abi.TryAction, text: "undo to start"}, mistake{kind: abi.TryAction, text: "goto start"},
			mistake{kind: abi.TryAction, text: "save as ./other.mid"}, mistake{kind: abi.TryAction, text: "load ./song.mid"}, mistake{kind: abi.TryAction, text: "open file:song.mid"},
			mistake{kind: abi.TryAction, text: "open ./sogn.mid"}, mistake{kind: abi.TryAction, text: "export out.csv"}, mistake{kind: abi.TryAction, text: "new My Song tempo:90"},
			mistake{kind: abi.TryQuery, text: "get tempo"}, mistake{kind: abi.TryQuery, text: "list tracks"}, mistake{kind: abi.TryQuery, text: "events Low bars:1-2"},
			mistake{kind: abi.TryAction, text: "load-soundfont ./plain.txt"}, mistake{kind: abi.TryAction, text: "load-soundfont"}, mistake{kind: abi.TryAction, text: "load-soundfont ./nope.sf2"},
			mistake{kind: abi.TryAction, text: `new "X" tempo:0`}, mistake{kind: abi.TryAction, text: `new "X" key:H time-sig:4/3`}, mistake{kind: abi.TryAction, text: "export wav as:./x.wav"},
			mistake{kind: abi.TryQuery, text: "events Violin"}, mistake{kind: abi.TryQuery, text: "events Low 4-2"}, mistake{kind: abi.TryQuery, text: "piano-roll Keys 1-8 res:ticks:1"},
			mistake{kind: abi.TryQuery, text: "tracks @track:Air"}, mistake{kind: abi.TryQuery, text: "tracker Keys"}, mistake{kind: abi.TryQuery, text: "preview width:9"},
			mistake{kind: abi.TryQuery, text: "instruments synht"}, mistake{kind: abi.TryQuery, text: "list @pitch:C9"},
		),
		fewest:   1200,
		removers: []string{"remove", "delete", "rename", "merge", "name", "undo", "title"},
		first:    []string{"track"},
		foreign:  []string{"Piano", "Drums", "Strings", "vibraphone at:9.1"},
	}
}

func TestWhatIsSuggestedForASongWorksAndDoesNoMore(t *testing.T) {
	t.Parallel()
	tryAll(t, midiSubject())
}
