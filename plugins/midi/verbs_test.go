package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// band makes a song with three tracks.
func band(t *testing.T, ops ...string) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Band"`)
	doc.Do("track add Piano", "track add Bass instrument:acoustic-bass", "track add Drums")
	if len(ops) > 0 {
		doc.Do(ops...)
	}
	return doc
}

func TestVerbsReply(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []string
		op     string
		want   string
	}{
		{"a note goes to 1.1 at first", nil, "note Piano C4", "+ Note C4 on Piano at 1.1 dur:quarter vel:80"},
		{"and then right after the last one", []string{"note Piano C4 at:2.1 dur:half"}, "note Piano D4", "+ Note D4 on Piano at 2.3 dur:quarter vel:80"},
		{"+DUR counts from the last one's start", []string{"note Piano C4 at:2.1 dur:half"}, "note Piano D4 at:+eighth", "+ Note D4 on Piano at 2.1.240 dur:quarter vel:80"},
		{"each track has its own last note", []string{"note Piano C4 at:2.1"}, "note Bass E2", "+ Note E2 on Bass at 1.1 dur:quarter vel:80"},
		{"a rest leaves a gap", []string{"note Piano C4", "note Piano rest dur:half"}, "note Piano D4", "+ Note D4 on Piano at 1.4 dur:quarter vel:80"},
		{"several pitches sound together", nil, "note Piano C4 E4 G4 dur:q. vel:ff", "+ Notes C4 E4 G4 on Piano at 1.1 dur:dotted-quarter vel:112"},
		{"another channel is mentioned", nil, "note Piano C4 ch:5", "+ Note C4 on Piano at 1.1 dur:quarter vel:80 ch:5"},
		{"drums have names", nil, "note Drums kick Closed-Hi-Hat at:1.3", "+ Notes kick closed-hi-hat on Drums at 1.3 dur:quarter vel:80"},
		{"numbers are pitches, too", nil, "note Piano midi:61", "+ Note C#4 on Piano at 1.1 dur:quarter vel:80"},
		{"an odd length is told in ticks", nil, "note Piano C4 dur:ticks:77", "+ Note C4 on Piano at 1.1 dur:ticks:77 vel:80"},
		{"the end is where the last event is", []string{"note Piano C4 dur:2bars"}, "note Bass C2 at:end", "+ Note C2 on Bass at 3.1 dur:quarter vel:80"},
		{"a marker is a position", []string{"marker \"Verse 1\" at:9.1"}, "note Piano C4 at:marker:\"Verse 1\"", "+ Note C4 on Piano at 9.1 dur:quarter vel:80"},
		{"a length may follow a marker", []string{"marker Verse at:3.2"}, "note Piano C4 at:marker:Verse+q.", "+ Note C4 on Piano at 3.3.240 dur:quarter vel:80"},
		{"a plus may be a marker's own", []string{"marker A+q at:3.2", "marker A at:5.1"}, "note Piano C4 at:marker:A+q", "+ Note C4 on Piano at 3.2 dur:quarter vel:80"},
		{"a length may follow a track's end", []string{"note Piano C4"}, "note Bass C2 at:end:Piano+half", "+ Note C2 on Bass at 1.4 dur:quarter vel:80"},
		{"a chord tells its notes", nil, "chord Piano F#m7b5 at:2.1 dur:half", "+ Chord F#m7b5 (F#4 A4 C5 E5) on Piano at 2.1 dur:half vel:80"},
		{"chords follow one another", nil, "chord Piano Dm7 G7 C/E oct:3 dur:whole", "+ Chords Dm7 (D3 F3 A3 C4), G7 (G3 B3 D4 F4), C/E (E2 C3 E3 G3) on Piano at 1.1 dur:whole vel:80"},
		{"an inversion", nil, "chord Piano C inv:1", "+ Chord C (E4 G4 C5) on Piano at 1.1 dur:quarter vel:80"},
		{"a track takes the first free channel", nil, "track add Flute instrument:flute", "+ Track Flute ch:3 flute"},
		{"a kit plays on channel 10", nil, "track add Kit instrument:jazz-kit", "+ Track Kit ch:10 jazz-kit"},
		{"a guess is never silent", nil, "track add X instrument:honky", "+ Track X ch:3 honky-tonk-piano\n? instrument \"honky\" is taken as honky-tonk-piano (program 3)"},
		{"programs count from 0", nil, "track add X program:40 ch:9", "+ Track X ch:9 violin"},
		{"a track is removed with its notes", []string{"note Bass C2"}, "track remove Bass", "- Track Bass with 1 note\n? track 3 is now 2"},
		{"a track is renamed", nil, "track rename piano Keys", "* Track Piano is now Keys"},
		{"a controller by name", nil, "cc Piano sustain on at:2.1", "+ CC sustain 127 on Piano at 2.1"},
		{"a controller at the same place is replaced", []string{"cc Piano 7 100"}, "cc Piano volume 90", "* CC volume 90 on Piano at 1.1 (was 100)"},
		{"a tempo", nil, "tempo 92.5 at:5.1", "+ Tempo 92.5 at 5.1"},
		{"a tempo with its unit", nil, "tempo 92.5 BPM at:5.1", "+ Tempo 92.5 at 5.1"},
		{"a tempo at the same place is replaced", nil, "tempo 60", "* Tempo 60 at 1.1"},
		{"a time signature", nil, "time-sig 7/8 at:3.1", "+ Time signature 7/8 at 3.1"},
		{"inside a bar it cuts it short", nil, "time-sig 3/4 at:2.3", "+ Time signature 3/4 at 2.3\n? the signature comes inside bar 2, which ends there; bar 3 starts with it"},
		{"a key", nil, "key-sig F# minor at:2.1", "+ Key F#-minor at 2.1"},
		{"a marker", nil, "marker Verse at:5.1", "+ Marker Verse at 5.1"},
		{"chords by their degrees", nil, `progression Piano "ii7 V7 | Imaj7"`, "+ Progression Dm7 G7 Cmaj7 on Piano at 1.1 to 3.1: 12 notes"},
		{"an instrument's own parameter", nil, "nrpn Piano 136 8192", "+ NRPN 136 8192 on Piano at 1.1"},
		{"a remark", nil, "text \"Played by heart\" at:2.1", "+ Text \"Played by heart\" at 2.1"},
		{"a cue at the same place is replaced", []string{"cue Slam at:9.1"}, "cue \"Door shuts\" at:9.1", "* Cue \"Door shuts\" at 9.1\n? in place of cue \"Slam\" at 9.1"},
		{"a title", nil, "title \"Blue in Green\"", "* Title Blue in Green"},
		{"one event is removed by what it is", []string{"note Piano C4"}, "remove @pitch:C4", "- note C4 dur:quarter vel:80 on Piano at 1.1"},
		{"several by their number", []string{"note Piano C4 E4", "tempo 90 at:2.1"}, "remove @type:any @range:1.1-9.1 @not:type:name @not:type:program @not:type:time-sig @not:type:key-sig", "- 2 tempo, 2 notes"},
		{"a tempo is removed by its place", []string{"tempo 90 at:2.1"}, "remove tempo at:2.1", "- tempo 90 on conductor at 2.1"},
		{"a marker by its name", []string{"marker Verse at:2.1"}, "remove marker verse", "- marker \"Verse\" on conductor at 2.1"},
		{"a note by its place", []string{"note Piano C4 E4"}, "remove note Piano C4 at:1.1", "- note C4 dur:quarter vel:80 on Piano at 1.1"},
		{"a controller by its name", []string{"cc Piano pan 64"}, "remove cc Piano pan", "- cc pan 64 on Piano at 1.1"},
		{"the universal remove takes tracks", nil, "remove track Bass", "- Track Bass with 0 notes\n? track 3 is now 2"},
		{"a move keeps distances", []string{"note Piano C4 at:1.2", "note Piano D4 at:2.1"}, "move @track:Piano to:5.1", "@ Moved 2 notes to 5.1"},
		{"@range is moved by its start", []string{"note Piano C4 at:1.2"}, "move @range:1.1-1.4 to:5.1", "@ Moved note C4 dur:quarter vel:80 on Piano at 1.2 to 5.2"},
		{"a move by a length", []string{"note Piano C4 at:2.1"}, "move @recent by:-eighth", "@ Moved note C4 dur:quarter vel:80 on Piano at 2.1 to 1.4.240"},
		{"a move to another track", []string{"note Piano C4"}, "move @recent track:Bass", "@ Moved note C4 dur:quarter vel:80 on Piano at 1.1 to 1.1 on Bass"},
		{"a tempo moves", []string{"tempo 90 at:2.1"}, "move tempo at:2.1 to:3.1", "@ Moved tempo 90 on conductor at 2.1 to 3.1"},
		{"a copy", []string{"note Piano C4 at:1.2"}, "copy @range:1-1 to:3.1", "+ Copied note C4 dur:quarter vel:80 on Piano at 1.2 to 3.2"},
		{"names in a list may hold commas and blanks", []string{"note Bass C2", `track rename Piano "Keys, left"`, `track rename Bass "Low strings"`}, `velocity -6 @track:"Keys, left","Low strings",Drums`, "* Velocity -6 for note C2 dur:quarter vel:74 on Low strings at 1.1"},
		{"a note that a player struck early is named", []string{"note Bass C2 at:1.4.479 dur:half", "note Bass E2 at:2.2", "note Piano C4 at:1.4.450 dur:ticks:30"}, "velocity +5 @range:2", "* Velocity +5 for note E2 dur:quarter vel:85 on Bass at 2.2\n? 1 note just before bar 2: C2 on Bass at 1.4.479; not in the range, @range:1.4.479-2 includes it"},
		{"a copy an octave higher", []string{"note Piano C4 E4"}, "copy @track:Piano track:Bass transpose:12", "+ Copied 2 notes to 1.1 on Bass, transposed by +12"},
		{"a copy on another track", []string{"note Piano C4 E4"}, "copy @track:Piano track:Bass", "+ Copied 2 notes to 1.1 on Bass"},
		{"a repeat fills whole bars", []string{"note Piano C4 at:1.1", "note Piano C4 at:2.3"}, "repeat @track:Piano count:2", "+ Repeated 2 notes 2 times, up to 7.1"},
		{"a repeat fills its @range", []string{"note Piano C4"}, "repeat @range:1.1-1.2 count:3", "+ Repeated note C4 dur:quarter vel:80 on Piano at 1.1 3 times, up to 3.1"},
		{"a repeat up to a place", []string{"note Piano C4"}, "repeat @recent to:5.1", "+ Repeated note C4 dur:quarter vel:80 on Piano at 1.1 3 times, up to 5.1"},
		{"a transposition over a change of key", []string{"note Piano C4 dur:2bars", "note Piano E4 at:2.1", "key-sig F-major at:2.1"}, "transpose +5 @track:Piano", "* Transposed 2 notes by +5\n? the key signatures C-major at 1.1, F-major at 2.1 stay; key-sig sets others"},
		{"a transposition", []string{"note Piano C4 E4"}, "transpose +5 @track:Piano", "* Transposed 2 notes by +5\n? the key signature C-major at 1.1 stays; key-sig sets another"},
		{"one part's leaves the key as it is", []string{"note Piano C4 E4", "note Bass C2"}, "transpose +5 @track:Piano", "* Transposed 2 notes by +5"},
		{"drums are left out of it", []string{"note Piano C4", "note Drums kick"}, "transpose -12 @all", "* Transposed note C3 dur:quarter vel:80 on Piano at 1.1 by -12\n? left out: 1 drum note on channel 10; @channel:10 means them"},
		{"louder, up to the end of the range", []string{"note Piano C4 vel:120", "note Piano D4"}, "velocity +10 @all", "* Velocity +10 for 2 notes\n? 1 note stopped at the end of the range, 1 or 127"},
		{"a modification", []string{"note Piano C4"}, "modify @recent dur:half vel:=90 pitch:D4 at:2.1", "* Modified note C4 dur:quarter vel:80 on Piano at 1.1: now note D4 dur:half vel:90 on Piano at 2.1"},
		{"of a track", nil, "modify track Bass instrument:fretless-bass name:Low volume:90 ch:7", "* Track Low ch:7 fretless-bass"},
		{"in the seeds' spelling", nil, "modify track:Drums volume:80", "* Track Drums ch:10 standard-kit"},
		{"the universal add", nil, "add note C#5 on:track:Piano at:4.1 duration:eighth velocity:90", "+ Note C#5 on Piano at 4.1 dur:eighth vel:90"},
		{"it adds rhythms", nil, "add beat Drums kick:x...x... at:2.1 res:eighth", "+ Drums kick on Drums at 2.1 to 3.1: 2 notes"},
		{"it adds tracks", nil, "add track Flute instrument:flute", "+ Track Flute ch:3 flute"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := band(t, c.before...)
			if got := doc.Do(c.op); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.op, got, c.want)
			}
		})
	}
}

