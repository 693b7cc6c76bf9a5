package main

import (
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// editingSong makes a song in C major with a melody, chords and drums.
func editingSong(t *testing.T, ops ...string) *pdktest.Doc {
	t.Helper()
	return band(t, append([]string{
		`line Piano "C4 e, D4 e, E4 q, F4 h, G4 w" at:1.1`, "chord Bass C Am/C G7 dur:half at:1.1 oct:2",
		"beat Drums kick:x...x... snare:..x...x. hihat:xxxxxxxx res:eighth at:1.1",
	}, ops...)...)
}

func TestEditingVerbsReply(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []string
		op     string
		want   string
	}{
		{"notes beside the grid go to it", []string{"move @track:Piano by:ticks:13"}, "quantize @track:Piano grid:eighth", "* Quantized 5 of 5 notes to eighth"},
		{"a part of the way", []string{"move @track:Piano by:ticks:13"}, "quantize @track:Piano strength:50", "* Quantized 5 of 5 notes to 16th"},
		{"ends, too", []string{"modify @track:Piano dur:ticks:230"}, "quantize @track:Piano grid:16th ends:true", "* Quantized 5 of 5 notes to 16th"},
		{"swing moves what is off the beat", nil, "swing 67 @drums @pitch:hihat", "* Swing 67% for 8 notes, 4 moved"},
		{"swing of sixteenths leaves eighths", []string{"modify @track:Piano dur:eighth"}, "swing 60% @track:Piano @range:1.1-1.1 grid:16th", "? no note is at a place where 60 percent of swing would move it"},
		{"humanize is told by its seed", nil, "humanize @track:Piano seed:7", "* Humanized 5 notes, seed 7: 4 moved, 5 louder or softer"},
		{"velocities alone", nil, "humanize @track:Piano time:0 vel:20", "* Humanized 5 notes, seed 1: 0 moved, 5 louder or softer"},
		{"legato closes gaps", []string{"modify @track:Piano dur:ticks:100"}, "legato @track:Piano", "* Legato for 5 notes, 4 changed"},
		{"legato with a breath", nil, "legato @track:Piano gap:ticks:10", "* Legato for 5 notes, 4 changed"},
		{"twice as slow", nil, "stretch x2 @track:Piano", "* Stretched 5 notes by x2, to 5.1"},
		{"twice as fast from the range's start", nil, "stretch 0.5 @track:Piano @range:2-2", "* Stretched note G4 dur:whole vel:80 on Piano at 2.1 by x0.5, to 2.3"},
		{"backwards", nil, "reverse @track:Piano", "* Reversed 5 notes"},
		{"one note becomes three", nil, "split @track:Piano @pitch:G4 parts:3", "* Split 1 note into 3"},
		{"cut at a place", nil, "split @all at:2.3", "* Split 1 note into 2"},
		{"cut at a grid", nil, "split @track:Piano grid:quarter", "* Split 2 notes into 6"},
		{"a crescendo", nil, "crescendo @track:Piano", "* Crescendo from 49 to 96 over 5 notes"},
		{"a decrescendo", nil, "decrescendo @track:Piano from:100 to:20", "* Decrescendo from 100 to 20 over 5 notes"},
		{"a third up in the key", nil, "transpose +2 @track:Piano in:C-major", "* Transposed 5 notes by +2 in C-major"},
		{"in a mode", nil, "transpose -1 @track:Piano in:D-dorian", "* Transposed 5 notes by -1 in D-dorian"},
		{"drums are transposed when they are meant", nil, "transpose +2 @drums", "* Transposed 12 notes by +2"},
		{"bars make room", nil, "bars insert 2 count:3", "+ 3 bars of 4/4 at 2.1; what was there is at 5.1 now"},
		{"a bar goes", nil, "bars delete 1", "- bar 1, with 23 notes; bar 2 is bar 1 now"},
		{"a note that sounds on into it is told", []string{"note Piano E5 at:2.3 dur:whole"}, "bars delete 3", "- bar 3, in which nothing started\n? shortened, for they sounded into bar 3: E5 on Piano from 2.3"},
		{"by a range", nil, "bars delete 1-2", "- bars 1-2, with 28 notes"},
		{"a section ends where the next thing goes on", nil, "section Verse @range:1-1", `+ Section Verse from 1.1 to 2.1, which marker "Verse end" ends`},
		{"the last section needs no end", nil, "section Chorus @range:2-2", "+ Section Chorus from 2.1 to 3.1"},
		{"a section in a section is mentioned", []string{"marker Fill at:1.3"}, "section Verse @range:1-2", "+ Section Verse from 1.1 to 3.1\n? the marker Fill at 1.3 is inside it, and there @marker:Verse ends"},
		{"the universal add of a section", nil, "add section Chorus @range:2-2", "+ Section Chorus from 2.1 to 3.1"},
		{"only what changes is counted", []string{"velocity =120 @pitch:kick"}, "velocity =120 @drums", "* Velocity 120 for 10 of 12 notes"},
		{"where one is at the top", []string{"velocity =127 @pitch:kick"}, "modify @drums vel:127", "* Modified 10 of 12 notes"},
		{"a note that is as short as can be", []string{"modify @pitch:kick dur:ticks:1"}, "staccato @drums", "* Staccato for 10 of 12 notes: 50% of their lengths"},
		{"a drum is not a pitch of other tracks", nil, "velocity +5 @pitch:kick", "* Velocity +5 for 2 notes"},
		{"nor is a range of drums", nil, "velocity +5 @pitch:kick-snare", "* Velocity +5 for 4 notes"},
		{"a pitch is meant wherever it sounds", nil, "velocity +5 @pitch:C2", "* Velocity +5 for 4 notes"},
		{"a range of channels", nil, "velocity +5 @channel:2-10", "* Velocity +5 for 23 notes"},
		{"in which drums are not meant to be transposed", nil, "transpose +12 @channel:1-16", "* Transposed 16 notes by +12\n? left out: 12 drum notes on channel 10; @channel:10 means them"},
		{"drums by their channel", nil, "velocity +5 @drums", "* Velocity +5 for 12 notes"},
		{"beats of any bar", nil, "velocity +5 @drums @beat:2,4 @pitch:snare", "* Velocity +5 for 2 notes"},
		{"a range of beats", nil, "velocity +5 @drums @beat:2-3", "* Velocity +5 for 6 notes"},
		{"a section's notes", []string{"section Verse @range:1-1"}, "velocity +5 @marker:verse @track:Piano", "* Velocity +5 for 4 notes"},
		{"the last section's notes", []string{"marker Two at:2.1"}, "velocity +5 @marker:Two", "* Velocity +5 for 5 notes"},
		{"a section is copied by its start", []string{"marker Two at:1.4", "marker Three at:2.1"}, "copy @marker:Two @drums to:3.4", "+ Copied 3 notes to 3.4"},
		{"a section is repeated whole", []string{"section Verse @range:1-1"}, "repeat @marker:Verse @track:Piano", "+ Repeated 4 notes 1 time, up to 3.1"},
		{"chords", nil, "velocity +5 @chord", "* Velocity +5 for 11 notes"},
		{"one chord", nil, "velocity +5 @chord:Am", "* Velocity +5 for 4 notes"},
		{"one chord in any inversion", []string{"chord Bass Am inv:2"}, "velocity +5 @chord:Am", "* Velocity +5 for 7 notes"},
		{"what is no chord", nil, "velocity +5 @not:chord @not:drums", "* Velocity +5 for 5 notes"},
		{"controllers", []string{"cc Piano volume 90", "cc Piano pan 10 at:2.1"}, "modify @cc value:64", "* Modified 2 cc"},
		{"one controller", []string{"cc Piano volume 90", "cc Piano pan 10 at:2.1"}, "remove @cc:10", "- cc pan 10 on Piano at 2.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := editingSong(t, c.before...)
			before := doc.Save()
			if got := doc.Do(c.op); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.op, got, c.want)
			}
			if c.want[0] != '?' {
				doc.Undo(1)
			}
			if !slices.Equal(doc.Save(), before) {
				t.Errorf("%s: undo did not bring the bytes back", c.op)
			}
		})
	}
}

