package film

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Ref prints the clip's id as a reference.
func (c *Clip) Ref() string { return pdk.Quote(c.ID) }

// Clip finds a clip or a text by its id, by TRACK/id, by the file it shows, or by a unique prefix of its id. With
// exact, which destructive verbs set, prefixes do not count. The id of a removed clip does not find its copies: vid1
// does not mean vid1_2.
func (f *Film) Clip(ref string, exact bool) (*Clip, error) {
	c, err := f.resolveClip(ref, exact)
	if err != nil {
		return nil, err
	}
	if id := ref[strings.LastIndexAny(ref, ":/")+1:]; !strings.EqualFold(c.ID, id) && strings.EqualFold(Base(c.ID), id) {
		return nil, pdk.Errorf("there is no %s, but %s", pdk.Quote(id), c.Ref()).Instead(ref, c.Ref())
	}
	return c, nil
}

// resolveClip is clip without the rule on copies.
func (f *Film) resolveClip(ref string, exact bool) (*Clip, error) {
	var found []*Clip
	for _, t := range f.Parsed().Tracks {
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
		for _, c := range f.Clips() {
			if m := f.MediumOf(c); m != nil && (m.Path == ref || m.ID == ref || path.Base(m.Path) == ref) {
				found = append(found, c)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			var names []string
			for _, c := range found {
				names = append(names, c.Ref())
			}
			return nil, pdk.Errorf("%s is shown by %s", pdk.Quote(ref), pdk.List(names, 5)).Instead(ref, names[:min(3, len(names))]...)
		}
	}
	var index pdk.Index[*Clip]
	for _, c := range f.Clips() {
		index.Put(c, c.ID, c.What(), c.Track.ID)
	}
	if index.Len() == 0 {
		return nil, pdk.Errorf("no clip %s: the film has none yet", pdk.Quote(ref))
	}
	return index.One(ref, "clip", exact)
}

// What returns the clip's type as selectors name it.
func (c *Clip) What() string {
	switch {
	case c.Kind == TextItem:
		return "text"
	case c.Kind == OtherItem:
		return "nested"
	case c.Track.Kind == AudioTrack:
		return "audio"
	case c.Over != nil:
		return "overlay"
	}
	return "clip"
}

// Join finds a transition by its id or by A>B, the ids of its clips.
func (f *Film) Join(ref string) *Join {
	for _, t := range f.Parsed().Tracks {
		for _, j := range t.Joins {
			if strings.EqualFold(j.ID, ref) || strings.EqualFold(j.A.ID+">"+j.B.ID, ref) {
				return j
			}
		}
	}
	return nil
}

// FreshID returns an unused id for a new element: id, or id_2, id_3, …
func (f *Film) FreshID(id string) string { return f.FreshIDs(id, 1)[0] }

// FreshIDs returns n unused ids.
func (f *Film) FreshIDs(id string, n int) (out []string) {
	taken, most := false, 1
	for _, t := range f.Parsed().Tracks {
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

// noteID records an id that is used on the track.
func (t *Track) noteID(id string) {
	t.ids[id] = true
	if b := Base(id); b != id {
		n, _ := strconv.Atoi(id[len(b)+1:]) // base leaves only digits
		t.numbers[b] = max(t.numbers[b], n)
	}
}

// Reserved reports whether a name is that of a place or a track, which cannot be an id.
func Reserved(name string) bool {
	name = strings.ToLower(name)
	return name == "start" || name == "end" || len(name) > 1 && strings.Contains("vat", name[:1]) && strings.Trim(name[1:], "0123456789") == ""
}

// NewID checks an id that a client gives to a new element.
func (f *Film) NewID(a pdk.Args, id string) error {
	if id == "" || Slug(id) != id {
		return pdk.Errorf("%s is not an id: letters, digits, - and _", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", f.FreshID(Slug(id)))))
	}
	if Reserved(id) {
		return pdk.Errorf("%s is the name of a place or a track", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", f.FreshID("clip-"+id))))
	}
	if f.FreshID(id) != id {
		return pdk.Errorf("%s is taken", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", f.FreshID(id))))
	}
	return nil
}

// Base removes the number from an id: vid1_2 becomes vid1.
func Base(id string) string {
	if i := strings.LastIndexByte(id, '_'); i > 0 {
		if _, err := strconv.Atoi(id[i+1:]); err == nil {
			return id[:i]
		}
	}
	return id
}
