package timeline

import (
	"fmt"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// textKind is the generator of texts.
const textKind = "fcp.text"

// field is short for a member to be written.
func field(key string, value any) otio.Field { return otio.Field{Key: key, Value: value} }

// newFilm is the text of an empty timeline.
func newFilm(title string, ours otio.Object) string {
	return otio.Print(otio.Object{
		field("OTIO_SCHEMA", "Timeline.1"),
		field("metadata", otio.Object{field("fcp", ours)}),
		field("name", title),
		field("global_start_time", nil),
		field("tracks", otio.Object{
			field("OTIO_SCHEMA", "Stack.1"), field("metadata", otio.Object{}), field("name", "tracks"), field("source_range", nil),
			field("effects", otio.List{}), field("markers", otio.List{}), field("enabled", true), field("children", otio.List{}),
		}),
	})
}

// newTrack is an empty track.
func newTrack(name string, kind byte) otio.Object {
	ours, of := otio.Object{}, "Video"
	if kind == letters {
		ours = otio.Object{field("role", "text")}
	}
	if kind == sounds {
		of = "Audio"
	}
	return otio.Object{
		field("OTIO_SCHEMA", "Track.1"), field("metadata", otio.Object{field("fcp", ours)}), field("name", name), field("source_range", nil),
		field("effects", otio.List{}), field("markers", otio.List{}), field("enabled", true), field("children", otio.List{}), field("kind", of),
	}
}

func newGap(frames int, rate float64) otio.Object {
	return otio.Object{
		field("OTIO_SCHEMA", "Gap.1"), field("metadata", otio.Object{}), field("name", ""), field("source_range", otio.Range(0, float64(frames), rate)),
		field("effects", otio.List{}), field("markers", otio.List{}), field("enabled", true),
	}
}

// newClip is a clip of a reference.
func newClip(name string, ours otio.Object, span otio.Object, ref otio.Object) otio.Object {
	return otio.Object{
		field("OTIO_SCHEMA", "Clip.2"), field("metadata", otio.Object{field("fcp", ours)}), field("name", name), field("source_range", span),
		field("effects", otio.List{}), field("markers", otio.List{}), field("enabled", true),
		field("media_references", otio.Object{field("DEFAULT_MEDIA", ref)}), field("active_media_reference_key", "DEFAULT_MEDIA"),
	}
}

// refer is what a clip says of its medium.
func (f *Film) refer(m *Medium) otio.Object {
	rate := f.rate()
	var available any
	if n := m.frames(rate); n >= 0 {
		available = otio.Range(0, float64(n), rate.Float())
	}
	return otio.Object{
		field("OTIO_SCHEMA", "ExternalReference.1"), field("metadata", otio.Object{}), field("name", m.ID), field("available_range", available),
		field("available_image_bounds", nil), field("target_url", address(m.Path)),
	}
}

// generator is what a text says of itself.
func generator(name string, p caption) otio.Object {
	params := otio.Object{field("text", p.Text)}
	put := func(key string, there bool, value any) {
		if there {
			params = append(params, field(key, value))
		}
	}
	put("style", p.Style != "", p.Style)
	put("color", p.Color != "", p.Color)
	put("anchor", p.Anchor != "", p.Anchor)
	put("x", p.X != 0, p.X)
	put("y", p.Y != 0, p.Y)
	put("size", p.Size != 0, p.Size)
	put("fade", p.Fade != 0, p.Fade)
	return otio.Object{
		field("OTIO_SCHEMA", "GeneratorReference.1"), field("metadata", otio.Object{}), field("name", name), field("available_range", nil),
		field("available_image_bounds", nil), field("generator_kind", textKind), field("parameters", params),
	}
}

// newTransition is a transition. Those that every editor knows say so; others are told in our metadata.
func newTransition(name, kind string, rate float64) func(in, out int) otio.Object {
	return func(in, out int) otio.Object {
		otherwise := "Custom_Transition"
		if kind == "crossfade" {
			otherwise = "SMPTE_Dissolve"
		}
		return otio.Object{
			field("OTIO_SCHEMA", "Transition.1"), field("metadata", otio.Object{field("fcp", otio.Object{field("kind", kind)})}), field("name", name),
			field("transition_type", otherwise), field("in_offset", otio.Time(float64(in), rate)), field("out_offset", otio.Time(float64(out), rate)),
		}
	}
}

// track finds a track by its id or name, or makes the one that a new clip of a kind goes to by itself.
func (f *Film) track(ref string) (*Track, error) {
	var ids []string
	for _, t := range f.all().tracks {
		if equal(t.ID, ref) {
			return t, nil
		}
		ids = append(ids, t.ID)
	}
	var found []*Track
	for _, t := range f.all().tracks {
		if equal(t.Name, ref) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		var names []string
		for _, t := range found {
			names = append(names, t.ID)
		}
		return nil, pdk.Errorf("track %s may be %s", pdk.Quote(ref), list(names, 5)).Instead(ref, names...)
	}
	if len(ids) == 0 {
		return nil, pdk.Errorf("no track %s: there is none yet", pdk.Quote(ref))
	}
	if c := f.lying(ref); c != nil {
		return nil, pdk.Errorf("%s is not a track, but on %s", c.name(), c.Track.ID).Instead(ref, c.Track.ID)
	}
	return nil, pdk.Errorf("no track %s: there are %s", pdk.Quote(ref), list(ids, 12)).Instead(ref, pdk.Nearest(ref, ids)...)
}

// lying is the clip of an id, where it is the only one of it.
func (f *Film) lying(id string) (found *Clip) {
	for _, c := range f.clips() {
		if equal(c.ID, id) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// grow finds a track or makes it, if ref is the next id of its kind: V1, V2, A1, T1.
func grow(c *ctx, ref string) (*Track, error) {
	f := c.Model
	t, err := f.track(ref)
	if err == nil || len(ref) < 2 {
		return t, err
	}
	k := ref[0] &^ 0x20
	if k != pictures && k != sounds && k != letters {
		return nil, err
	}
	if id := f.nextTrack(k); equal(id, ref) {
		return raise(c, k, id)
	}
	return nil, err
}

// nextTrack is the id that a new track of a kind gets.
func (f *Film) nextTrack(k byte) string {
	n := 1
	for _, t := range f.all().tracks {
		if t.Kind == k {
			n++
		}
	}
	return fmt.Sprintf("%c%d", k, n)
}

// raise makes a track: over those of its kind; pictures lie under texts.
func raise(c *ctx, k byte, name string) (*Track, error) {
	f := c.Model
	at := len(f.all().tracks)
	if k == pictures {
		for at > 0 && f.all().tracks[at-1].Kind != pictures {
			at--
		}
	}
	id := f.nextTrack(k)
	if err := change(c, f.doc.Insert(tracksPath, at, newTrack(name, k)), "track "+id, id); err != nil {
		return nil, err
	}
	return f.track(id)
}