func TestEditingErrorsAreExplained(t *testing.T) {
	for op, wants := range map[string][]string{
		"quantize":                                {"quantize what?", "try query: tracks"},
		"reverse Piano":                           {"name it by selectors", "try: reverse @track:Piano"},
		"quantize @all grid:foo":                  {"duration"},
		"legato @track:Piano gap:16h":             {"duration", "try: legato @track:Piano gap:16th"},
		"quantize @track:Piano strength:0":        {"1 to 100"},
		"quantize @track:Piano ends:perhaps":      {"neither true nor false", "neither"},
		"quantize @type:tempo":                    {"works on notes"},
		"swing 90 @all":                           {"straight", "try: swing 80 @all"},
		"swing 81 @all":                           {"20 to 80"},
		"swing 62":                                {"swing what?"},
		"humanize @all seed:-1":                   {"whole number", "try: humanize @all seed:0"},
		"humanize @all vel:65":                    {"0 to 64"},
		"legato @all gap:-1":                      {"duration"},
		"stretch 150% @all":                       {"factor", "try: stretch x1.5 @all"},
		"stretch xNaN @all":                       {"factor"},
		"stretch x0 @all":                         {"factor"},
		"stretch x2 @type:any":                    {"leaves tempo", "try query: stats"},
		"split @all":                              {"one of at:, parts: and grid:"},
		"split @all parts:2 grid:eighth":          {"try: split @all parts:2", "try: split @all grid:eighth"},
		"quantize @track:Piano @range:1-1 32th":   {"not both"},
		"legato @track:Piano 16th":                {"not both", "try: legato @track:Piano gap:16th"},
		"transpose +5 semitones @track:Piano":     {"not both", "try: transpose +5 @track:Piano"},
		"repeat Piano 2":                          {"name it by selectors", "try: repeat @track:Piano count:2"},
		"move Piano 5.1":                          {"name it by selectors", "try: move @track:Piano to:5.1"},
		"repeat @track:Piano 3 times":             {"not both", "try: repeat @track:Piano count:3"},
		"reverse @track Piano":                    {"not both", "try: reverse @track:Piano"},
		"section Bridge 1-2":                      {"@range:", "try: section Bridge @range:1-2"},
		"section My Bridge @range:1-2":            {"one name", `try: section "My Bridge" @range:1-2`},
		"velocity loud @track:Piano":              {"try: velocity f @track:Piano"},
		"split @all parts:1":                      {"2 to 64", "try: split @all parts:2"},
		"crescendo @track:Piano from:f to:p":      {"does not get louder", "try: crescendo @track:Piano from:p to:f"},
		"decrescendo @track:Piano from:p":         {"does not get softer"},
		"crescendo @range:1.1-1.1.10":             {"different times", "try query: list @range:1.1-1.1.10"},
		"crescendo @all to:200":                   {"neither 1 to 127"},
		"transpose +2 @all in:H-major":            {"root"},
		"transpose +2 @all in:C-foo":              {"unknown scale"},
		"transpose +2 @all in:D-dorain":           {"unknown scale", "try: transpose +2 @all in:D-dorian"},
		"bars insert 0":                           {"from 1", "try: bars insert 1"},
		"bars insert 9":                           {"the song has 2 bars", "try query: map"},
		"bars insert 2 count:0":                   {"1 to 100000", "try: bars insert 2 count:1"},
		"bars insert 2 track:Piano":               {"which share one time", "try query: map"},
		"bars delete 3":                           {"there is no bar 3", "try query: map"},
		"bars delete 2 count:9":                   {"there are no bars 2-10", "try: bars delete 2"},
		"bars delete 2-1":                         {"range of bars", "try: bars delete 1-2"},
		"bars delete 1-2 count:2":                 {"both say how many", "try: bars delete 1-2"},
		"bars isnert 1":                           {"insert or delete", "try: bars insert 1"},
		`section "" @range:1-2`:                   {"needs a name"},
		"section Verse":                           {"@range:P-P"},
		"swing @all":                              {"percentage"},
		"stretch @all":                            {"factor"},
		"transpose @all in:C":                     {"steps of the scale"},
		"remove bars 1-2":                         {"the verb bars", "try: bars delete 1-2"},
		"remove section Two":                      {"name it by selectors", "try query: tracks"},
		"add note Piano C4 @all":                  {"takes no selectors"},
		"velocity +1 @drums:kick":                 {"@pitch:kick", "try: velocity +1 @pitch:kick"},
		"velocity +1 @beat:x":                     {"1 to 64", "try query: signatures"},
		"velocity +1 @beat:":                      {"1 to 64"},
		"velocity +1 @marker:Nowhere":             {`Marker "Nowhere" not found`, "try query: map"},
		"velocity +1 @marker":                     {"needs a marker's name"},
		"velocity +1 @chord:Hm":                   {"root", "try query: chords"},
		"velocity +1 @chord:Dm":                   {"nothing matches @chord:Dm"},
		"velocity +1 @track:Piano @track:Bass":    {"nothing matches @track:Piano @track:Bass; of several selectors, each must match", "try: velocity +1 @track:Piano,Bass"},
		"remove @cc:volum":                        {"nearest: volume"},
		"remove @cc":                              {"nothing matches @cc"},
		"velocity +1 @track:Piano @marker:Nowhre": {"not found"},
	} {
		t.Run(op, func(t *testing.T) { editingSong(t).Fail(op, wants...) })
	}
}

