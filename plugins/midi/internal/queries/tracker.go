package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/tracker"
)

// maxRows and maxGrid (bytes) limit one grid, so that the host does not cut it: only a
// whole grid can be read back.
const (
	maxRows = 390
	maxGrid = 90 << 10
)

// showTracker prints tracks as a grid: a tracker block that makes the same notes when a
// client sends it as an op.
func showTracker(v *view, a pdk.Args) (string, error) {
	s := v.Model
	tracks, err := s.FindTracks(a.Text(0), false)
	if err != nil {
		return "", tracksRefused(v, a, err)
	}
	first := tracks[0]
	again := s.TracksRef(tracks)
	from, to := pdk.Must2(namedSpan(v, a, 1, first))
	ppq, _ := s.PPQ()
	res := a.String("res", "16th")
	if ppq == 0 && !a.Has("res") {
		res = "ticks:100"
	}
	step, err := s.Duration(first, res, from)
	if err != nil {
		return "", instead(err, a, "res", near.Duration(s, first, res, from)...)
	}
	g := &tracker.Grid{PPQ: ppq, Step: step}
	var names, channels []string
	var notes []tracker.Note
	for column, t := range tracks {
		channel := max(t.Channel(), 1)
		g.Channels = append(g.Channels, channel)
		channels = append(channels, fmt.Sprint(channel))
		names = append(names, strings.NewReplacer(";", ",", "|", "/").Replace(song.Brief(s.Name(t), 30)))
		for e := range t.Between(from, to+1) {
			if e.IsNote() {
				d := e.Tick - from
				notes = append(notes, tracker.Note{Column: column, Row: int(d / step), Offset: d % step, Length: e.Length(),
					Pitch: e.Pitch(), Velocity: e.Velocity(), Channel: e.Channel()})
			}
		}
	}
	slices.SortStableFunc(notes, func(a, b tracker.Note) int { return a.Row - b.Row })
	lines := g.Rows(notes, s.SpellingKey(first, from), func(row int) string { return s.At(first, from+int64(row)*step) })
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	if len(lines) > maxRows || size > maxGrid {
		e := pdk.Errorf("that is a grid of %d rows, %d bytes, too long to be printed whole (%d rows, %d bytes): ask for fewer bars", len(lines), size, maxRows, maxGrid)
		if m, err := s.Meter(first); err == nil {
			bar, _, _ := m.Locate(from)
			last, _, _ := m.Locate(to)
			over := max(len(lines)/maxRows, size/maxGrid) + 1
			return "", insteadAt(e, a, 1, fmt.Sprintf("%d-%d", bar, bar+max((last-bar+1)/(2*over), 1)-1)) // half of the bars that may fit, because bars differ
		}
		return "", e
	}
	at := s.At(first, from)
	if ppq == 0 {
		at = pdk.Quote(at)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tracker %s import at:%s res:%s ch:%s\n; a row is %s; columns: %s\n", again, at, pdk.Quote(res), strings.Join(channels, ","), res, strings.Join(names, " | "))
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	b.WriteString(tracker.End)
	return b.String(), nil
}

// showInstruments lists the sounds that a track can have.
func showInstruments(v *view, a pdk.Args) (string, error) {
	s := v.Model
	filter := strings.Join(a.Texts(0), " ")
	fits := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(theory.Folded(w), theory.Folded(filter)) {
				return true
			}
		}
		return false
	}
	var b strings.Builder
	for _, f := range s.Fonts() {
		for _, p := range f.Presets {
			if fits(p.Name, f.Name) {
				fmt.Fprintf(&b, "%s (bank %d, program %d of %s)\n", song.Brief(p.Name, 60), p.Bank, p.Program, song.Brief(f.Name, 40))
			}
		}
	}
	for i, name := range theory.Instruments() {
		if fits(name, theory.Family(i)) {
			fmt.Fprintf(&b, "%3d %s (%s)", i, name, theory.Family(i))
			if low, high, ok := theory.Compass(i); ok {
				fmt.Fprintf(&b, " %s to %s", theory.Spell(low, theory.Key{}), theory.Spell(high, theory.Key{}))
			}
			b.WriteByte('\n')
		}
	}
	for _, k := range theory.Kits() {
		if fits(k.Name, "drums kits") {
			fmt.Fprintf(&b, "%3d %s (drums, channel %d)\n", k.Program, k.Name, theory.DrumChannel)
		}
	}
	if b.Len() == 0 {
		e := pdk.Errorf("no instrument has %q in its name or its family", filter)
		if list := near.Instrument(s, filter); list != nil {
			return "", e.TryQuery("instruments " + pdk.Quote(list[0]))
		}
		return "", e.TryQuery("instruments")
	}
	return b.String(), nil
}
