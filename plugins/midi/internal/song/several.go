package song

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// FindTracks resolves track references joined by commas; each track may occur once. It
// also accepts a single name that contains a comma.
func (s *Song) FindTracks(refs string, exactish bool) ([]*Track, error) {
	if hits, _ := s.Names().Find(refs, true); len(hits) == 1 {
		return hits, nil
	}
	var out []*Track
	for _, ref := range strings.Split(refs, ",") {
		t, err := s.FindTrack(strings.TrimSpace(ref), exactish)
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
