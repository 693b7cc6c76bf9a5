package film

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Media returns all media: those listed in the file, and those that only clips refer to.
func (f *Film) Media() []*media.Medium {
	list := slices.Clone(f.ListedMedia())
	known := map[string]bool{}
	for _, m := range list {
		known[m.ID] = true
		known["\x00"+m.Path] = true
	}
	for _, c := range f.Clips() {
		if c.Kind != ClipItem || known[c.Medium] && c.Medium != "" || c.Url == "" {
			continue
		}
		p := PathOfURL(c.Url)
		if known["\x00"+p] {
			if m := Find(list, func(m *media.Medium) bool { return m.Path == p }); m != nil && !m.Listed {
				learnFrom(m, c)
			}
			continue
		}
		m := &media.Medium{ID: Unused(Slug(Stem(p)), func(id string) bool { return known[id] }), Path: p, Still: slices.Contains(media.StillExtensions, media.Extension(p))}
		learnFrom(m, c)
		known[m.ID], known["\x00"+p] = true, true
		list = append(list, m)
	}
	return list
}

// learnFrom adds to an unlisted medium what a clip reveals about it.
func learnFrom(m *media.Medium, c *Clip) {
	if c.Track.Kind == AudioTrack {
		m.Audio = true
	} else {
		m.Video = true
	}
	if c.Avail > 0 && !m.Still {
		m.Known, m.Duration = true, c.Rate.Seconds(c.Avail)
	}
}

// Find returns the first element that passes a test, nil if none does.
func Find[E any](list []*E, test func(*E) bool) *E {
	if i := slices.IndexFunc(list, test); i >= 0 {
		return list[i]
	}
	return nil
}

// ListedMedia returns the media in the file's list.
func (f *Film) ListedMedia() []*media.Medium {
	n := f.Doc.At(MediaPath)
	if n == nil {
		return nil
	}
	if l, ok := n.Memo.([]*media.Medium); ok {
		return l
	}
	var out []*media.Medium
	for i := range n.Len() {
		item := n.Item(i)
		m, ok := item.Memo.(*media.Medium)
		if !ok {
			m = media.Read(item.Value())
			item.Memo = m
		}
		out = append(out, m)
	}
	n.Memo = out
	return out
}

// Slug makes an id of a name. Runs of characters other than letters, digits, - and _ become _.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			b.WriteRune(r)
		} else if s := b.String(); !strings.HasSuffix(s, "_") {
			b.WriteByte('_')
		}
		if b.Len() > 60 {
			break
		}
	}
	if s := strings.Trim(b.String(), "_-"); s != "" {
		return s
	}
	return "media"
}

// Unused returns id, or id with a number if it is taken.
func Unused(id string, taken func(string) bool) string {
	if !taken(id) {
		return id
	}
	for n := 2; ; n++ {
		if next := id + "_" + strconv.Itoa(n); !taken(next) {
			return next
		}
	}
}

