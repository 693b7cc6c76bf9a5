package timeline

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
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
	c, err := f.resolveClip(ref, exact)
	if err != nil {
		return nil, err
	}
	if id := ref[strings.LastIndexAny(ref, ":/")+1:]; !equal(c.ID, id) && equal(base(c.ID), id) {
		return nil, pdk.Errorf("there is no %s, but %s", pdk.Quote(id), c.name()).Instead(ref, c.name())
	}
	return c, nil
}

// resolveClip is clip, and finds copies by more.
func (f *Film) resolveClip(ref string, exact bool) (*Clip, error) {
	var found []*Clip
	for _, t := range f.parsed().tracks {
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
			if m := f.mediumOf(c); m != nil && (m.Path == ref || m.ID == ref || path.Base(m.Path) == ref) {
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
	case c.Track.Kind == audioTrack:
		return "audio"
	case c.Over != nil:
		return "overlay"
	}
	return "clip"
}

// join finds a transition by its id.
func (f *Film) join(ref string) *Join {
	for _, t := range f.parsed().tracks {
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
	for _, t := range f.parsed().tracks {
		taken = taken || t.ids[id]
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

// noteID notes an id that something of the track has.
func (t *Track) noteID(id string) {
	t.ids[id] = true
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