// noOp means that no op is suggested.
const noOp = "no op"

func TestErrorsAreExplainedAndChangeNothing(t *testing.T) {
	for _, c := range []struct {
		op    string
		wants []string
	}{
		{"note Nobody C4", []string{`Track "Nobody" not found`, "try query: tracks"}},
		{"note Flute C4", []string{`Track "Flute" not found`, "try query: tracks", "try: track add Flute instrument:flute"}},
		{"scale Piano dorian", []string{"needs a root first", "try: scale Piano C-dorian"}},
		{"note Pianno C4", []string{"nearest: Piano", "try: note Piano C4"}},
		{"note conductor C4", []string{"conductor"}},
		{"note Piano H4", []string{"not a note name", noOp}},
		{"note Piano C", []string{"lacks its octave", "try: note Piano C4"}},
		{"note Piano C10", []string{"outside the range"}},
		{"note Piano kick", []string{"is a drum", "try: note Piano kick ch:10"}},
		{"note Piano 60", []string{"try: note Piano \"midi:60\""}},
		{"note Drums kik", []string{"nearest drums: kick", "try: note Drums kick"}},
		{"note Piano C4 C4", []string{"named twice"}},
		{"note Piano C4 B#3", []string{"named twice"}},
		{"note Piano C4 vel:0", []string{"1 to 127", "try: note Piano C4 vel:1"}},
		{"note Piano C4 quarter", []string{"try: note Piano C4 dur:quarter"}},
		{"note Piano C4 E4 1.3", []string{"try: note Piano C4 E4 at:1.3"}},
		{"tempo 140 6.1", []string{"try: tempo 140 at:6.1"}},
		{"note Piano C4 vel:128", []string{"neither 1 to 127", "try: note Piano C4 vel:127"}},
		{"note Piano C4 dur:0", []string{"duration", noOp}},
		{"note Piano C4 dur:quater", []string{"try: note Piano C4 dur:quarter"}},
		{"note Piano C4 dur:480", []string{"try: note Piano C4 dur:ticks:480"}},
		{"note Piano C4 dur:-quarter", []string{"try: note Piano C4 dur:quarter"}},
		{"note Piano C4 at:1.5", []string{"4 beats", "try: note Piano C4 at:2.1"}},
		{"note Piano C4 at:0.1", []string{"from 1", "try: note Piano C4 at:1.1"}},
		{"note Piano C4 at:marker:Verse", []string{`Marker "Verse" not found`}},
		{"note Piano C4 at:marker:Verse+eighth", []string{`Marker "Verse+eighth" not found`}},
		{"note Piano C4 at:tick:268435455", []string{"longest song"}},
		{"note Piano C4 ch:17", []string{"1 to 16"}},
		{`line Piano "C4 q D4 e"`, []string{"D4 comes after", `try: line Piano "C4 q, D4 e"`}},
		{`line Piano "C4 q rest"`, []string{"rest comes after", `try: line Piano "C4 q, rest"`}},
		{`line Piano "C4 q e"`, []string{"second length, e", `try: line Piano "C4 q"`}},
		{`line Piano "C4 f q p"`, []string{"second loudness, p", `try: line Piano "C4 f q"`}},
		{"chord Piano Xm", []string{"root"}},
		{"chord Piano Czz", []string{" 7#9 alt ", " 13b9"}},
		{"chord Piano Cblah", []string{"unknown quality", "m7b5", noOp}},
		{"chord Piano cmajor7", []string{"try: chord Piano Cmaj7"}},
		{"chord Piano C inv:3", []string{"inversions 0 to 2", "try: chord Piano C inv:2"}},
		{"chord Piano Cmaj7 oct:9", []string{"outside the range"}},
		{"track add Piano", []string{"already", "try query: describe Piano", noOp}},
		{"track add piano", []string{"already"}},
		{`track add ""`, []string{"name"}},
		{"track add X instrument:pianno", []string{"nearest", "piano"}},
		{"track add X instrument:violin program:3", []string{"use one"}},
		{"track add X instrument:jazz-kit ch:3", []string{"channel 10", "try: track add X instrument:jazz-kit ch:10"}},
		{"track add X instrument:violin ch:10", []string{"not a drum kit", "brush-kit", "try: track add X instrument:violin"}},
		{"program Drums violin at:5.1", []string{"not a drum kit", "try query: instruments kits", noOp}},
		{"modify track Drums instrument:violin", []string{"not a drum kit", "try query: instruments kits", noOp}},
		{"track add X program:128", []string{"0 to 127"}},
		{"track add X program:violin", []string{"try: track add X instrument:violin"}},
		{"track remove Pia", []string{"full name", "try: track remove Piano"}},
		{"track remove conductor", []string{"cannot be removed"}},
		{"track rename Piano Bass", []string{"already"}},
		{"track remove Violin", []string{"not found", "try query: tracks", noOp}},
		{"track move Piano", []string{"needs to:N", "try query: tracks", noOp}},
		{"track fly Piano", []string{"add, remove, rename"}},
		{"cc Piano volum 3", []string{"nearest: volume", "try: cc Piano volume 3"}},
		{"cc Piano volume 128", []string{"0 to 127"}},
		{"tempo 0", []string{"4 to 1000", "try: tempo 4"}},
		{"tempo NaN", []string{"4 to 1000"}},
		{"tempo +10", []string{"4 to 1000", noOp}},
		{"tempo fast", []string{"4 to 1000"}},
		{"tempo x0 @range:3-4", []string{"a factor"}},
		{"tempo x0.01 @range:3-4", []string{"outside 4 to 1000", "try query: tempo", noOp}},
		{"time-sig 3-4", []string{"like 3/4", "try: time-sig 3/4"}},
		{"time-sig 4/3", []string{"1 2 4 8 16 32 64", noOp}},
		{"time-sig 0/4", []string{"1 to 64"}},
		{"time-sig 4", []string{"like 3/4"}},
		{"key-sig H-major", []string{"note name", noOp}},
		{"key-sig G#-major", []string{"sounds like Ab-major", "try: key-sig Ab-major"}},
		{"remove", []string{"remove what?", "try query: tracks", noOp}},
		{"remove @pitch:C9", []string{"nothing matches @pitch:C9", noOp}},
		{"remove @velocity:loud", []string{"neither 1 to 127", noOp}},
		{"remove @track:Violin", []string{"not found", "try query: tracks", noOp}},
		{"remove @range:bad", []string{"position", noOp}},
		{"remove @pitch:kik", []string{"not a note", noOp}},
		{"remove @track:Pia", []string{"full name", "try: remove @track:Piano"}},
		{"remove @range:2-1", []string{"ends before", "try: remove @range:1-2"}},
		{"remove @velocity:90-10", []string{"downwards", "try: remove @velocity:10-90"}},
		{"remove @channel:17", []string{"1 to 16", noOp}},
		{"remove @channel:1-20", []string{"1 to 16", "try: remove @channel:1-16"}},
		{"remove @type:nte", []string{"nearest: note", "try: remove @type:note"}},
		{"remove tempo at:9.1", []string{"no tempo at 9.1", "try query: list @type:tempo", noOp}},
		{"remove tempo 1.1", []string{"is unexpected", "try: remove tempo at:1.1"}},
		{"remove marker", []string{"no marker"}},
		{"remove track", []string{"takes one name", "try query: tracks", noOp}},
		{"beat Piano", []string{"there is no row", noOp}},
		{"beat Piano kick:x...", []string{"kick\" is a drum", "try: beat Piano kick:x... ch:10"}},
		{"beat Drums kick:x.o.", []string{"\"o\" is not a sign", "try: beat Drums kick:x.x."}},
		{"beat Drums kick:x..x snare:xx", []string{"2 steps", "try: beat Drums kick:x..x snare:xx.."}},
		{"remove note", []string{"takes a track", "try query: tracks", noOp}},
		{"remove note Piano", []string{"takes a track", "try query: events Piano", noOp}},
		{"remove note Piano kick", []string{"has no note kick"}},
		{"remove Piano", []string{"name it by selectors", "try query: list @track:Piano", noOp}},
		{"transpose +2 Piano", []string{"name it by selectors", "try: transpose +2 @track:Piano"}},
		{"velocity +2 bars 1-2", []string{"try: velocity +2 @range:1-2"}},
		{"remove @all at:1.1", []string{"@range:1.1-1.1", "try: remove @all @range:1.1-1.1"}},
		{"move @all", []string{"to:POS", noOp}},
		{"move @all at:3.1", []string{"to:", "try: move @all to:3.1"}},
		{"move @all to:1.1 by:quarter", []string{"one of"}},
		{"move @all by:-whole", []string{"before the song"}},
		{"copy @all", []string{"to:POS"}},
		{"copy @type:tempo track:conductor to:1.1", []string{"already a tempo at 1.1", "try query: list @type:tempo @range:1.1-1.1", noOp}},
		{"repeat @all count:0", []string{"1 to 10000"}},
		{"repeat @all to:1.2", []string{"nothing fits"}},
		{"transpose +5", []string{"transpose what?", "try query: tracks", noOp}},
		{"transpose +127 @all", []string{"would leave the range", "nothing was changed", "try: transpose +67 @all"}},
		{"transpose +120 @all", []string{"would leave the range", "try: transpose +60 @all"}},
		{"velocity x0 @all", []string{"factor"}},
		{"modify @all", []string{"modify needs something to change:", noOp}},
		{"modify Piano volume:80", []string{"try: modify track Piano volume:80"}},
		{"modify @all value:3", []string{"controllers"}},
		{"modify @type:tempo vel:3", []string{"notes"}},
		{"modify track Piano", []string{"modify needs something to change:"}},
		{"modify track Piano vel:3", []string{"takes no vel:"}},
		{"add blob X", []string{"it adds note"}},
		{"add note Piano C4 colour:red", []string{"takes no colour:"}},
		{"add note Piano", []string{"it reads: note TRACK"}},
	} {
		t.Run(c.op, func(t *testing.T) {
			doc := band(t, "note Piano C4")
			got := doc.Fail(c.op, slices.DeleteFunc(slices.Clone(c.wants), func(w string) bool { return w == noOp })...)
			if strings.Contains(got, "\ntry: ") && slices.Contains(c.wants, noOp) {
				t.Errorf("an op is suggested: %s", got)
			}
			if strings.Contains(got, "  ") {
				t.Errorf("an error of several blanks: %q", got)
			}
		})
	}
}

