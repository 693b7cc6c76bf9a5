package film

import (
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// textKind is the generator_kind of our texts.
const textKind = "fcp.text"

// Field returns a member of an object to be written.
func Field(key string, value any) otio.Field { return otio.Field{Key: key, Value: value} }

// NewFilm returns the text of an empty timeline. ours becomes its metadata.fcp.
func NewFilm(title string, ours otio.Object) string {
	return otio.Print(otio.Object{
		Field("OTIO_SCHEMA", "Timeline.1"),
		Field("metadata", otio.Object{Field("fcp", ours)}),
		Field("name", title),
		Field("global_start_time", nil),
		Field("tracks", otio.Object{
			Field("OTIO_SCHEMA", "Stack.1"), Field("metadata", otio.Object{}), Field("name", "tracks"), Field("source_range", nil),
			Field("effects", otio.List{}), Field("markers", otio.List{}), Field("enabled", true), Field("children", otio.List{}),
		}),
	})
}

// NewTrack returns an empty track.
func NewTrack(name string, kind byte) otio.Object {
	ours, of := otio.Object{}, "Video"
	if kind == TextTrack {
		ours = otio.Object{Field("role", "text")}
	}
	if kind == AudioTrack {
		of = "Audio"
	}
	return otio.Object{
		Field("OTIO_SCHEMA", "Track.1"), Field("metadata", otio.Object{Field("fcp", ours)}), Field("name", name), Field("source_range", nil),
		Field("effects", otio.List{}), Field("markers", otio.List{}), Field("enabled", true), Field("children", otio.List{}), Field("kind", of),
	}
}

func newGap(frames int, rate float64) otio.Object {
	return otio.Object{
		Field("OTIO_SCHEMA", "Gap.1"), Field("metadata", otio.Object{}), Field("name", ""), Field("source_range", otio.Range(0, float64(frames), rate)),
		Field("effects", otio.List{}), Field("markers", otio.List{}), Field("enabled", true),
	}
}

// NewClip returns a clip. ours becomes its metadata.fcp, span its source_range, and ref its media reference.
func NewClip(name string, ours otio.Object, span otio.Object, ref otio.Object) otio.Object {
	return otio.Object{
		Field("OTIO_SCHEMA", "Clip.2"), Field("metadata", otio.Object{Field("fcp", ours)}), Field("name", name), Field("source_range", span),
		Field("effects", otio.List{}), Field("markers", otio.List{}), Field("enabled", true),
		Field("media_references", otio.Object{Field("DEFAULT_MEDIA", ref)}), Field("active_media_reference_key", "DEFAULT_MEDIA"),
	}
}

// MediaReference returns the media reference of a clip that shows m.
func (f *Film) MediaReference(m *media.Medium) otio.Object {
	rate := f.Rate()
	var available any
	if n := m.Frames(rate); n >= 0 {
		available = otio.Range(0, float64(n), rate.Float())
	}
	return otio.Object{
		Field("OTIO_SCHEMA", "ExternalReference.1"), Field("metadata", otio.Object{}), Field("name", m.ID), Field("available_range", available),
		Field("available_image_bounds", nil), Field("target_url", URLOfPath(m.Path)),
	}
}

// TextGenerator returns the media reference of a text clip.
func TextGenerator(name string, p Caption) otio.Object {
	params := otio.Object{Field("text", p.Text)}
	put := func(key string, there bool, value any) {
		if there {
			params = append(params, Field(key, value))
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
		Field("OTIO_SCHEMA", "GeneratorReference.1"), Field("metadata", otio.Object{}), Field("name", name), Field("available_range", nil),
		Field("available_image_bounds", nil), Field("generator_kind", textKind), Field("parameters", params),
	}
}

// NewTransition returns a constructor of transitions. A crossfade is an SMPTE_Dissolve, which every editor knows; the
// other kinds are custom transitions, with the kind in metadata.fcp.
func NewTransition(name, kind string, rate float64) func(in, out int) otio.Object {
	return func(in, out int) otio.Object {
		otherwise := "Custom_Transition"
		if kind == "crossfade" {
			otherwise = "SMPTE_Dissolve"
		}
		return otio.Object{
			Field("OTIO_SCHEMA", "Transition.1"), Field("metadata", otio.Object{Field("fcp", otio.Object{Field("kind", kind)})}), Field("name", name),
			Field("transition_type", otherwise), Field("in_offset", otio.Time(float64(in), rate)), Field("out_offset", otio.Time(float64(out), rate)),
		}
	}
}
