package timeline

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

// Endings of the files that are media, by what they hold.
var (
	films  = []string{".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".mts", ".3gp", ".wmv", ".flv", ".gif"}
	tunes  = []string{".mp3", ".wav", ".m4a", ".aac", ".flac", ".ogg", ".opus", ".aif", ".aiff"}
	stills = []string{".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"}
)

func mediaEndings() []string { return slices.Concat(films, tunes, stills) }

// Medium is a file that clips show stretches of.
type Medium struct {
	ID, Path string
	Duration timecode.Rat // seconds; 0 for a still, and where Known is false
	Known    bool         // its length is
	Video    bool
	Still    bool
	Audio    bool
	Width    int // as it is shown, 0 for unknown
	Height   int
	Pixel    timecode.Rat // width of a pixel by its height, as the file has it; zero for square ones
	Rotation int
	Rate     timecode.Rate // of its pictures, zero for unknown
	Sample   int           // Hz of its sound, 0 for unknown
	Declared bool          // somebody said so, and nobody looked

	own bool // it is in the file's list, not only in clips
}

// frames is how long it is at a rate, -1 where that is not known, and for a still, which is as long as one likes.
func (m *Medium) frames(r timecode.Rate) int {
	if !m.Known || m.Still {
		return -1
	}
	// A frame counts that begins before the medium ends: at the medium's own rate all do, at another the last one is seen a little longer.
	t := m.Duration
	f := float64(t.Num) / float64(t.Den) * r.Float()
	return int(math.Ceil(f - 0.01))
}

// media are all media: those of the list, and those that clips refer to.
func (f *Film) media() []*Medium {
	list := slices.Clone(f.listed())
	known := map[string]bool{}
	for _, m := range list {
		known[m.ID] = true
		known["\x00"+m.Path] = true
	}
	for _, c := range f.clips() {
		if c.kind != clipItem || known[c.Medium] && c.Medium != "" || c.url == "" {
			continue
		}
		p := file(c.url)
		if known["\x00"+p] {
			if m := find(list, func(m *Medium) bool { return m.Path == p }); m != nil && !m.own {
				m.meet(c)
			}
			continue
		}
		m := &Medium{ID: unused(slug(stem(p)), func(id string) bool { return known[id] }), Path: p, Still: slices.Contains(stills, ending(p))}
		m.meet(c)
		known[m.ID], known["\x00"+p] = true, true
		list = append(list, m)
	}
	return list
}

// meet learns of a medium from a clip.
func (m *Medium) meet(c *Clip) {
	if c.Track.Kind == sounds {
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

// listed are those of the file's list.
func (f *Film) listed() []*Medium {
	n := f.doc.At(mediaPath)
	if n == nil {
		return nil
	}
	if l, ok := n.Memo.([]*Medium); ok {
		return l
	}
	var out []*Medium
	for i := range n.Len() {
		item := n.Item(i)
		m, ok := item.Memo.(*Medium)
		if !ok {
			m = readMedium(item.Value())
			item.Memo = m
		}
		out = append(out, m)
	}
	n.Memo = out
	return out
}

func readMedium(v *jsontree.Value) *Medium {
	m := &Medium{ID: v.Get("id").Text(), Path: v.Get("path").Text(), Still: v.Get("still").True(), Audio: v.Get("audio").True(), Video: v.Get("video").True(),
		Width: whole32(v.Get("width").Float()), Height: whole32(v.Get("height").Float()), Rotation: whole32(v.Get("rotation").Float()), Sample: whole32(v.Get("sample_rate").Float()), Declared: v.Get("declared").True(), own: true}
	m.Rate, _ = timecode.ParseRate(v.Get("fps").Plain()) // the zero value where there is none
	if d := v.Get("duration"); d.Is(jsontree.String) {
		m.Duration, m.Known = ratio(d.Text())
	}
	m.Pixel = pixel(v.Get("pixel").Text(), "/")
	return m
}

// pixel reads the shape of a pixel, the zero value for square ones and for nonsense.
func pixel(text, by string) timecode.Rat {
	a, b, _ := strings.Cut(text, by)
	num, errA := strconv.ParseInt(a, 10, 15)
	den, errB := strconv.ParseInt(b, 10, 15)
	if errA != nil || errB != nil || num < 1 || den < 1 || num > 10_000 || den > 10_000 || num == den || num > 8*den || den > 8*num {
		return timecode.Rat{}
	}
	return timecode.New(num, den)
}

// coded is how many pixels of its shape a row of the file has.
func (m *Medium) coded() int {
	if m.Pixel.Num == 0 {
		return m.Width
	}
	return int(math.Round(float64(m.Width) * float64(m.Pixel.Den) / float64(m.Pixel.Num)))
}

// ratio reads a time as the list has it: "127/5" seconds.
func ratio(s string) (timecode.Rat, bool) {
	num, den, _ := strings.Cut(s, "/")
	n, errN := strconv.ParseInt(num, 10, 40)
	d, errD := strconv.ParseInt(den, 10, 40)
	if errN != nil || errD != nil || n < 0 || d < 1 || n > timecode.Most*d {
		return timecode.Rat{}, false
	}
	return timecode.New(n, d), true
}

// object is the medium in the file's list.
func (m *Medium) object() otio.Object {
	out := otio.Object{{Key: "id", Value: m.ID}, {Key: "path", Value: m.Path}}
	put := func(key string, there bool, value any) {
		if there {
			out = append(out, otio.Field{Key: key, Value: value})
		}
	}
	put("duration", m.Known && !m.Still, fmt.Sprintf("%d/%d", m.Duration.Num, max(1, m.Duration.Den)))
	put("video", m.Video, true)
	put("still", m.Still, true)
	put("width", m.Width > 0, m.Width)
	put("height", m.Height > 0, m.Height)
	put("pixel", m.Pixel.Num > 0, fmt.Sprintf("%d/%d", m.Pixel.Num, m.Pixel.Den))
	put("rotation", m.Rotation != 0, m.Rotation)
	put("fps", m.Rate.Num > 0, fmt.Sprintf("%d/%d", m.Rate.Num, m.Rate.Den))
	put("audio", m.Audio, true)
	put("sample_rate", m.Sample > 0, m.Sample)
	put("declared", m.Declared, true)
	return out
}

// String is the medium in a line.
func (m *Medium) String() string {
	s := pdk.Quote(m.ID)
	if m.Path != "" {
		s += " " + pdk.Quote(m.Path)
	}
	return s + ": " + m.what()
}

// what says what it is.
func (m *Medium) what() string {
	var parts []string
	say := func(there bool, format string, args ...any) {
		if there {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(m.Still, "still")
	if !m.Still {
		if m.Known {
			say(true, "%s", seconds(m.Duration))
		} else {
			say(true, "length unknown")
		}
	}
	say(m.Width > 0, "%dx%d", m.Width, m.Height)
	say(m.Rate.Num > 0 && !m.Still, "%s fps", m.Rate)
	say(m.Rotation != 0, "rotated %d°", m.Rotation)
	switch {
	case m.Audio && m.Sample > 0:
		say(true, "sound %d Hz", m.Sample)
	case m.Audio:
		say(true, "sound")
	case !m.Still:
		say(true, "no sound")
	}
	say(!m.Video, "no pictures")
	say(m.Declared, "declared, not probed")
	return strings.Join(parts, ", ")
}

func seconds(t timecode.Rat) string {
	return timecode.Rate{Num: 1000, Den: 1}.Text(int(float64(t.Num)/float64(max(1, t.Den))*1000 + 0.5))
}

func ending(name string) string { return strings.ToLower(path.Ext(name)) }

// slug makes an id of a name: what is no letter, digit, - or _ becomes _.
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

// unused is id, or id with a number.
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

// probed makes a medium of what ffprobe says.
func probed(name string, data []byte) (*Medium, error) {
	v, err := jsontree.Parse(string(data))
	if err != nil {
		return nil, pdk.Errorf("%s: what ffprobe says of it is not understood: %v", name, err)
	}
	m := &Medium{Path: name, own: true}
	m.Duration, m.Known = decimal(v.Get("format", "duration").Plain())
	format := v.Get("format", "format_name").Text()
	for _, s := range v.Get("streams").Each() {
		switch kind := s.Get("codec_type").Text(); {
		case kind == "audio" && !m.Audio:
			m.Audio = true
			m.Sample, _ = strconv.Atoi(s.Get("sample_rate").Plain()) // 0 where it says nothing
		case kind == "video" && !m.Video && s.Get("disposition", "attached_pic").Float() == 0:
			m.Video = true
			m.Width, m.Height = whole32(s.Get("width").Float()), whole32(s.Get("height").Float())
			m.Pixel = pixel(s.Get("sample_aspect_ratio").Text(), ":")
			m.Rate, _ = timecode.ParseRate(s.Get("avg_frame_rate").Text())
			if m.Rate.Num == 0 {
				m.Rate, _ = timecode.ParseRate(s.Get("r_frame_rate").Text())
			}
			if n, err := strconv.Atoi(s.Get("tags", "rotate").Plain()); err == nil {
				m.Rotation = turn(n)
			}
			for _, d := range s.Get("side_data_list").Each() {
				if r := whole32(d.Get("rotation").Float()); r != 0 {
					m.Rotation = turn(-r)
				}
			}
			if d, ok := decimal(s.Get("duration").Plain()); ok { // the pictures end the clip, where the sound goes on a little longer
				m.Duration, m.Known = d, true
			}
			m.Still = strings.HasSuffix(format, "_pipe") || format == "image2" || slices.Contains(stills, ending(name))
		}
	}
	if !m.Video && !m.Audio {
		return nil, pdk.Errorf("%s holds neither pictures nor sound", name)
	}
	if m.Rotation%180 != 0 {
		m.Width, m.Height, m.Pixel = m.Height, m.Width, timecode.Rat{Num: m.Pixel.Den, Den: m.Pixel.Num}
	}
	if m.Pixel.Num > 0 {
		m.Width = int(math.Round(float64(m.Width) * float64(m.Pixel.Num) / float64(m.Pixel.Den)))
	}
	if m.Still {
		m.Known, m.Duration, m.Rate = false, timecode.Rat{Den: 1}, timecode.Rate{}
	}
	return m, nil
}

// turn is an angle from 0 to 270.
func turn(degrees int) int { return ((degrees % 360) + 360) % 360 }

// decimal reads seconds as ffprobe writes them.
func decimal(s string) (timecode.Rat, bool) {
	whole, part, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole+part, 10, 50)
	if err != nil || n < 0 || len(part) > 9 {
		return timecode.Rat{}, false
	}
	den := int64(1)
	for range part {
		den *= 10
	}
	if n > timecode.Most*den {
		return timecode.Rat{}, false
	}
	return timecode.New(n, den), n > 0
}

// medium finds one by its id, its file's name or its path.
func (f *Film) medium(ref string) (*Medium, error) {
	for _, m := range f.listed() {
		if m.ID == ref || m.Path == ref {
			return m, nil
		}
	}
	all := f.media()
	var found []*Medium
	for _, test := range []func(m *Medium) bool{
		func(m *Medium) bool { return m.ID == ref || m.Path == ref },
		func(m *Medium) bool {
			return path.Base(m.Path) == ref || path.Base(m.Path) == path.Base(ref) && strings.Contains(ref, "/")
		},
		func(m *Medium) bool { return strings.EqualFold(m.ID, ref) || strings.EqualFold(path.Base(m.Path), ref) },
		func(m *Medium) bool {
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

// of is the medium of a clip, nil where nothing is known of it.
func (f *Film) of(c *Clip) *Medium {
	if c.kind != clipItem {
		return nil
	}
	if c.Medium != "" {
		if m := find(f.listed(), func(m *Medium) bool { return m.ID == c.Medium }); m != nil {
			return m
		}
	}
	if c.url == "" {
		return nil
	}
	p := file(c.url)
	return find(f.media(), func(m *Medium) bool { return m.Path == p })
}

// enter is the medium that a word names: one that is known, or a file that the host looked at, which becomes one.
func enter(c *ctx, word string) (*Medium, error) {
	s, err := c.Resource(word)
	if err != nil {
		return nil, unprobed(word, err)
	}
	if s == nil {
		return c.Model.medium(word)
	}
	return take(c, s)
}

// unprobed says what to do where ffprobe may not look at a file; a medium that is known already needs nobody to look.
func unprobed(word string, err error) error {
	op := "media " + pdk.Quote(word)
	switch {
	case slices.Contains(stills, ending(word)):
		op += " size:1920x1080"
	case slices.Contains(tunes, ending(word)):
		op += " duration:10s"
	default:
		op += " duration:10s size:1920x1080 fps:30"
	}
	return pdk.Errorf("%s: %v; or say what it is, in its own numbers, and go on with that", word, err).Try(op)
}

// take makes a medium of what the host found, unless it is one already.
func take(c *ctx, s *abi.Supply) (*Medium, error) {
	m, err := probed(s.Word, s.Data)
	if err != nil {
		return nil, err
	}
	return m, record(c, m)
}

// record puts a medium on the list, or in the place of the one of its path.
func record(c *ctx, m *Medium) error {
	f := c.Model
	all := f.listed()
	old := slices.IndexFunc(all, func(o *Medium) bool { return o.Path == m.Path })
	if old >= 0 {
		m.ID = all[old].ID
		text := f.doc.Write(m.object(), mediaPath, old)
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
	if err := f.list(c); err != nil {
		return err
	}
	if err := change(c, f.doc.Insert(mediaPath, len(all), m.object()), "media "+m.ID, m.ID); err != nil {
		return err
	}
	if s := f.all().settings; !s.chosen && m.Video && !m.Still && m.Width > 0 && len(f.clips()) == 0 {
		return f.adopt(c, m)
	}
	return nil
}

// list makes a list of media where the file has none.
func (f *Film) list(c *ctx) error {
	if f.doc.At(mediaPath) != nil {
		return nil
	}
	if err := f.ours(c); err != nil {
		return err
	}
	if s := f.all().settings; s.chosen { // what the clips said so far
		if err := f.setProject(c, s); err != nil {
			return err
		}
	}
	step, _ := f.doc.Put(oursPath, "media", otio.List{})
	return change(c, step, "list of media")
}

// ours makes the object that our things lie in.
func (f *Film) ours(c *ctx) error {
	if f.doc.At("metadata") == nil || !f.doc.At("metadata").Value().Is(jsontree.Object) {
		step, _ := f.doc.Put("", "metadata", otio.Object{})
		if err := change(c, step, "metadata"); err != nil {
			return err
		}
	}
	if v := f.doc.At(oursPath); v != nil && v.Value().Is(jsontree.Object) {
		return nil
	}
	step, _ := f.doc.Put("metadata", "fcp", otio.Object{})
	return change(c, step, "metadata")
}

// adopt gives the project the size and rate of its first medium.
func (f *Film) adopt(c *ctx, m *Medium) error {
	s := f.all().settings
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
	if err := f.ours(c); err != nil {
		return err
	}
	step, same := f.doc.Put(oursPath, "project", s.object())
	if same {
		return nil
	}
	return change(c, step, "project "+s.String(), "project")
}

// String is size and rate: 1920x1080@30.
func (s settings) String() string { return fmt.Sprintf("%dx%d@%s", s.width, s.height, s.rate) }
