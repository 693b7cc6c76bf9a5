package timeline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

// problems lists what cannot be used as written in the file: invalid values, and media that no program can read. All
// of it stays in the file.
func problems(f *film.Film) []string {
	out := settingsProblems(f)
	for _, t := range f.Parsed().Tracks {
		for _, it := range t.Items {
			name := it.Name
			if name == "" {
				name = it.Schema
			}
			for _, text := range it.Problems {
				out = append(out, fmt.Sprintf("%s on %s: %s", pdk.Quote(pdk.Line(name, 60)), t.ID, text))
			}
		}
	}
	var bare []string
	for _, c := range f.Clips() {
		if c.Kind == film.ClipItem && f.MediumOf(c) == nil {
			bare = append(bare, c.Ref()+" on "+c.Track.ID)
		}
	}
	if len(bare) > 0 {
		out = append(out, "without known media: "+pdk.List(bare, 5)+"; modify CLIP media:FILE gives it some, enabled:false leaves it out of renders")
	}
	for _, m := range f.Media() {
		if why := unusable(m); why != "" {
			out = append(out, fmt.Sprintf("media %s: %s", pdk.Quote(m.ID), why))
		}
	}
	const most = abi.MaxWarnings - 3
	if more := len(out) - most; more > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more values that cannot be used; they stay in the file as they are", more))
	}
	return out
}

// unusable returns why no program can read the file of a medium, "" if one may.
func unusable(m *media.Medium) string {
	scheme, _, remote := strings.Cut(m.Path, "://")
	switch {
	case m.Path == "":
		return "the timeline names no file"
	case remote:
		return fmt.Sprintf("%s is on %s, and only files are rendered", pdk.Quote(pdk.Line(m.Path, 120)), pdk.Line(scheme, 20))
	case !slices.Contains(media.Extensions(), media.Extension(m.Path)):
		return fmt.Sprintf("%s is not a media file by its ending, and cannot be rendered", pdk.Quote(pdk.Line(path.Base(m.Path), 120)))
	}
	return ""
}

// settingsProblems lists the invalid settings of the project.
func settingsProblems(f *film.Film) (out []string) {
	v := f.Doc.At(film.FCPPath + "/project").Value()
	if !v.Is(jsontree.Object) {
		return nil
	}
	s := f.Parsed().Settings
	say := func(what string, ok bool, instead any, keys ...string) {
		var has []string
		for _, key := range keys {
			has = append(has, film.RawValue(v.Get(key)))
		}
		if !ok {
			out = append(out, fmt.Sprintf("the project's %s is %s, read as %v", what, strings.Join(has, "x"), instead))
		}
	}
	_, err := timecode.ParseRate(v.Get("fps").Plain())
	_, named := film.FileColour(v.Get("background").Text())
	say("size", film.ValidSide(int(v.Get("width").Float())) && film.ValidSide(int(v.Get("height").Float())), fmt.Sprintf("%dx%d", s.Width, s.Height), "width", "height")
	say("rate", err == nil, s.Rate, "fps")
	say("sample rate", v.Get("sample_rate") == nil || slices.Contains(film.SampleRates, int(v.Get("sample_rate").Float())), s.Sample, "sample_rate")
	say("background", v.Get("background") == nil || named, s.Background, "background")
	return out
}
