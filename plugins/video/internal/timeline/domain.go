package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Domain describes the video domain to the SDK.
func Domain() *pdk.Domain[*Film] {
	return &pdk.Domain[*Film]{
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
		Open: func(_ string, data []byte) (*Film, []string, error) {
			f, err := open(string(data))
			if err != nil {
				return nil, nil, err
			}
			return f, f.problems(), nil
		},
		Save:   func(f *Film) ([]byte, error) { return []byte(f.doc.Text()), nil },
		SaveAs: func(f *Film, to pdk.Target) ([]byte, error) { return []byte(f.withMediaNames(to.Files)), nil },
		State:  state,
		Edits: func(typ string) pdk.Edit[*Film] {
			if e := new(edit); typ == e.Type() {
				return e
			}
			return nil
		},
		Verbs:        verbs(),
		Common:       []string{"add", "overlay", "trim", "move", "remove", "caption", "fade", "volume", "split", "modify"},
		Selectors:    selection.Describe(),
		Queries:      queries(),
		Session:      []pdk.SessionAction[*Film]{refreshAction()},
		Formats:      formats(),
		NewParams:    []abi.Param{{Key: "media", Value: "FILE"}, filmSize.Param(), fps.Param(), sample.Param(), background.Param()},
		Media:        media.Extensions(),
		NewResources: []abi.Resource{{Key: "media", Kind: abi.ResourceProbe, Want: "program:ffprobe", Accept: media.Extensions()}},
		References: func(f *Film) (names []string) {
			for _, m := range f.media() {
				names = append(names, m.Path)
			}
			return names
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
func create(r *abi.NewRequest) (*Film, error) {
	s := settings{width: 1920, height: 1080, sample: 48000, background: "#000000"}
	s.rate.Num, s.rate.Den = 30, 1
	var a pdk.Args
	a.Op = &abi.Op{}
	for _, p := range r.Params {
		if p.Key == "media" {
			continue
		}
		a.Params = append(a.Params, p)
	}
	for _, k := range projectKeys {
		if err := k.Check(a); err != nil {
			return nil, err
		}
	}
	given := s.set(a)
	var known []*media.Medium
	for i := range r.Resources {
		m, err := media.ParseProbe(r.Resources[i].Word, r.Resources[i].Data)
		if err != nil {
			return nil, err
		}
		if find(known, func(o *media.Medium) bool { return o.Path == m.Path }) != nil {
			continue
		}
		m.ID = unused(slug(stem(m.Path)), func(id string) bool { return find(known, func(o *media.Medium) bool { return o.ID == id }) != nil })
		known = append(known, m)
	}
	if m := find(known, func(m *media.Medium) bool { return m.Video && !m.Still && m.Width > 0 }); m != nil && !given {
		s.width, s.height, given = even(m.Width), even(m.Height), true
		if m.Rate.Num > 0 {
			s.rate = m.Rate
		}
	}
	ours := otio.Object{}
	if given {
		ours = append(ours, field("project", s.object()))
	}
	ours = append(ours, field("media", mediaObjects(known)))
	return open(newFilm(strings.Join(strings.Fields(r.Title), " "), ours))
}