func TestOpsThatChangeNothingSucceed(t *testing.T) {
	doc := pdktest.New(t, domain(), `"S"`)
	if got, want := doc.Do(`title "S"`, "tempo 120", "time-sig 4/4", "key-sig C-major", "track add Piano", "note Piano C4"), `? the title is already S
? Tempo 120 at 1.1 is already set
? Time signature 4/4 at 1.1 is already set
? Key C-major at 1.1 is already set
+ Track Piano ch:1 acoustic-grand-piano
+ Note C4 on Piano at 1.1 dur:quarter vel:80`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	doc.Do("track add Drums", "note Drums kick", "marker Verse at:2.1", "lyric la at:1.1", "note Piano D4 E4 G4 at:2.1.30", "note Piano C4 at:4.1")
	for op, done := range map[string]bool{ // done: do it once before, so that nothing is left to change
		"tempo 120": false, "marker Verse at:2.1": false, "lyric la at:1.1": false, "section Verse @range:2-3": true, "section Two @range:1-1": true,
		"tempo 90-120 @range:5-6": true, "track rename Piano Piano": false, "track move Piano to:1": false, "program Piano acoustic-grand-piano": false,
		"program Piano violin at:3.1": true, "volume Piano 90": true, "pan Piano L30 at:2.1": true, "cc Piano sustain on": true,
		"volume Piano 100-0 @range:2-2": true, "bend Piano 100 at:1.1": true, "pressure Piano 3 pitch:C4": true, "mute Piano off": false, "mute Piano": true, "solo Piano": true,
		"quantize @all": true, "swing 50 @all": false, "humanize @all vel:0 time:0": false, "legato @track:Piano": true, "stretch x1 @all": false,
		"reverse @pitch:D4": false, "split @all at:9.1": false, "crescendo @track:Piano": true, "transpose 0 @all": false, "transpose 0 @track:Piano in:C": false,
		"velocity +0 @all": false, "velocity x1 @all": false, "velocity =70 @track:Piano": true, "modify @pitch:D4 dur:half": true, "modify @pitch:D4 vel:80 pitch:D4": false,
		"modify track Piano name:Piano ch:1": false, "modify track Piano volume:77 pan:left": true, "move @pitch:D4 to:2.1.30": false, "copy @pitch:D4 to:2.1.30": false,
		"time-sig 3/4 at:3.1": true,
	} {
		before := doc.Save()
		if done {
			doc.Do(op)
		}
		now, got := doc.Save(), doc.Do(op)
		if lines := strings.Split(got, "\n"); !strings.HasPrefix(lines[0], "? ") || string(doc.Save()) != string(now) {
			t.Errorf("%s again: %s", op, got)
		}
		if done {
			doc.Undo(1)
		}
		if string(doc.Save()) != string(before) {
			t.Fatalf("%s is in the history twice", op)
		}
	}
	doc.Fail("transpose 0 @track:Nobody", "not found")
	doc.Fail("velocity x1 @pitch:C9", "nothing matches")
}