// Medium finds a medium by its id, its path, the name of its file, or a prefix of its id.
func (f *Film) Medium(ref string) (*media.Medium, error) {
	for _, m := range f.ListedMedia() {
		if m.ID == ref || m.Path == ref {
			return m, nil
		}
	}
	all := f.Media()
	var found []*media.Medium
	for _, test := range []func(m *media.Medium) bool{
		func(m *media.Medium) bool { return m.ID == ref || m.Path == ref },
		func(m *media.Medium) bool {
			return path.Base(m.Path) == ref || path.Base(m.Path) == path.Base(ref) && strings.Contains(ref, "/")
		},
		func(m *media.Medium) bool {
			return strings.EqualFold(m.ID, ref) || strings.EqualFold(path.Base(m.Path), ref)
		},
		func(m *media.Medium) bool {
			return ref != "" && strings.HasPrefix(strings.ToLower(m.ID), strings.ToLower(ref))
		},
	} {
		for _, m := range all {
			if test(m) {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	var ids []string
	for _, m := range found {
		ids = append(ids, pdk.Quote(m.ID))
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		for _, m := range all {
			ids = append(ids, m.ID)
		}
		err := pdk.Errorf("no media %s", pdk.Quote(ref))
		near := pdk.Nearest(ref, ids)
		for i := range near {
			near[i] = pdk.Quote(near[i])
		}
		if len(near) > 0 {
			err = pdk.Errorf("no media %s; nearest: %s", pdk.Quote(ref), strings.Join(near, ", "))
			return nil, err.Instead(ref, near...)
		}
		if len(ids) == 0 {
			return nil, pdk.Errorf("no media %s, and none is known yet: name a file, such as ./%s.mp4", pdk.Quote(ref), Slug(ref))
		}
		return nil, err.TryQuery("media")
	}
	return nil, pdk.Errorf("media %s may be %s", pdk.Quote(ref), strings.Join(ids, ", ")).Instead(ref, ids...)
}

// MediumOf returns the medium of a clip, nil if the clip has none.
func (f *Film) MediumOf(c *Clip) *media.Medium {
	if c.Kind != ClipItem {
		return nil
	}
	if c.Medium != "" {
		if m := Find(f.ListedMedia(), func(m *media.Medium) bool { return m.ID == c.Medium }); m != nil {
			return m
		}
	}
	if c.Url == "" {
		return nil
	}
	p := PathOfURL(c.Url)
	return Find(f.Media(), func(m *media.Medium) bool { return m.Path == p })
}

// ResolveMedium returns the medium that a word names: a known one, or a file that the host has probed, which is added
// to the list.
func ResolveMedium(c *Ctx, word string) (*media.Medium, error) {
	s, err := c.Resource(word)
	if err != nil {
		declared := Find(c.Model.ListedMedia(), func(m *media.Medium) bool { return path.Clean(m.Path) == path.Clean(word) })
		if declared != nil {
			return declared, nil
		}
		return nil, ProbeRefused(word, err)
	}
	if s == nil {
		return c.Model.Medium(word)
	}
	return addProbed(c, s)
}

// ProbeRefused returns the error for a file that could not be probed, and suggests to declare it.
func ProbeRefused(word string, err error) error {
	op := "media " + pdk.Quote(word)
	switch {
	case slices.Contains(media.StillExtensions, media.Extension(word)):
		op += " size:1920x1080"
	case slices.Contains(media.AudioExtensions, media.Extension(word)):
		op += " duration:10s"
	default:
		op += " duration:10s size:1920x1080 fps:30"
	}
	return pdk.Errorf("%s: %v; or declare what it contains", word, err).Try(op)
}

// addProbed adds the probed file to the list of media, or updates it there.
func addProbed(c *Ctx, s *abi.Supply) (*media.Medium, error) {
	m, err := media.ParseProbe(s.Word, s.Data)
	if err != nil {
		return nil, err
	}
	return m, PutMedium(c, m)
}

// PutMedium adds a medium to the list, or replaces the one with its path.
func PutMedium(c *Ctx, m *media.Medium) error {
	f := c.Model
	all := f.ListedMedia()
	old := slices.IndexFunc(all, func(o *media.Medium) bool { return o.Path == m.Path })
	if old >= 0 {
		m.ID = all[old].ID
		text := f.Doc.Write(m.Object(), MediaPath, old)
		if step := f.Doc.Set(MediaPath, old, text); step.Old != step.New {
			return Change(c, step, "media "+m.ID, m.ID)
		}
		return nil
	}
	if m.ID == "" {
		taken := map[string]bool{}
		for _, o := range f.Media() {
			if o.Path != m.Path {
				taken[o.ID] = true
			}
		}
		m.ID = Unused(Slug(Stem(m.Path)), func(id string) bool { return taken[id] })
	}
	if err := f.ensureMediaList(c); err != nil {
		return err
	}
	if err := Change(c, f.Doc.Insert(MediaPath, len(all), m.Object()), "media "+m.ID, m.ID); err != nil {
		return err
	}
	if s := f.Parsed().Settings; !s.Chosen && m.Video && !m.Still && m.Width > 0 && len(f.Clips()) == 0 {
		return f.adoptFormat(c, m)
	}
	return nil
}

// ensureMediaList adds a list of media to a file that has none.
func (f *Film) ensureMediaList(c *Ctx) error {
	if f.Doc.At(MediaPath) != nil {
		return nil
	}
	if err := f.ensureMetadata(c); err != nil {
		return err
	}
	if s := f.Parsed().Settings; s.Chosen { // fix the settings that were derived from the clips
		if err := f.SetProject(c, s); err != nil {
			return err
		}
	}
	step, _ := f.Doc.Put(FCPPath, "media", otio.List{})
	return Change(c, step, "list of media")
}

// ensureMetadata adds the object metadata.fcp to a file that has none.
func (f *Film) ensureMetadata(c *Ctx) error {
	if f.Doc.At("metadata") == nil || !f.Doc.At("metadata").Value().Is(jsontree.Object) {
		step, _ := f.Doc.Put("", "metadata", otio.Object{})
		if err := Change(c, step, "metadata"); err != nil {
			return err
		}
	}
	if v := f.Doc.At(FCPPath); v != nil && v.Value().Is(jsontree.Object) {
		return nil
	}
	step, _ := f.Doc.Put("metadata", "fcp", otio.Object{})
	return Change(c, step, "metadata")
}

// adoptFormat gives the project the size and frame rate of its first medium.
func (f *Film) adoptFormat(c *Ctx, m *media.Medium) error {
	s := f.Parsed().Settings
	s.Width, s.Height = Even(m.Width), Even(m.Height)
	if m.Rate.Num > 0 {
		s.Rate = m.Rate
	}
	return f.SetProject(c, s)
}

// Even returns the next side of a picture that is valid.
func Even(n int) int { return min(max(n+n%2, 16), 8192) }

// Object returns the settings in the form of the file.
func (s Settings) Object() otio.Object {
	return otio.Object{{Key: "width", Value: s.Width}, {Key: "height", Value: s.Height}, {Key: "fps", Value: fmt.Sprintf("%d/%d", s.Rate.Num, s.Rate.Den)}, {Key: "sample_rate", Value: s.Sample}, {Key: "background", Value: s.Background}}
}

// SetProject writes the settings.
func (f *Film) SetProject(c *Ctx, s Settings) error {
	if err := f.ensureMetadata(c); err != nil {
		return err
	}
	step, same := f.Doc.Put(FCPPath, "project", s.Object())
	if same {
		return nil
	}
	return Change(c, step, "project "+s.String(), "project")
}

// String prints size and frame rate: 1920x1080@30.
func (s Settings) String() string { return fmt.Sprintf("%dx%d@%s", s.Width, s.Height, s.Rate) }

// IsStill reports whether a clip shows a still.
func (f *Film) IsStill(c *Clip) bool {
	m := f.MediumOf(c)
	return m != nil && m.Still
}

// Source returns the length of a clip's medium in frames of the project, -1 if it is unknown or unbounded.
func (f *Film) Source(c *Clip) int {
	if m := f.MediumOf(c); m != nil {
		return m.Frames(f.Rate())
	}
	return c.Avail
}
