// Package queries answers questions about a song.
package queries

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// visible drops control characters, which names in files may hold.
func visible(r rune) rune {
	if unicode.IsControl(r) {
		return '?'
	}
	return r
}

// State returns the digest of a song: "2t 9n tempo:120 4/4 C-major 8bars". Tempo,
// signature and key are those at the start. With an SMPTE division the digest has
// seconds and neither signature nor bars.
func State(s *song.Song) abi.State {
	tracks := len(s.Music())
	tempo := song.PrintBPM(s.Tempo(nil).At(0).BPM())
	digest := strconv.Itoa(tracks) + "t " + strconv.Itoa(s.Notes()) + "n"
	bars := 0
	if m, err := s.Meter(nil); err == nil {
		g := m.At(0)
		bars = s.Bars(m)
		digest += " tempo:" + tempo + " " + strconv.Itoa(g.Num) + "/" + strconv.Itoa(g.Den) + " " + s.KeyAt(nil, 0).String() + " " + strings.ReplaceAll(pdk.Count(bars, "bar"), " ", "")
	} else {
		digest += " " + s.KeyAt(nil, 0).String() + " " + strconv.FormatFloat(s.Tempo(nil).Seconds(s.End()), 'f', 1, 64) + "s"
	}
	out := abi.State{Digest: digest, Title: s.Title(),
		Counts: []abi.Count{{Name: "tracks", Value: tracks}, {Name: "notes", Value: s.Notes()}, {Name: "bars", Value: bars}}}
	troubles := s.Troubles()
	if n := len(troubles); n > abi.MaxWarnings {
		most := abi.MaxWarnings - 1
		troubles = append(troubles[:most], song.Trouble{Text: "and " + strconv.Itoa(n-most) + " more", Of: "more", N: n})
	}
	for _, w := range troubles {
		out.Warnings = append(out.Warnings, strings.Map(visible, w.Text))
		out.Weights = append(out.Weights, abi.Count{Name: w.Of, Value: w.N})
	}
	return out
}