func TestANewSongsParametersAreChecked(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Waltz" tempo:92.5 time-sig:3/4 key:Bb-major ppqn:960`)
	if got, want := doc.Digest(), "0t 0n tempo:92.5 3/4 Bb-major 0bars"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
	for command, wants := range map[string][]string{
		`"X" tempo:0`: {"4 to 1000", `new "X" tempo:4`}, `"X" time-sig:4/3`: {"64"}, `"X" key:H`: {"key"}, `"X" ppqn:0`: {"24 to 32767"}, `"X" ppqn:40000`: {"24 to 32767"},
	} {
		pdktest.NewFails(t, domain(), command, wants...)
	}
}

func TestTracksAddedInTurnAreFoundByNameAndNumber(t *testing.T) {
	doc := pdktest.New(t, domain(), `"S"`)
	doc.Do("track add One", "track add Two", "note Two C4 at:1.1", "track add Three")
	doc.Undo(1)
	doc.Do("track add Third", "track move Third to:1", "track add Last")
	for ref, name := range map[string]string{"#1": "Third", "#2": "One", "#4": "Last", "la": "Last", "third": "Third"} {
		if got := doc.Query("describe " + ref); !strings.Contains(got, name) {
			t.Errorf("%s is %s", ref, got)
		}
	}
	doc.Fail("note Three C4 at:1.1", "Three")
	doc.Fail("track add last", "there is already a track Last")
}