// starts lists the ticks at which the notes of a track start.
func starts(t *testing.T, doc *pdktest.Doc, track int) (out []int64) {
	t.Helper()
	s, _, err := song.Open(doc.Save())
	if err != nil {
		t.Fatal(err)
	}
	for e := range s.Music()[track].Events() {
		if e.IsNote() {
			out = append(out, e.Tick)
		}
	}
	return out
}

func TestEditingVerbsPutNotesWhereTheySay(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
		want []string // tick length channel pitch velocity
	}{
		{"quantize to the nearest sixteenth", []string{"note Piano C4 at:1.1.50", "note Piano D4 at:1.1.70", "note Piano E4 at:1.4.470", "quantize @all"},
			[]string{"0 480 1 60 80", "120 480 1 62 80", "1920 480 1 64 80"}},
		{"triplets do not drift", []string{"note Piano C4 at:1.1.161 dur:8t", "note Piano D4 at:1.4.318 dur:8t", "quantize @all grid:8t"},
			[]string{"160 160 1 60 80", "1760 160 1 62 80"}},
		{"the grid starts anew at each bar", []string{"time-sig 5/8", "note Piano C4 at:2.1.10", "note Piano D4 at:2.3.20", "quantize @all grid:quarter"},
			[]string{"1200 480 1 60 80", "1680 480 1 62 80"}},
		{"half the way", []string{"note Piano C4 at:1.1.40", "quantize @all strength:50"}, []string{"20 480 1 60 80"}},
		{"ends go to the grid and never onto the start", []string{"note Piano C4 at:1.1.10 dur:ticks:20", "quantize @all ends:true"}, []string{"0 120 1 60 80"}},
		{"a note gives way to the next of its pitch", []string{"note Piano C4 at:1.1 dur:ticks:500", "note Piano C4 at:1.2.20", "quantize @all"},
			[]string{"0 480 1 60 80", "480 480 1 60 80"}},
		{"swing by triplets", []string{`line Piano "C4 e, D4 e, E4 q"`, "swing 67 @all"}, []string{"0 322 1 60 80", "322 158 1 62 80", "480 480 1 64 80"}},
		{"the last eighth of 7/8 has no partner", []string{"time-sig 7/8", "note Piano C4 at:1.7 dur:eighth", "note Piano D4 at:1.2 dur:eighth", "swing 60 @all"},
			[]string{"1440 240 1 60 80", "288 192 1 62 80"}},
		{"legato reaches the next start on the track", []string{"note Piano C4 E4 at:1.1 dur:16th", "note Piano D4 at:1.3 dur:16th", "legato @all"},
			[]string{"0 960 1 60 80", "0 960 1 64 80", "960 120 1 62 80"}},
		{"stretch from the start of the range", []string{"note Piano C4 at:1.2", "note Piano D4 at:1.3", "stretch x1.5 @range:1-1"}, []string{"1440 720 1 62 80", "720 720 1 60 80"}},
		{"reverse within the range", []string{"note Piano C4 at:1.1", "note Piano D4 at:1.2 dur:half", "reverse @range:1-1"}, []string{"1440 480 1 60 80", "480 960 1 62 80"}},
		{"reverse between the first and the last", []string{"note Piano C4 at:2.1", "note Piano D4 at:2.2 dur:half", "reverse @all"}, []string{"1920 960 1 62 80", "2880 480 1 60 80"}},
		{"split into thirds", []string{"note Piano C4 dur:half vel:90", "split @all parts:3"}, []string{"0 320 1 60 90", "320 320 1 60 90", "640 320 1 60 90"}},
		{"split at bar lines and the grid", []string{"note Piano C4 at:1.4 dur:half", "split @all grid:half"}, []string{"1440 480 1 60 80", "1920 480 1 60 80"}},
		{"loudness grows with time, not by note", []string{"note Piano C4 at:1.1", "note Piano D4 at:1.2", "note Piano E4 at:2.1", "crescendo @all from:20 to:100"},
			[]string{"0 480 1 60 20", "1920 480 1 64 100", "480 480 1 62 40"}},
		{"degrees of the key", []string{`line Piano "C4 q, E4 q, F#4 q, B4 q"`, "transpose +2 @all in:C-major"},
			[]string{"0 480 1 64 80", "1440 480 1 74 80", "480 480 1 67 80", "960 480 1 70 80"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := pdktest.New(t, domain(), `"Song"`)
			doc.Do("track add Piano")
			before := doc.Save()
			doc.Do(c.ops...)
			if got := notesOf(t, doc.Save(), 0); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			doc.Undo(len(c.ops))
			if !slices.Equal(doc.Save(), before) {
				t.Error("undo did not bring the bytes back")
			}
		})
	}
}

func TestHumanizeIsTheSameForTheSameSeed(t *testing.T) {
	play := func(op string) []byte {
		doc := editingSong(t)
		doc.Do(op)
		return doc.Save()
	}
	one, same, other := play("humanize @all seed:42"), play("humanize @all seed:42"), play("humanize @all seed:43")
	if !slices.Equal(one, same) {
		t.Error("one seed gave two results")
	}
	if slices.Equal(one, other) {
		t.Error("two seeds gave one result")
	}
	// The result of a seed must never change.
	doc := editingSong(t)
	doc.Do("humanize @track:Piano seed:42")
	if got, want := starts(t, doc, 0), []int64{0, 238, 478, 970, 1920}; !slices.Equal(got, want) {
		t.Errorf("seed 42 starts notes at %v, want %v", got, want)
	}
}
