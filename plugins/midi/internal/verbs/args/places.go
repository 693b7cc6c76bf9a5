package args

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// HomeTrack returns the track that holds tempo, signatures and markers: track: if
// given, else the first one. In format 2, whose tracks are songs of their own, track:
// is required.
func HomeTrack(c *ctx, a pdk.Args) (*song.Track, error) {
	if a.Has("track") {
		return TrackOf(c, a, "track")
	}
	if c.Model.Format() == 2 && c.Model.TrackCount() > 1 {
		return nil, pdk.Errorf("in a file of format 2 each track has its own time: name one by track:").TryQuery("tracks")
	}
	return c.Model.Lead(), nil
}

// TimelineTracks lists the tracks that share the timeline of t.
func TimelineTracks(c *ctx, t *song.Track) []*song.Track {
	if c.Model.Format() == 2 {
		return []*song.Track{t}
	}
	return c.Model.Tracks()
}

// FindMeta returns an event of a type at a tick, on t before all other tracks that
// share its time.
func FindMeta(c *ctx, t *song.Track, typ byte, tick int64) *song.Event {
	match := func(e *song.Event) bool { return e.IsMeta(typ) }
	if e := t.Find(tick, match); e != nil {
		return e
	}
	for _, other := range TimelineTracks(c, t) {
		if e := other.Find(tick, match); e != nil {
			return e
		}
	}
	return nil
}

// RangeOnly returns the op's @range, which must be its only selector.
func RangeOnly(c *ctx, a pdk.Args, t *song.Track) (first, last int64, err error) {
	if len(a.Selectors) != 1 || a.Selectors[0].Type != "range" || a.Selectors[0].Negated {
		err := pdk.Errorf("%s takes no selector but one @range:P-P", a.Verb)
		// @all and a selector for the named track do not narrow the range.
		rest := slices.DeleteFunc(slices.Clone(a.Selectors), func(s abi.Select) bool {
			of, _ := c.Model.FindTrack(s.Value, false)
			return !s.Negated && (s.Type == "all" || s.Type == "track" && of == t)
		})
		if len(rest) != 1 || len(rest) == len(a.Selectors) {
			return 0, 0, err
		}
		return 0, 0, Suggest(err, a.With(pdk.WithSelectors(rest...)))
	}
	if a.Has("at") {
		return 0, 0, Suggest(pdk.Errorf("@range: and at: both say where; use one"), a.With(pdk.Without("at")))
	}
	if first, last, err = c.Model.Range(t, a.Selectors[0].Value); err != nil {
		list := near.Range(c.Model, t, a.Selectors[0].Value)
		if list == nil {
			return 0, 0, Refusal(err).TryQuery("map")
		}
		return 0, 0, Suggest(err, a.With(pdk.WithSelectors(abi.Select{Type: "range", Value: list[0]})))
	}
	return first, last, nil
}

// InForce lists the settings of a track's channels before a tick, in the order in which
// they were set.
func InForce(t *song.Track, tick int64) []*song.Event {
	var out []*song.Event
	for e := range t.Between(0, tick) {
		if s, ok := SettingOf(e); ok && e.IsChannel() {
			out = slices.DeleteFunc(out, func(o *song.Event) bool { old, _ := SettingOf(o); return old == s })
			out = append(out, e)
		}
	}
	return out
}

// Setting identifies what an event sets until the next such event.
type Setting struct {
	track  song.TrackID // 0 for what all tracks share
	status byte
	a      byte
}

// SettingOf returns what e sets. ok is false if no later event of its kind replaces it.
func SettingOf(e *song.Event) (s Setting, ok bool) {
	switch e.Kind() {
	case song.KindTempo, song.KindTimeSig, song.KindKeySig:
		return Setting{0, e.Status, e.A}, true
	case song.KindProgram, song.KindPressure, song.KindBend:
		return Setting{e.Track.ID, e.Status, 0}, true
	case song.KindCC:
		return Setting{e.Track.ID, e.Status, e.A}, !IsOrderedController(e.A) && e.A < 120
	}
	return s, false
}

// IsOrderedController reports whether a controller has a meaning only together with
// those before it: data entry and (non-)registered parameters.
func IsOrderedController(controller byte) bool {
	return controller == 6 || controller == 38 || controller >= 96 && controller <= 101
}