func TestAFileOfFormat0BecomesFormat1WithASecondTrack(t *testing.T) {
	data := "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x01\xE0MTrk\x00\x00\x00\x0C\x00\x90\x3C\x40\x60\x80\x3C\x40\x00\xFF\x2F\x00"
	doc := pdktest.Open(t, domain(), "x.mid", []byte(data))
	if got := doc.Do("track add Bass"); !strings.Contains(got, "format 1") {
		t.Errorf("silently: %s", got)
	}
	if got := doc.Save(); got[9] != 1 || got[11] != 2 {
		t.Errorf("format %d with %d tracks", got[9], got[11])
	}
	doc.Undo(1)
	if string(doc.Save()) != data {
		t.Error("undo did not bring format 0 back")
	}
}

func TestTracksOfFormat2HaveTheirOwnTime(t *testing.T) {
	track := "MTrk\x00\x00\x00\x13\x00\xFF\x51\x03\x07\xA1\x20\x00\x90\x3C\x40\x60\x80\x3C\x40\x00\xFF\x2F\x00"
	doc := pdktest.Open(t, domain(), "x.mid", []byte("MThd\x00\x00\x00\x06\x00\x02\x00\x02\x01\xE0"+track+track))
	doc.Fail("tempo 90", "own time", "track:")
	if got, want := doc.Do("time-sig 3/4 track:2", "note 2 C4 at:2.1", "note 1 C4 at:2.1"), "+ Time signature 3/4 at 1.1\n+ Note C4 on Track 2 at 2.1 dur:quarter vel:80\n+ Note C4 on Track 1 at 2.1 dur:quarter vel:80"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := doc.Query("events 2 2"); !strings.HasPrefix(got, "2.1 ") || !strings.Contains(got, "note C4") {
		t.Errorf("bar 2 of track 2 is %q", got)
	}
}

