package timeline

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

func equal(a, b string) bool { return strings.EqualFold(a, b) }

// list prints up to most words.
func list(words []string, most int) string {
	if more := len(words) - most; more > 0 {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(words, ", ")
}

// name is how a reference to a clip is printed so that it leads back: its id, or with its track where others have it too.
func (c *Clip) name() string { return pdk.Quote(c.ID) }

// clip finds a clip or a text: by its id, TRACK/id, the file that it shows, or a beginning that no other has. exact is for what
// destroys: no beginnings. A copy is not found by the id of what it was copied of, which may be gone.
func (f *Film) clip(ref string, exact bool) (*Clip, error) {
	c, err := f.called(ref, exact)
	if err != nil {
		return nil, err
	}
	if id := ref[strings.LastIndexAny(ref, ":/")+1:]; !equal(c.ID, id) && equal(base(c.ID), id) {
		return nil, pdk.Errorf("there is no %s, but %s", pdk.Quote(id), c.name()).Instead(ref, c.name())
	}
	return c, nil
}

// called is clip, and finds copies by more.
func (f *Film) called(ref string, exact bool) (*Clip, error) {
	var found []*Clip
	for _, t := range f.all().tracks {
		for _, c := range t.Clips {
			if c.ID == ref {
				found = append(found, c)
			}
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) == 0 && ref != "" { // the file that it shows: "cat.mp4", "./cat.mp4"
		for _, c := range f.clips() {
			if m := f.of(c); m != nil && (m.Path == ref || m.ID == ref || path.Base(m.Path) == ref) {
				found = append(found, c)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			var names []string
			for _, c := range found {
				names = append(names, c.name())
			}
			return nil, pdk.Errorf("%s is shown by %s", pdk.Quote(ref), list(names, 5)).Instead(ref, names[:min(3, len(names))]...)
		}
	}
	var index pdk.Index[*Clip]
	for _, c := range f.clips() {
		index.Put(c, c.ID, c.what(), c.Track.ID)
	}
	if index.Len() == 0 {
		return nil, pdk.Errorf("no clip %s: there is none yet", pdk.Quote(ref))
	}
	return index.One(ref, "clip", exact)
}

// what is the word for it.
func (c *Clip) what() string {
	switch {
	case c.kind == textItem:
		return "text"
	case c.kind == otherItem:
		return "nested"
	case c.Track.Kind == sounds:
		return "audio"
	case c.Over != nil:
		return "overlay"
	}
	return "clip"
}

// join finds a transition by its id.
func (f *Film) join(ref string) *Join {
	for _, t := range f.all().tracks {
		for _, j := range t.Joins {
			if equal(j.ID, ref) || equal(j.A.ID+">"+j.B.ID, ref) {
				return j
			}
		}
	}
	return nil
}

// freshID is an id for a new clip, text or transition: id, or id_2, id_3, …
func (f *Film) freshID(id string) string { return f.freshIDs(id, 1)[0] }

// freshIDs are the ids of so many new ones.
func (f *Film) freshIDs(id string, n int) (out []string) {
	taken, most := false, 1
	for _, t := range f.all().tracks {
		taken = taken || t.named[id]
		most = max(most, t.numbers[id])
	}
	if !taken {
		out = append(out, id)
	}
	for len(out) < n {
		most++
		out = append(out, fmt.Sprintf("%s_%d", id, most))
	}
	return out
}

// call notes an id that something of the track has.
func (t *Track) call(id string) {
	t.named[id] = true
	if b := base(id); b != id {
		n, _ := strconv.Atoi(id[len(b)+1:]) // digits
		t.numbers[b] = max(t.numbers[b], n)
	}
}

// reserved are the names of places and tracks.
var reserved = regexp.MustCompile(`(?i)^(start|end|[vat]\d+)$`)

// newID checks an id that the user gives.
func (f *Film) newID(a pdk.Args, id string) error {
	if id == "" || slug(id) != id {
		return pdk.Errorf("%s is not an id: letters, digits, - and _", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", f.freshID(slug(id)))))
	}
	if reserved.MatchString(id) {
		return pdk.Errorf("%s is the name of a place or a track", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", f.freshID("clip-"+id))))
	}
	if f.freshID(id) != id {
		return pdk.Errorf("%s is the id of another", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", f.freshID(id))))
	}
	return nil
}

// clock reads the times of an op, and notes which had to be rounded.
type clock struct {
	f     *Film
	track *Track // whose end is meant by end; nil for the film's
	notes []string

	// For what is suggested instead of a time that is none:
	any    bool // every moment of the film will do
	within bool // only a moment within a clip
}

// said are the notes, to be put after a reply.
func (k *clock) said() string {
	if len(k.notes) == 0 {
		return ""
	}
	return " (" + strings.Join(k.notes, "; ") + ")"
}

func (k *clock) round(text string, l timecode.Length) int {
	frames, exact := l.In(k.f.rate())
	if !exact {
		k.notes = append(k.notes, fmt.Sprintf("%s is rounded to %s, frame %d", text, k.f.text(frames), frames))
	}
	return frames
}

// length reads a length of time.
func (k *clock) length(key, text string) (int, error) {
	l, err := timecode.Parse(text, k.f.rate())
	if err != nil {
		return 0, mistimed(key, text, err)
	}
	return k.round(text, l), nil
}

// mistimed is the error for what is no length, or one that cannot be.
func mistimed(key, text string, err error) error {
	bad := pdk.Errorf("%s:%s: %v", key, text, err)
	if strings.Contains(text, ";") {
		return bad.Instead(text, strings.ReplaceAll(text, ";", ":"))
	}
	if errors.Is(err, timecode.ErrForm) && key != "in" && key != "out" {
		return bad.Instead(text, "1s")
	}
	return bad
}

// lengthOf reads a length that the op may have under a key. given is false where it has not.
func (k *clock) lengthOf(a pdk.Args, key string) (frames int, given bool, err error) {
	text, given := a.Param(key)
	if !given {
		return 0, false, nil
	}
	frames, err = k.length(key, text)
	return frames, true, err
}

// moment reads a place on the timeline: a time, start, end, end:CLIP, start:CLIP, marker:NAME, each with +TIME or -TIME.
func (k *clock) moment(key, text string) (int, error) {
	l, err := timecode.Parse(text, k.f.rate())
	switch {
	case err == nil:
		return k.round(text, l), nil
	case !errors.Is(err, timecode.ErrForm):
		return 0, mistimed(key, text, err)
	}
	if rest, less := strings.CutPrefix(text, "-"); less {
		if _, err := timecode.Parse(rest, k.f.rate()); err == nil {
			err := pdk.Errorf("%s:%s is before the film starts; end%s counts from its end", key, text, text)
			if k.any {
				err = err.Instead(text, "end"+text)
			}
			return 0, err
		}
	}
	at, err := k.anchor(text)
	if err == nil {
		return at, nil
	}
	if i := strings.LastIndexAny(text, "+-"); i > 0 {
		l, errL := timecode.Parse(text[i+1:], k.f.rate())
		base, errA := k.anchor(text[:i])
		if errL == nil && errA == nil {
			by := k.round(text[i+1:], l)
			if text[i] == '-' {
				by = -by
			}
			if base+by < 0 {
				return 0, pdk.Errorf("%s:%s is %s before the film starts", key, text, k.f.text(-base-by))
			}
			return base + by, nil
		}
		if errL == nil {
			err = errA
		}
	}
	if e := new(pdk.Error); errors.As(err, &e) {
		return 0, e
	}
	bad := pdk.Errorf("%s:%s is not a time: %s, end, end:CLIP, start:CLIP, marker:NAME, end-2s", key, text, timecode.Forms)
	switch {
	case k.within || key == "to" || key == "until":
		return 0, bad
	case key == "from" || key == "start":
		return 0, bad.Instead(text, "0s")
	}
	return 0, bad.Instead(text, "end")
}

var errNoAnchor = errors.New("no anchor")

// anchor reads a place that has a name.
func (k *clock) anchor(text string) (int, error) {
	word, ref, named := strings.Cut(text, ":")
	switch word = strings.ToLower(word); {
	case !named && word == "start":
		return 0, nil
	case !named && word == "end":
		if k.track != nil {
			return k.track.End(), nil
		}
		return k.f.Frames(), nil
	case named && word == "marker":
		m, err := k.f.marker(ref)
		if err != nil {
			return 0, err
		}
		return m.at, nil
	case named && slices.Contains([]string{"end", "start", "after"}, word):
		if t := find(k.f.all().tracks, func(t *Track) bool { return equal(t.ID, ref) }); t != nil && word == "end" {
			return t.End(), nil
		}
		c, err := k.f.clip(ref, false)
		if err != nil {
			return 0, err
		}
		if word == "start" {
			return c.Start, nil
		}
		return c.End, nil
	}
	return 0, errNoAnchor
}
