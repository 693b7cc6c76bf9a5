package near

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// maxNames is how many names are suggested for one reference.
const maxNames = 3

// Track returns the name of the track that is nearest to a reference, or the names of
// all tracks that begin with it.
func Track(s *song.Song, ref string) []string {
	names := s.Names()
	if hits, _ := names.Find(ref, false); len(hits) > 0 {
		return pdk.Map(hits[:min(len(hits), maxNames)], names.Ref)
	}
	return Word(ref, pdk.Map(s.Tracks(), s.Name))
}

// Marker returns the name of the marker that is nearest to a reference, on a track's
// time (nil: the song's).
func Marker(s *song.Song, t *song.Track, ref string) []string {
	return Word(ref, pdk.Map(s.Markers(t), (*song.Event).Text))
}

// Instrument returns the instrument whose name is nearest.
func Instrument(s *song.Song, name string) []string {
	switch _, part, _ := s.FindInstrument(name); len(part) {
	case 0:
		return Word(name, s.InstrumentNames())
	case 1:
		return part
	}
	return nil // several names contain it
}
