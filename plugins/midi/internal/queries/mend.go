package queries

import (
	"cmp"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// insteadAt returns a refusal that suggests the query with each of words as positional
// i.
func insteadAt(err error, a pdk.Args, i int, words ...string) *pdk.Error {
	e := pdk.Errorf("%v", err)
	for _, w := range words {
		e.TryQuery(a.Mended(pdk.WithWords(i, 1, w)))
	}
	return e
}

// instead does the same for the value of a key.
func instead(err error, a pdk.Args, key string, values ...string) *pdk.Error {
	e := pdk.Errorf("%v", err)
	for _, v := range values {
		e.TryQuery(a.Mended(pdk.WithParam(key, v)))
	}
	return e
}

// namedTrack resolves the track reference in positional i of a query.
func namedTrack(v *view, a pdk.Args, i int) (*song.Track, error) {
	t, err := v.Model.FindTrack(a.Text(i), false)
	if err == nil {
		return t, nil
	}
	names := near.Track(v.Model, a.Text(i))
	if len(names) == 0 {
		return nil, pdk.Errorf("%v", err).TryQuery("tracks")
	}
	return nil, insteadAt(err, a, i, names...)
}

// namedSpan reads positional i of a query, P-P on a track's time (nil: the song's).
func namedSpan(v *view, a pdk.Args, i int, t *song.Track) (from, to int64, err error) {
	if from, to, err = v.Model.Range(t, a.Text(i)); err == nil {
		return from, to, nil
	}
	words := near.Range(v.Model, t, a.Text(i))
	if len(words) == 0 {
		return 0, 0, pdk.Errorf("%v", err).TryQuery("map")
	}
	return 0, 0, insteadAt(err, a, i, words...)
}

// tracksRefused suggests the tracks nearest to positional 0 of a query.
func tracksRefused(v *view, a pdk.Args, err error) error {
	names := near.Track(v.Model, a.Text(0))
	if len(names) == 0 {
		return pdk.Errorf("%v", err).TryQuery("tracks")
	}
	return insteadAt(err, a, 0, names...)
}

// selectorsRefused suggests the query with corrected selectors.
func selectorsRefused(v *view, a pdk.Args, sels []abi.Select, err error) error {
	better, look := selector.Mend(v.Model, sels, false)
	if better == nil {
		return pdk.Errorf("%v", err).TryQuery(cmp.Or(look, "map"))
	}
	return pdk.Errorf("%v", err).TryQuery(a.Mended(pdk.WithSelectors(better...)))
}
