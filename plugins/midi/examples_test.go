package main

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestExamplesOfVerbsWorkOnASong(t *testing.T) {
	// Set up what the examples refer to: tracks, bars, marks and notes off the grid.
	setup := []string{
		"track add Strings instrument:string-ensemble-1", "track add Piano", "track add Bass instrument:acoustic-bass", "track add Drums",
		"chord Piano C Am7 F G7 dur:whole at:1.1", "note Piano C4 at:1.1", "note Piano C4 at:6.2", "repeat @track:Piano @range:1-4 count:5", "line Bass \"C2 h, G2 h\" at:9.1",
		"tempo 90 at:3.1", "marker Verse at:1.1", "marker Chorus at:9.1", "marker A at:13.1", "marker B at:15.1", "cc Piano volume 90 at:2.1", "beat Drums kick:x... snare:..x. at:1.1 count:8",
		"note Piano E5 F5 at:1.4.13 dur:half vel:33", "tempo 119", "note Piano G4 at:3.1.50",
	}
	d := domain()
	for _, v := range d.Verbs {
		for _, example := range v.Examples {
			t.Run(example, func(t *testing.T) {
				song := pdktest.New(t, d, `"Other"`)
				song.Do("track add Bass", "track add Drums", "note Bass C2 dur:4bars", "note Drums kick at:1.1 dur:4bars")
				other := song.Save()
				doc := pdktest.New(t, d, `"Song"`, &pdktest.World{Documents: map[string][]byte{"Intro": other, "Outro": other},
					Files: map[string][]byte{"./groove.mid": other, "./outro.mid": other, "./break.mid": other}})
				if !strings.Contains(example, "track add ") && !strings.Contains(example, "add track ") { // these add the tracks themselves
					doc.Do(setup...)
				}
				if strings.HasSuffix(example, "mute Piano off") {
					doc.Do("mute Piano")
				}
				doc.Do(example)
			})
		}
	}
}
