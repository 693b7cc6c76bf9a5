package timeline

import (
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// textKind is the generator_kind of our texts.
const textKind = "fcp.text"

// field returns a member of an object to be written.
func field(key string, value any) otio.Field { return otio.Field{Key: key, Value: value} }

// newFilm returns the text of an empty timeline. ours becomes its metadata.fcp.
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

// newTrack returns an empty track.
func newTrack(name string, kind byte) otio.Object {
	ours, of := otio.Object{}, "Video"
	if kind == textTrack {
		ours = otio.Object{field("role", "text")}
	}
	if kind == audioTrack {
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

// newClip returns a clip. ours becomes its metadata.fcp, span its source_range, and ref its media reference.
func newClip(name string, ours otio.Object, span otio.Object, ref otio.Object) otio.Object {
	return otio.Object{
		field("OTIO_SCHEMA", "Clip.2"), field("metadata", otio.Object{field("fcp", ours)}), field("name", name), field("source_range", span),
		field("effects", otio.List{}), field("markers", otio.List{}), field("enabled", true),
		field("media_references", otio.Object{field("DEFAULT_MEDIA", ref)}), field("active_media_reference_key", "DEFAULT_MEDIA"),
	}
}

// mediaReference returns the media reference of a clip that shows m.
func (f *Film) mediaReference(m *media.Medium) otio.Object {
	rate := f.rate()
	var available any
	if n := m.Frames(rate); n >= 0 {
		available = otio.Range(0, float64(n), rate.Float())
	}
	return otio.Object{
		field("OTIO_SCHEMA", "ExternalReference.1"), field("metadata", otio.Object{}), field("name", m.ID), field("available_range", available),
		field("available_image_bounds", nil), field("target_url", urlOfPath(m.Path)),
	}
}

// textGenerator returns the media reference of a text clip.
func textGenerator(name string, p caption) otio.Object {
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

// newTransition returns a constructor of transitions. A crossfade is an SMPTE_Dissolve, which every editor knows; the other kinds
// are custom transitions, with the kind in metadata.fcp.
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