func TestSMPTEFilesAreEditedInTicks(t *testing.T) {
	data := "MThd\x00\x00\x00\x06\x00\x00\x00\x01\xE7\x28MTrk\x00\x00\x00\x0C\x00\x90\x3C\x40\x60\x80\x3C\x40\x00\xFF\x2F\x00"
	doc := pdktest.Open(t, domain(), "x.mid", []byte(data))
	if got, want := doc.Digest(), "1t 1n C-major 0.1s"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
	doc.Fail("note 1 C4 at:1.1 dur:ticks:40", "tick:N", "at:tick:0")
	doc.Fail("note 1 C4 at:tick:0", "ticks:N")
	if got, want := doc.Do("note 1 D4 at:tick:1000 dur:ticks:500"), "+ Note D4 on Track 1 at tick:1000 dur:ticks:500 vel:80"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := doc.Query("piano-roll 1"), "Track 1 tick:0 to tick:1499, a column is ticks:24; # starts a note, = holds it\n"; !strings.HasPrefix(got, want) || !strings.Contains(got, "C4 |#===") {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := doc.Query("piano-roll 1 tick:0-tick:199 res:ticks:50"), "Track 1 tick:0 to tick:199, a column is ticks:50; # starts a note, = holds it\nC4 |#=..|\n"; got+"\n" != want {
		t.Errorf("got %s, want %s", got, want)
	}
	doc.QueryFails("events * 4-2", "SMPTE", "try query: map")
	doc.QueryFails("tracker Nobody 1", "not found", "try query: tracks")
	doc.Fail("remove @marker:Here", "not found", "try query: map")
	doc.QueryFails("piano-roll 1 res:16th", "SMPTE")
	doc.QueryFails("piano-roll 1 res:ticks:1", "1500 columns", `piano-roll 1 res:ticks:3`)
	doc.Do("move @pitch:D4 to:tick:2000", "repeat @pitch:D4 count:2", "copy @all to:end", "remove @range:tick:0-tick:100")
	for _, q := range []string{"map", "stats", "tracks", "describe *", "events * tick:0-tick:5000", "list @all"} {
		doc.Query(q)
	}
}

func TestAPlaceWithFewTicksSaysWhichBeatItIsNot(t *testing.T) {
	doc := band(t)
	for place, want := range map[string]string{
		"at:1.3.5": "1.3.5 is 5 ticks after beat 3; beat 3½ is 1.3.240", "at:2.1.3": "2.1.3 is 3 ticks after beat 1; beat 1.3 is 2.1.144",
		"at:1.3.50": "", "at:1.3": "", "at:tick:5": "",
	} {
		got := doc.Do("note Piano C4 " + place)
		if _, said, _ := strings.Cut(got, "\n? "); said != want {
			t.Errorf("%s: got %q, want %q", place, said, want)
		}
	}
}
