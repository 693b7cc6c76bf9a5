package timeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// The members of each object that we write, by OpenTimelineIO's serialized schema. A name in place of a kind of value means an
// object of that schema.
var schema = map[string]map[string]string{
	"Timeline.1":           {"metadata": "object", "name": "string", "global_start_time": "null RationalTime.1", "tracks": "Stack.1"},
	"Stack.1":              {"metadata": "object", "name": "string", "source_range": "null TimeRange.1", "effects": "array", "markers": "array", "enabled": "bool", "children": "array"},
	"Track.1":              {"metadata": "object", "name": "string", "source_range": "null TimeRange.1", "effects": "array", "markers": "array", "enabled": "bool", "children": "array", "kind": "string"},
	"Clip.2":               {"metadata": "object", "name": "string", "source_range": "null TimeRange.1", "effects": "array", "markers": "array", "enabled": "bool", "media_references": "object", "active_media_reference_key": "string"},
	"Gap.1":                {"metadata": "object", "name": "string", "source_range": "TimeRange.1", "effects": "array", "markers": "array", "enabled": "bool"},
	"Transition.1":         {"metadata": "object", "name": "string", "transition_type": "string", "in_offset": "RationalTime.1", "out_offset": "RationalTime.1"},
	"ExternalReference.1":  {"metadata": "object", "name": "string", "available_range": "null TimeRange.1", "available_image_bounds": "null", "target_url": "string"},
	"GeneratorReference.1": {"metadata": "object", "name": "string", "available_range": "null TimeRange.1", "available_image_bounds": "null", "generator_kind": "string", "parameters": "object"},
	"Effect.1":             {"metadata": "object", "name": "string", "effect_name": "string"},
	"LinearTimeWarp.1":     {"metadata": "object", "name": "string", "effect_name": "string", "time_scalar": "number"},
	"Marker.2":             {"metadata": "object", "name": "string", "color": "string", "marked_range": "TimeRange.1", "comment": "string"},
	"TimeRange.1":          {"start_time": "RationalTime.1", "duration": "RationalTime.1"},
	"RationalTime.1":       {"rate": "number", "value": "number"},
}

// checkSchema checks a value and everything in it except metadata and parameters, which may hold anything.
func checkSchema(t *testing.T, v *jsontree.Value, path string) {
	t.Helper()
	name := v.Get("OTIO_SCHEMA").Text()
	fields, ok := schema[name]
	if !ok {
		t.Errorf("%s has the schema %q", path, name)
		return
	}
	for _, m := range v.Members {
		if m.Key != "OTIO_SCHEMA" && fields[m.Key] == "" {
			t.Errorf("%s: a %s has no %s", path, name, m.Key)
		}
	}
	for key, kinds := range fields {
		m := v.Get(key)
		kind := map[jsontree.Kind]string{jsontree.Null: "null", jsontree.Bool: "bool", jsontree.Number: "number", jsontree.String: "string", jsontree.Array: "array", jsontree.Object: "object"}
		if m == nil {
			t.Errorf("%s: a %s without %s", path, name, key)
			continue
		}
		of := kind[m.Kind]
		if s := m.Get("OTIO_SCHEMA").Text(); s != "" {
			of = s
		}
		if !slices.Contains(strings.Fields(kinds), of) {
			t.Errorf("%s: the %s of a %s is %s, not %s", path, key, name, of, kinds)
		}
		if strings.Contains(of, ".") {
			checkSchema(t, m, path+"/"+key)
		}
		if of == "array" {
			for i, item := range m.Items {
				checkSchema(t, item, path+"/"+key+"/"+string(rune('0'+i%10)))
			}
		}
	}
	switch name {
	case "Clip.2":
		key := v.Get("active_media_reference_key").Text()
		if v.Get("media_references", key) == nil {
			t.Errorf("%s has no reference %s", path, key)
			return
		}
		checkSchema(t, v.Get("media_references", key), path+"/"+key)
	case "Track.1":
		if k := v.Get("kind").Text(); k != "Video" && k != "Audio" {
			t.Errorf("%s is of the kind %q", path, k)
		}
		crossing := true // none may start a track, and no two may be neighbours
		for i, item := range v.Get("children").Items {
			is := item.Get("OTIO_SCHEMA").Text() == "Transition.1"
			if is && crossing {
				t.Errorf("%s: item %d is a transition that joins nothing", path, i)
			}
			crossing = is
		}
	}
}

func TestNewFilesFollowTheSchemaOfOpenTimelineIO(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Demo" fps:29.97`, world())
	doc.Do("add clip ./vid1.mp4 in:1s dur:10s", "add clip ./vid2.mp4", "add clip ./cat.mp4 at:1m30s", "add transition crossfade between:vid1,vid2 duration:1.5s", "add audio ./music.mp3 until:end", "duck A1 under:V1",
		"overlay text Hello from:1s to:3s style:title-card", "overlay image ./logo.png from:2s", "add effect zoom on:vid1 factor:1@0s,1.4@3s", "speed vid2 2x", "fade cat in:1s", "mute vid1", "volume A1 -3dB", "marker Chorus at:20s", "split vid1 at:4s", "track add audio name:Empty")
	v, err := jsontree.Parse(string(doc.Save()))
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, v, "")
}
