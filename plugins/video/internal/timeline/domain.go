// Package timeline is the video domain: the verbs, queries, selectors and pictures of films.
package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Domain describes the video domain to the SDK.
func Domain() *pdk.Domain[*film.Film] {
	return &pdk.Domain[*film.Film]{
		Name:       "video",
		Title:      "Video",
		Version:    "0.1.0",
		Summary:    "Edits timelines of clips, transitions, texts and sound, rendered by ffmpeg.",
		Keywords:   []string{"film", "movie", "clip", "cut", "captions", "subtitles"},
		Extensions: []string{".otio"},
		MIME:       []string{"application/vnd.opentimelineio+json"},
		View:       &abi.View{Picture: "preview drawn format:svg"},
		Jobs:       pdk.Jobs(jobs),
		New:        create,
		Open: func(_ string, data []byte) (*film.Film, []string, error) {
			f, err := film.Open(string(data))
			if err != nil {
				return nil, nil, err
			}
			return f, problems(f), nil
		},
		Save:   func(f *film.Film) ([]byte, error) { return []byte(f.Doc.Text()), nil },
		SaveAs: func(f *film.Film, to pdk.Target) ([]byte, error) { return []byte(withMediaNames(f, to.Files)), nil },
		State:  filmState,
		Edits: func(typ string) pdk.Edit[*film.Film] {
			if e := new(film.Edit); typ == e.Type() {
				return e
			}
			return nil
		},
		Verbs:        allVerbs(),
		Common:       []string{"add", "overlay", "trim", "move", "remove", "caption", "fade", "volume", "split", "modify"},
		Selectors:    selection.Describe(),
		Queries:      queries(),
		Session:      []pdk.SessionAction[*film.Film]{refreshAction()},
		Formats:      formats(),
		NewParams:    []abi.Param{{Key: "media", Value: "FILE"}, filmSize.Param(), fps.Param(), sample.Param(), background.Param()},
		Media:        media.Extensions(),
		NewResources: []abi.Resource{{Key: "media", Kind: abi.ResourceProbe, Want: "program:ffprobe", Accept: media.Extensions()}},
		References: func(f *film.Film) []string {
			return pdk.Map(f.Media(), func(m *media.Medium) string { return m.Path })
		},
		Wants: []abi.Want{
			{Kind: abi.WantProgram, Name: "ffmpeg", Reason: "It renders films and shows frames of them.", Reads: true},
			{Kind: abi.WantProgram, Name: "ffprobe", Reason: "It reads the length and format of media.", Reads: true},
		},
		Conventions: conventions(),
		Vocabulary:  vocabulary(),
		Synonyms:    synonyms(),
		Example:     []string{"add clip ./vid1.mp4", "add clip ./vid2.mp4 in:2s dur:8s", "add transition crossfade between:vid1,vid2 duration:1s", `overlay text "Hello" from:1s to:4s id:title style:title`, "add audio ./music.mp3 volume:-12dB until:end"},
	}
}

// create makes an empty timeline with the media that the request names.
func create(r *abi.NewRequest) (*film.Film, error) {
	s := film.Settings{Width: 1920, Height: 1080, Sample: 48000, Background: "#000000"}
	s.Rate.Num, s.Rate.Den = 30, 1
	a := pdk.Args{Op: &abi.Op{Params: r.Params}}.With(pdk.Without("media"))
	for _, k := range projectKeys {
		if err := k.Check(a); err != nil {
			return nil, err
		}
	}
	given := readSettings(&s, a)
	var known []*media.Medium
	for i := range r.Resources {
		m, err := media.ParseProbe(r.Resources[i].Word, r.Resources[i].Data)
		if err != nil {
			return nil, err
		}
		if film.Find(known, func(o *media.Medium) bool { return o.Path == m.Path }) != nil {
			continue
		}
		m.ID = film.Unused(film.Slug(film.Stem(m.Path)), func(id string) bool { return film.Find(known, func(o *media.Medium) bool { return o.ID == id }) != nil })
		known = append(known, m)
	}
	if m := film.Find(known, func(m *media.Medium) bool { return m.Video && !m.Still && m.Width > 0 }); m != nil && !given {
		s.Width, s.Height, given = film.Even(m.Width), film.Even(m.Height), true
		if m.Rate.Num > 0 {
			s.Rate = m.Rate
		}
	}
	ours := otio.Object{}
	if given {
		ours = append(ours, film.Field("project", s.Object()))
	}
	ours = append(ours, film.Field("media", mediaObjects(known)))
	return film.Open(film.NewFilm(strings.Join(strings.Fields(r.Title), " "), ours))
}
