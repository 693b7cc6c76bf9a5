package main

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// vocabulary lists the values that parameters take, for the reference card.
func vocabulary() []abi.Section {
	var dynamics []string
	for _, d := range theory.Dynamics() {
		dynamics = append(dynamics, d.Name)
	}
	var kits []string
	for _, k := range theory.Kits() {
		kits = append(kits, k.Name)
	}
	return []abi.Section{
		{Title: "Positions (POS)", Lines: []string{"3.1 (bar.beat), 3.1.240 (and ticks), 3 (a bar's start), tick:960, end, end:TRACK, marker:NAME",
			"+ right behind the last note added to the track, +DUR that long after its start; 3.1+eighth after any position",
			"the beat is the time signature's: 6/8 has six"}},
		{Title: "Durations (DUR)", Lines: []string{"whole half quarter eighth 16th 32nd 64th, or w h q e s, or 1/4 3/8, or 4n 8n",
			"dotted-quarter or q., double-dotted-half or h.., triplet-eighth or 8t; ticks:120, 3beats, 2bars"}},
		{Title: "Pitches", Lines: []string{"C4 is middle C (60); F#3 Bb2 E##5 Cb4; midi:60; on channel 10 drums by name:",
			"kick snare rimshot clap hihat open-hat pedal-hat ride crash splash china tom floor-tom hi-tom tambourine cowbell, and General MIDI's own names"}},
		{Title: "Velocities (V)", Lines: []string{"1-127 or " + strings.Join(dynamics, " ") + "; mf (80) by default"}},
		{Title: "Chords", Lines: []string{strings.Join(theory.ChordQualities(), " "), "as in C Am F#m7b5 Bbmaj7 G7/B C6/9; C alone is major, Cm minor"}},
		{Title: "Scales", Lines: []string{strings.Join(theory.Modes(), " ")}},
		{Title: "Instruments", Lines: append([]string{"General MIDI, by family (kits on channel 10: " + strings.Join(kits, " ") + "):"}, instrumentLines()...)},
		{Title: "Controllers", Lines: []string{strings.Join(theory.ControllerNames(), " ")}},
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

// conventions are what a user of the domain must know, a line each.
func conventions() []string {
	return []string{
		"A new song has no tracks: `track add` first. Tracks are named in any case, by an unambiguous beginning, or by number.",
		"note and chord without at: go right behind the last note added to the track (1.1 at first); without dur: a quarter; without vel: mf.",
		"Selectors mean notes; @cc, @type:tempo, @type:any and so on mean other events, @recent whatever was touched last. Several selectors all apply.",
		"@range:1.1-4.4 includes all of beat 4.4, @range:5-8 whole bars; what starts in the range is meant.",
		"tempo, time-sig, key-sig and marker replace what is at the same place. Changing them moves no note.",
		"program: counts from 0 as files do (0 is acoustic-grand-piano); channels count from 1.",
		"Whatever is not edited is saved byte for byte as it was opened.",
	}
}
