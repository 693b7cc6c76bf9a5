package main

import (
	"slices"
	"testing"
)

func TestReharmonizeKeepsTheBass(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
		want []string
	}{
		{"a root doubled in octaves", []string{"note Piano F2 F3 F4 A4 dur:whole", `reharmonize "F C" @all dur:1bar`, "note Piano F2 F3 F4 A4 dur:whole at:2.1", `reharmonize "C" @range:2-2`},
			[]string{"0+1920: 41 53 65 69", "1920+1920: 36 48 64 67"}},
		{"a root under its octave goes to the root", []string{"note Piano G2 G3 B3 D4 dur:whole", `reharmonize "C" @all`}, []string{"0+1920: 48 60 64 67"}},
		{"octaves of a bass stay octaves", []string{"note Piano C2 C3 dur:half", "note Piano G1 G2 dur:half", "note Piano E4 G4 C5 at:1.1 dur:whole", `reharmonize "Am" @all`},
			[]string{"0+960: 33 45 64 69 72", "960+960: 28 40"}},
		{"the bass of an inversion keeps its role", []string{"note Piano E2 G3 C4 dur:whole", `reharmonize "F" @all`}, []string{"0+1920: 45 53 60"}},
		{"a slash chord names its bass", []string{"note Piano C2 E3 G3 dur:whole", `reharmonize "F/A" @all`}, []string{"0+1920: 33 53 57"}},
		{"above a bass on another track voices move little", []string{"note Bass G2 dur:whole", "note Piano G3 B3 D4 dur:whole", `reharmonize "C" @all`}, []string{"0+1920: 55 60 64"}},
		{"a push belongs to the next chord", []string{"note Piano C3 E3 G3 at:1.1 dur:3beats", "note Piano C3 E3 G3 at:1.4.240 dur:half", "note Piano D3 F3 A3 at:2.4.240 dur:whole", `reharmonize "G | D | C" @all`},
			[]string{"0+1440: 43 50 59", "1680+960: 50 54 57", "3600+1920: 48 52 55"}},
		{"an eighth at the end of a bar is no push", []string{"note Piano C3 E3 G3 at:1.1 dur:3beats", "note Piano C3 E3 G3 at:1.4.240 dur:eighth", "note Piano F3 A3 C4 at:2.1 dur:whole", `reharmonize "G | C" @all`},
			[]string{"0+1440: 43 50 59", "1680+240: 43 50 59", "1920+1920: 48 55 64"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := band(t, c.ops...)
			if got := notesByStart(t, doc, 1); !slices.Equal(got, c.want) {
				t.Errorf("%q gives\n%v, want\n%v", c.ops, got, c.want)
			}
		})
	}
}
