// Command midi is the fcp-host domain for Standard MIDI Files. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o midi.wasm ./plugins/midi
package main

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/formats"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs"
)

func init() { pdk.Serve(domain()) }

func main() {}

// domain puts the packages of the domain together.
func domain() *pdk.Domain[*song.Song] {
	return &pdk.Domain[*song.Song]{
		Name: "midi", Title: "MIDI", Version: "0.1.0",
		Summary:    "Edits songs in Standard MIDI Files as music: tracks, notes, chords, drums, tempo.",
		Keywords:   []string{"song", "music", "score", "melody", "chords", "drums", "beat", "notes"},
		Extensions: []string{".mid", ".midi", ".rmi", ".kar"},
		MIME:       []string{"audio/midi", "audio/x-midi"},
		Magic:      []abi.Magic{{Offset: 0, Bytes: []byte("MThd")}, {Offset: 8, Bytes: []byte("RMID")}},

		View:     &abi.View{Picture: queries.Picture, Audio: queries.Audio},
		Jobs:     pdk.Jobs(jobs),
		New:      verbs.New,
		Open:     song.OpenAs,
		Save:     func(s *song.Song) ([]byte, error) { return s.Save(), nil },
		SaveAs:   func(s *song.Song, to pdk.Target) ([]byte, error) { return s.SaveAs(to.Name), nil },
		Snapshot: func(s *song.Song) ([]byte, error) { return s.Snapshot(), nil },
		Restore:  func(_ string, data []byte) (*song.Song, error) { return song.Restore(data) },
		State:    queries.State,
		Watch:    (*song.Song).Watch,
		Edits:    song.EditOf,

		Verbs: verbs.All(),
		Common: []string{"track", "note", "line", "chord", "progression", "beat", "tempo", "remove", "move", "copy", "repeat", "modify", "transpose", "velocity",
			"marker", "section", "bars", "time-sig", "swing", "quantize", "humanize", "crescendo", "legato", "reverse", "title", "cc", "bend"},
		Selectors:   selector.List(),
		NewParams:   verbs.NewParams(),
		Queries:     queries.All(),
		Session:     verbs.Session(),
		Formats:     formats.All(),
		Help:        verbs.Help,
		Positionals: []string{`(?i:midi:\d+|(?:tick|marker|end):.+)`},
		Vocabulary:  vocabulary(),
		Conventions: conventions(),
		Synonyms:    synonyms(),
		Example: []string{
			"track add Piano instrument:electric-piano-1",
			"note Piano C4 E4 at:1.1 dur:half vel:mf",
			`line Piano "G4 q, A4 e f, rest e" at:2`,
			`progression Piano "Dm7 G7 | C" at:3`,
			"track add Drums ch:10",
			"beat Drums kick:x...x... snare:....x... at:1 count:4",
			"crescendo @range:3-4 from:p to:f",
		},
	}
}
