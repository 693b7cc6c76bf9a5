package formats

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// eventTable writes one line for each event, in order of time; a note is one line with its
// length.
func eventTable(s *song.Song) []byte {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	// Writing to a Buffer does not fail.
	_ = w.Write([]string{"track", "name", "tick", "position", "seconds", "kind", "channel", "pitch", "note", "velocity", "length", "value", "text"})
	var all []*song.Event
	number, name := map[*song.Track]string{}, map[*song.Track]string{}
	for _, t := range s.Tracks() {
		number[t], name[t] = strconv.Itoa(s.Number(t)), s.Name(t)
		for e := range t.Events() {
			if e.IsElement() {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	for _, e := range all {
		row := make([]string, 13)
		row[0], row[1] = number[e.Track], name[e.Track]
		row[2], row[3] = strconv.FormatInt(e.Tick, 10), s.At(e.Track, e.Tick)
		row[4] = strconv.FormatFloat(s.Tempo(e.Track).Seconds(e.Tick), 'f', 6, 64)
		kind := e.Kind()
		row[5] = string(kind)
		if c := e.Channel(); c > 0 {
			row[6] = strconv.Itoa(c)
		}
		switch kind {
		case song.KindNote:
			row[7], row[8], row[9], row[10] = strconv.Itoa(e.Pitch()), s.PitchName(e), strconv.Itoa(e.Velocity()), strconv.FormatInt(e.Length(), 10)
		case song.KindNoteOn, song.KindNoteOff:
			row[7], row[8], row[9] = strconv.Itoa(e.Pitch()), s.PitchName(e), strconv.Itoa(e.Velocity())
		case song.KindPolyPressure:
			row[7], row[8], row[11] = strconv.Itoa(e.Pitch()), s.PitchName(e), strconv.Itoa(int(e.B))
		case song.KindCC:
			row[11], row[12] = strconv.Itoa(int(e.B)), theory.ControllerName(int(e.A))
		case song.KindProgram:
			row[11], row[12] = strconv.Itoa(int(e.A)), s.SoundOf(e)
		case song.KindPressure:
			row[11] = strconv.Itoa(int(e.A))
		case song.KindBend:
			row[11] = strconv.Itoa(int(e.A) | int(e.B)<<7 - 8192)
		case song.KindText, song.KindCopyright, song.KindName, song.KindInstrument, song.KindLyric, song.KindMarker, song.KindCue:
			row[12] = e.Text()
		default:
			row[12] = s.Say(e)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return buf.Bytes()
}
