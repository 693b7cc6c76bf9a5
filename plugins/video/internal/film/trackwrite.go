package film

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// applyItems removes, inserts and changes the file's items until they are those of want.
func (l *TrackEdit) applyItems(c *Ctx, want []plannedItem, summary string, ids []string) error {
	f, path, had := c.Model, l.Track.Path(), len(l.Track.Items)
	at, old, touched := 0, 0, pdk.Set(ids) // index in the file as it is now, and as it was before
	do := func(s otio.Step) error {
		err := Change(c, s, summary, ids...)
		ids = nil // the first step records the ids: repeating them would take space quadratic in their number
		return err
	}
	var lost []string
	drop := func() error {
		if it := l.Track.Items[old]; !touched[it.Name] {
			lost = append(lost, l.Track.held(old)...)
		}
		old++
		return do(f.Doc.Remove(path, at))
	}
	for _, w := range want {
		if w.old < 0 {
			var v any = w.make
			if w.text != "" {
				v = otio.Raw(w.text)
			}
			if err := do(f.Doc.Insert(path, at, v)); err != nil {
				return err
			}
			if err := l.revise(f, path, at, w.changes, do); err != nil {
				return err
			}
			at++
			continue
		}
		for old < w.old {
			if err := drop(); err != nil {
				return err
			}
		}
		if err := l.revise(f, path, at, w.changes, do); err != nil {
			return err
		}
		at, old = at+1, old+1
	}
	for old < had {
		if err := drop(); err != nil {
			return err
		}
	}
	if len(lost) > 0 {
		c.Warn("gone with it: %s", pdk.List(lost, 8))
	}
	return nil
}

// held names what a removed item of the track takes along that no op names: a transition with its clips, which keep
// the pictures that it showed of them, or what other programs noted at a gap.
func (t *Track) held(index int) (out []string) {
	it := t.Items[index]
	if it.Kind == transitionItem {
		name := "transition " + pdk.Quote(it.Name)
		for _, c := range t.Clips {
			switch {
			case c.Right != nil && c.Right.Index == index:
				name += " " + c.Ref() + ">" + c.Right.B.Ref()
			case c.Opens != nil && c.fadeInAt == index, c.Closes != nil && c.fadeAt == index:
				name += " of " + c.Ref()
			}
		}
		return []string{name}
	}
	if it.Kind != gapItem {
		return nil
	}
	v := it.Node.Value()
	for _, m := range v.Get("markers").Each() {
		out = append(out, "marker "+pdk.Quote(m.Get("name").Text()))
	}
	for _, key := range []string{"effects", "metadata"} {
		if x := v.Get(key); x != nil && len(x.Items)+len(x.Members) > 0 {
			out = append(out, "the "+key+" of a gap")
		}
	}
	return out
}

// revise changes members of an item.
func (l *TrackEdit) revise(f *Film, path string, at int, changes []otio.Change, do func(otio.Step) error) error {
	if len(changes) == 0 {
		return nil
	}
	n := f.Doc.At(path + "/" + strconv.Itoa(at))
	text := f.Doc.Edited(n, changes...)
	if text == n.Text() {
		return nil
	}
	return do(f.Doc.Set(path, at, text))
}
