package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// selected is what a selector matches: a clip or text, a transition, or a gap.
type selected struct {
	track      *film.Track
	clip       *film.Clip
	join       *film.Join
	start, end int
}

func (t selected) id() string {
	switch {
	case t.clip != nil:
		return t.clip.ID
	case t.join != nil:
		return t.join.ID
	}
	return ""
}

// what returns its type as selectors name it.
func (t selected) what() string {
	switch {
	case t.clip != nil:
		return t.clip.What()
	case t.join != nil:
		return "transition"
	}
	return "gap"
}

// selectable returns all clips, transitions and gaps, track by track in the order of time.
func selectable(f *film.Film) (out []selected) {
	for _, t := range f.Parsed().Tracks {
		at := 0
		for _, c := range t.Clips {
			if c.Start > at && t.Kind != film.TextTrack && c.Over == nil {
				out = append(out, selected{track: t, start: at, end: c.Start})
			}
			out = append(out, selected{track: t, clip: c, start: c.Start, end: c.End})
			if c.Right != nil {
				out = append(out, selected{track: t, join: c.Right, start: c.Right.B.Start, end: c.End})
			}
			at = c.End
		}
	}
	return out
}

var selectedType = value.OneOf("clip", "audio", "text", "caption", "overlay", "transition", "gap", "nested")

var selection = pdk.Selection[*film.Film, selected]{
	All: selectable,
	ByID: func(f *film.Film, id string) (selected, bool) {
		all := selectable(f)
		i := slices.IndexFunc(all, func(t selected) bool { return t.id() == id && id != "" })
		if i < 0 {
			return selected{}, false
		}
		return all[i], true
	},
	Table: []pdk.SelectorType[*film.Film, selected]{
		{Selector: abi.Selector{Syntax: "@track:V1", Summary: "what is on a track, or on one of several: @track:A9,A10"},
			Match: func(f *film.Film, name string) (func(selected) bool, error) {
				t, err := findByRef(f, name)
				return func(x selected) bool { return x.track == t }, err
			}},
		{Selector: abi.Selector{Syntax: "@type:clip|audio|text|caption|overlay|transition|gap|nested", Summary: "elements of a type; captions are texts, too", Brief: "@type:clip|audio|text|caption|overlay|transition|gap"},
			Match: func(_ *film.Film, name string) (func(selected) bool, error) {
				word, err := value.Key[string]{Name: "@type", Type: selectedType}.Parse(name)
				if word == "caption" {
					return func(x selected) bool {
						return x.clip != nil && x.clip.Kind == film.TextItem && x.clip.Caption.Style == "caption"
					}, nil
				}
				return func(x selected) bool { return x.what() == word }, err
			}},
		{Selector: abi.Selector{Syntax: "@range:10s-20s", Summary: "what is seen during a range"},
			Match: func(f *film.Film, span string) (func(selected) bool, error) {
				from, to, err := readRange(f, span)
				return func(x selected) bool { return x.start < to && from < x.end }, err
			}},
		{Selector: abi.Selector{Syntax: "@media:NAME", Summary: "clips of a medium"},
			Match: func(f *film.Film, name string) (func(selected) bool, error) {
				m, err := f.Medium(name)
				return func(x selected) bool {
					return x.clip != nil && x.clip.Kind == film.ClipItem && (x.clip.Medium == m.ID || film.PathOfURL(x.clip.Url) == m.Path)
				}, err
			}},
		{Selector: abi.Selector{Syntax: "@gap", Summary: "gaps between clips"},
			Match: func(*film.Film, string) (func(selected) bool, error) {
				return func(x selected) bool { return x.what() == "gap" }, nil
			}},
	},
}

// readRange reads a range of time such as 10s-20s.
func readRange(f *film.Film, value string) (from, to int, err error) {
	k := clock{f: f}
	for i, r := range value {
		if r != '-' {
			continue
		}
		first, errF := k.moment("range", value[:i])
		second, errS := k.moment("range", value[i+1:])
		if errF == nil && errS == nil {
			if second <= first {
				return 0, 0, pdk.Errorf("the range %s ends before it begins", value)
			}
			return first, second, nil
		}
	}
	return 0, 0, pdk.Errorf("%q is not a range of time: FROM-TO, such as 10s-20s or %s", value, timecode.Rate.Text(f.Rate(), 0)+"-end")
}

// targets returns the clips and texts that an op names, by selectors or by one reference.
func targets(c *film.Ctx, a pdk.Args) ([]*film.Clip, error) {
	if len(a.Selectors) == 0 && len(a.Positionals) == 0 {
		return nil, withSample(c.Model, pdk.Errorf("%s needs a CLIP, or selectors such as @track:V1", a.Verb), a.Verb, a)
	}
	if t := namedTrack(c.Model, a); t != nil {
		return nil, pdk.Errorf("%s is a track: @track:%s is what is on it", t.ID, t.ID).Try(a.Mended(pdk.WithoutWord(0), pdk.WithSelector("track", t.ID)))
	}
	if len(a.Selectors) == 0 {
		one := pdk.Must(c.Model.Clip(a.Text(0), false))
		return []*film.Clip{one}, nil
	}
	found := pdk.Must(selection.Select(c.Model, c.Recent, a.Selectors))
	return clipsOf(found, a)
}

// clipsOf returns the clips and texts among the selected elements. It fails if there are none.
func clipsOf(found []selected, a pdk.Args) (out []*film.Clip, err error) {
	for _, x := range found {
		if x.clip != nil {
			out = append(out, x.clip)
		}
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("no clip or text matches %s", pdk.SelectorText(a.Selectors))
	}
	return out, nil
}

// clipNames prints at most eight clips.
func clipNames(clips []*film.Clip) string {
	return pdk.List(pdk.Map(clips, (*film.Clip).Ref), 8)
}

func clipIDs(clips []*film.Clip) []string {
	return pdk.Map(clips, func(c *film.Clip) string { return c.ID })
}

// refind finds a clip again after an edit, which invalidates pointers to clips.
func refind(f *film.Film, t *film.Track, id string) *film.Clip {
	for _, now := range f.Parsed().Tracks {
		if now.ID == t.ID {
			return film.Find(now.Clips, func(c *film.Clip) bool { return c.ID == id })
		}
	}
	return nil
}
