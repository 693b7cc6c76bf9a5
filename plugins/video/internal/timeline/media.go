package timeline

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

// media returns all media: those listed in the file, and those that only clips refer to.
func (f *Film) media() []*media.Medium {
	list := slices.Clone(f.listedMedia())
	known := map[string]bool{}
	for _, m := range list {
		known[m.ID] = true
		known["\x00"+m.Path] = true
	}
	for _, c := range f.clips() {
		if c.kind != clipItem || known[c.Medium] && c.Medium != "" || c.url == "" {
			continue
		}
		p := pathOfURL(c.url)
		if known["\x00"+p] {
			if m := find(list, func(m *media.Medium) bool { return m.Path == p }); m != nil && !m.Listed {
				learnFrom(m, c)
			}
			continue
		}
		m := &media.Medium{ID: unused(slug(stem(p)), func(id string) bool { return known[id] }), Path: p, Still: slices.Contains(media.StillExtensions, media.Extension(p))}
		learnFrom(m, c)
		known[m.ID], known["\x00"+p] = true, true
		list = append(list, m)
	}
	return list
}

// learnFrom adds to an unlisted medium what a clip reveals about it.
func learnFrom(m *media.Medium, c *Clip) {
	if c.Track.Kind == audioTrack {
		m.Audio = true
	} else {
		m.Video = true
	}
	if c.avail > 0 && !m.Still {
		m.Known, m.Duration = true, c.rate.Seconds(c.avail)
	}
}

func find[E any](list []*E, test func(*E) bool) *E {
	if i := slices.IndexFunc(list, test); i >= 0 {
		return list[i]
	}
	return nil
}

// listedMedia returns the media in the file's list.
func (f *Film) listedMedia() []*media.Medium {
	n := f.doc.At(mediaPath)
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

// slug makes an id of a name. Runs of characters other than letters, digits, - and _ become _.
func slug(name string) string {
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

// unused returns id, or id with a number if it is taken.
func unused(id string, taken func(string) bool) string {
	if !taken(id) {
		return id
	}
	for n := 2; ; n++ {
		if next := id + "_" + strconv.Itoa(n); !taken(next) {
			return next
		}
	}
}

// medium finds a medium by its id, its path, the name of its file, or a prefix of its id.
func (f *Film) medium(ref string) (*media.Medium, error) {
	for _, m := range f.listedMedia() {
		if m.ID == ref || m.Path == ref {
			return m, nil
		}
	}
	all := f.media()
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
			return nil, pdk.Errorf("no media %s, and none is known yet: name a file, such as ./%s.mp4", pdk.Quote(ref), slug(ref))
		}
		return nil, err.TryQuery("media")
	}
	return nil, pdk.Errorf("media %s may be %s", pdk.Quote(ref), strings.Join(ids, ", ")).Instead(ref, ids...)
}

// mediumOf returns the medium of a clip, nil if the clip has none.
func (f *Film) mediumOf(c *Clip) *media.Medium {
	if c.kind != clipItem {
		return nil
	}
	if c.Medium != "" {
		if m := find(f.listedMedia(), func(m *media.Medium) bool { return m.ID == c.Medium }); m != nil {
			return m
		}
	}
	if c.url == "" {
		return nil
	}
	p := pathOfURL(c.url)
	return find(f.media(), func(m *media.Medium) bool { return m.Path == p })
}

// resolveMedium returns the medium that a word names: a known one, or a file that the host has probed, which is added to the list.
func resolveMedium(c *ctx, word string) (*media.Medium, error) {
	s, err := c.Resource(word)
	if err != nil {
		declared := find(c.Model.listedMedia(), func(m *media.Medium) bool { return path.Clean(m.Path) == path.Clean(word) })
		if declared != nil {
			return declared, nil
		}
		return nil, probeRefused(word, err)
	}
	if s == nil {
		return c.Model.medium(word)
	}
	return addProbed(c, s)
}

