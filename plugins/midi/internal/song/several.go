package song

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// FindTracks resolves track references joined by commas; each track may occur once.
// Names may contain commas.
func (s *Song) FindTracks(refs string, exactish bool) ([]*Track, error) {
	var out []*Track
	for rest := strings.Split(refs, ","); len(rest) > 0; {
		n := len(rest) // the longest name that the rest starts with
		for n > 1 {
			if hits, _ := s.Names().Find(strings.TrimSpace(strings.Join(rest[:n], ",")), true); len(hits) == 1 {
				break
			}
			n--
		}
		t, err := s.FindTrack(strings.TrimSpace(strings.Join(rest[:n], ",")), exactish)
		rest = rest[n:]
		if err != nil {
			return nil, err
		}
		for _, other := range out {
			if other == t {
				return nil, pdk.Errorf("track %s is named twice in %q", pdk.Quote(s.Name(t)), refs)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// TracksRef prints tracks as one word that FindTracks reads.
func (s *Song) TracksRef(tracks []*Track) string {
	refs := make([]string, len(tracks))
	for i, t := range tracks {
		name := s.Name(t)
		if hits, _ := s.Names().Find(name, true); len(hits) != 1 || strings.Contains(name, ",") || strings.TrimSpace(name) != name {
			name = "#" + strconv.Itoa(s.Number(t))
		}
		refs[i] = name
	}
	return pdk.Quote(strings.Join(refs, ","))
}
