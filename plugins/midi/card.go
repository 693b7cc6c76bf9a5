package main

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// vocabulary lists the values that parameters take, for the reference card.
func vocabulary() []abi.Section {
	var kits []string
	for _, k := range theory.Kits() {
		kits = append(kits, k.Name)
	}
	return []abi.Section{
		{Title: "Positions (POS)", Lines: []string{"3.1 (bar.beat), 3.1.240 (and ticks), 3 (a bar's start), tick:960, end, end:TRACK, marker:NAME",
			"+ right after the last note added to the track, +DUR that long after its start; 3.1+eighth after any position",
			"the beat is the time signature's: 6/8 has six"},
			Brief: "3.1 (bar.beat), 3, 3.1+eighth, end, marker:NAME, + (after its last note)"},
		{Title: "Durations (DUR)", Lines: []string{"whole half quarter eighth 16th 32nd 64th, or w h q e s, or 1/4 3/8, or 4n 8n",
			"dotted-quarter or q., double-dotted-half or h.., triplet-eighth or 8t; ticks:120, 3beats, 2bars"},
			Brief: "whole half quarter eighth 16th or w h q e s; q. dotted, 8t triplet, 3beats, 2bars"},
		{Title: "Pitches", Lines: []string{"C4 is middle C (60); F#3 Bb2 E##5 Cb4; midi:60; on channel 10 drums by name:",
			"kick snare rimshot clap hihat open-hat pedal-hat ride crash splash china tom floor-tom hi-tom tambourine cowbell, and General MIDI's own names"},
			Brief: "C4 F#3 Bb2; drums: kick snare clap hihat open-hat ride crash tom …"},
		{Title: "Velocities (V)", Lines: []string{"1-127 or " + strings.Join(theory.DynamicNames(), " ") + "; mf (80) by default"},
			Brief: "1-127 or ppp … mp mf … fff"},
		{Title: "Chords", Lines: []string{strings.Join(theory.ChordQualities(), " "), "as in C Am F#m7b5 Bbmaj7 G7/B C6/9; C alone is major, Cm minor; alterations after: C7(b9) Cmaj9#11 G7sus4b9 C(no3)"},
			Brief: "Am Bbmaj7 F#m7b5 C7(b9) G7/B …"},
		{Title: "Scales", Lines: []string{strings.Join(theory.Modes(), " ")},
			Brief: "major dorian harmonic-minor blues …"},
		{Title: "Instruments", Lines: append([]string{"General MIDI, by family (kits on channel 10: " + strings.Join(kits, " ") + "):"}, instrumentLines()...),
			Brief: "acoustic-bass flute … (query instruments WORD)"},
		{Title: "Controllers", Lines: []string{strings.Join(theory.ControllerNames(), " ")},
			Brief: "volume pan sustain …"},
	}
}

// instrumentLines lists the sounds, a line a family.
func instrumentLines() []string {
	names := theory.Instruments()
	var out []string
	for i := 0; i < len(names); i += 8 {
		out = append(out, theory.Family(i)+": "+strings.Join(names[i:i+8], " "))
	}
	return out
}

// conventions lists what a client of the domain must know, a line each.
func conventions() []string {
	return []string{
		"First track add. Drums are on channel 10.",
		"Notes without at: follow the last one added; without dur: they are quarters.",
		"@SEL means notes unless @cc or @type: says otherwise. @range:1.1-4.4 has its last beat, 5-8 whole bars.",
	}
}

// synonyms lists words that musicians and other programs use for the domain's own.
func synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, group := range [][]string{
		{"track rename", "rename"}, {"track merge", "merge", "join"}, {"track duplicate", "duplicate"},
		{"note", "play"}, {"line", "melody"}, {"chord", "chords"}, {"progression", "harmony"}, {"arp", "arpeggio", "arpeggiate"}, {"beat", "drum", "pattern", "rhythm", "flam", "drumroll"},
		{"program", "instrument", "patch", "sound"}, {"volume", "fade", "level", "gain", "fade-out", "fade-in"}, {"pan", "panning"}, {"cc", "control", "controller", "curve", "lfo", "automation", "ramp", "sine"}, {"groove", "mpc", "feel"}, {"mpe", "zone"}, {"sysex", "reset", "gm-on", "gs-on", "xg-on"},
		{"bend", "pitchbend", "pitch-bend", "semitones", "vibrato"}, {"pressure", "aftertouch"},
		{"tempo", "bpm", "speed"}, {"time-sig", "time-signature", "time signature", "timesignature", "timesig", "time", "meter", "metre", "signature"}, {"key-sig", "key", "key-signature", "key signature", "keysignature", "keysig"},
		{"marker", "mark", "label"}, {"section", "part"}, {"lyric", "syllable"}, {"text", "comment", "remark"}, {"title", "name"},
		{"move", "shift", "nudge"}, {"repeat", "loop"}, {"transpose", "pitch"}, {"velocity", "dynamics", "loudness"},
		{"crescendo", "cresc", "swell"}, {"decrescendo", "decresc", "diminuendo", "dim"}, {"quantize", "quantise", "align"}, {"swing", "shuffle"},
		{"humanize", "humanise", "randomize"}, {"copy", "double"}, {"stretch", "timestretch"}, {"reverse", "retrograde"}, {"split", "slice", "chop"},
		{"track remove", "delete track", "remove track", "del track"}, {"track duplicate", "duplicate track", "copy track", "clone track"}, {"track rename", "rename track"},
		{"track merge", "merge track", "merge tracks"}, {"track move", "move track", "reorder track"}, {"track add", "new track", "create track"},
		{"bars delete", "delete bars", "delete bar", "cut bars"}, {"bars insert", "insert bars", "insert bar", "insert measures", "insert measure", "add bars"},
		{"load-soundfont", "soundfont", "sf2", "load"},
		{"events", "notes", "messages"}, {"instruments", "sounds", "patches", "programs"}, {"piano-roll", "pianoroll", "roll"},
		// keys
		{"at", "start", "position", "pos", "bar", "beat", "time"}, {"dur", "length", "len", "duration"}, {"vel", "velocity", "dynamics"}, {"ch", "channel"},
		{"count", "times", "n", "repeats"}, {"grid", "resolution", "step", "to", "size"}, {"oct", "octave"}, {"inv", "inversion"}, {"instrument", "sound", "patch"}, {"by", "amount"},
		{"bend", "pitch bend"}, {"repeat", "duplicate bars", "loop bars"}, {"cc sustain", "pedal"},
	} {
		for _, word := range group[1:] {
			out = append(out, abi.Synonym{Word: word, Means: group[0]})
		}
	}
	for _, name := range theory.ControllerNames() {
		out = append(out, abi.Synonym{Word: name, Means: "cc " + name})
	}
	return out
}
