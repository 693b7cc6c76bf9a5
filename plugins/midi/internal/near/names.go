package near

import "github.com/fcp-host/fcp-host/plugins/midi/internal/song"

// maxNames is how many names are suggested for one reference.
const maxNames = 3

// Track returns the name of the track that is nearest to a reference, or the names of
// all tracks that begin with it.
func Track(s *song.Song, ref string) []string {
	names := s.Names()
	if hits, _ := names.Find(ref, false); len(hits) > 0 {
		var out []string
		for _, t := range hits[:min(len(hits), maxNames)] {
			out = append(out, names.Ref(t))
		}
		return out
	}
	var labels []string
	for _, t := range s.Tracks() {
		labels = append(labels, s.Name(t))
	}
	return Word(ref, labels)
}

// Marker returns the name of the marker that is nearest to a reference, on a track's
// time (nil: the song's).
func Marker(s *song.Song, t *song.Track, ref string) []string {
	var labels []string
	for _, m := range s.Markers(t) {
		labels = append(labels, m.Text())
	}
	return Word(ref, labels)
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