// probeRefused returns the error for a file that could not be probed, and suggests to declare it.
func probeRefused(word string, err error) error {
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
func addProbed(c *ctx, s *abi.Supply) (*media.Medium, error) {
	m, err := media.ParseProbe(s.Word, s.Data)
	if err != nil {
		return nil, err
	}
	return m, putMedium(c, m)
}

// putMedium adds a medium to the list, or replaces the one with its path.
func putMedium(c *ctx, m *media.Medium) error {
	f := c.Model
	all := f.listedMedia()
	old := slices.IndexFunc(all, func(o *media.Medium) bool { return o.Path == m.Path })
	if old >= 0 {
		m.ID = all[old].ID
		text := f.doc.Write(m.Object(), mediaPath, old)
		if step := f.doc.Set(mediaPath, old, text); step.Old != step.New {
			return change(c, step, "media "+m.ID, m.ID)
		}
		return nil
	}
	if m.ID == "" {
		taken := map[string]bool{}
		for _, o := range f.media() {
			if o.Path != m.Path {
				taken[o.ID] = true
			}
		}
		m.ID = unused(slug(stem(m.Path)), func(id string) bool { return taken[id] })
	}
	if err := f.ensureMediaList(c); err != nil {
		return err
	}
	if err := change(c, f.doc.Insert(mediaPath, len(all), m.Object()), "media "+m.ID, m.ID); err != nil {
		return err
	}
	if s := f.parsed().settings; !s.chosen && m.Video && !m.Still && m.Width > 0 && len(f.clips()) == 0 {
		return f.adoptFormat(c, m)
	}
	return nil
}

// ensureMediaList adds a list of media to a file that has none.
func (f *Film) ensureMediaList(c *ctx) error {
	if f.doc.At(mediaPath) != nil {
		return nil
	}
	if err := f.ensureMetadata(c); err != nil {
		return err
	}
	if s := f.parsed().settings; s.chosen { // fix the settings that were derived from the clips
		if err := f.setProject(c, s); err != nil {
			return err
		}
	}
	step, _ := f.doc.Put(fcpPath, "media", otio.List{})
	return change(c, step, "list of media")
}

// ensureMetadata adds the object metadata.fcp to a file that has none.
func (f *Film) ensureMetadata(c *ctx) error {
	if f.doc.At("metadata") == nil || !f.doc.At("metadata").Value().Is(jsontree.Object) {
		step, _ := f.doc.Put("", "metadata", otio.Object{})
		if err := change(c, step, "metadata"); err != nil {
			return err
		}
	}
	if v := f.doc.At(fcpPath); v != nil && v.Value().Is(jsontree.Object) {
		return nil
	}
	step, _ := f.doc.Put("metadata", "fcp", otio.Object{})
	return change(c, step, "metadata")
}

// adoptFormat gives the project the size and frame rate of its first medium.
func (f *Film) adoptFormat(c *ctx, m *media.Medium) error {
	s := f.parsed().settings
	s.width, s.height = even(m.Width), even(m.Height)
	if m.Rate.Num > 0 {
		s.rate = m.Rate
	}
	return f.setProject(c, s)
}

func even(n int) int { return min(max(n+n%2, 16), 8192) }

func (s settings) object() otio.Object {
	return otio.Object{{Key: "width", Value: s.width}, {Key: "height", Value: s.height}, {Key: "fps", Value: fmt.Sprintf("%d/%d", s.rate.Num, s.rate.Den)}, {Key: "sample_rate", Value: s.sample}, {Key: "background", Value: s.background}}
}

// setProject writes the settings.
func (f *Film) setProject(c *ctx, s settings) error {
	if err := f.ensureMetadata(c); err != nil {
		return err
	}
	step, same := f.doc.Put(fcpPath, "project", s.object())
	if same {
		return nil
	}
	return change(c, step, "project "+s.String(), "project")
}

// String prints size and frame rate: 1920x1080@30.
func (s settings) String() string { return fmt.Sprintf("%dx%d@%s", s.width, s.height, s.rate) }

// isStill reports whether a clip shows a still.
func (f *Film) isStill(c *Clip) bool {
	m := f.mediumOf(c)
	return m != nil && m.Still
}

// source returns the length of a clip's medium in frames of the project, -1 if it is unknown or unbounded.
func (f *Film) source(c *Clip) int {
	if m := f.mediumOf(c); m != nil {
		return m.Frames(f.rate())
	}
	return c.avail
}
