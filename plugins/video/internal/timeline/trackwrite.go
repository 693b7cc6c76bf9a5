package timeline

import (
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// applyItems removes, inserts and changes the file's items until they are those of want.
func (l *trackEdit) applyItems(c *ctx, want []plannedItem, summary string, ids []string) error {
	f, path, had := c.Model, l.track.path(), len(l.track.items)
	at, old, touched := 0, 0, ids // index in the file as it is now, and as it was before
	do := func(s otio.Step) error {
		err := change(c, s, summary, ids...)
		ids = nil // the first step records the ids: repeating them would take space quadratic in their number
		return err
	}
	var lost []string
	drop := func() error {
		if it := l.track.items[old]; !slices.Contains(touched, it.Name) {
			lost = append(lost, l.track.held(old)...)
		}
		old++
		return do(f.doc.Remove(path, at))
	}
	for _, w := range want {
		if w.old < 0 {
			var v any = w.make
			if w.text != "" {
				v = otio.Raw(w.text)
			}
			if err := do(f.doc.Insert(path, at, v)); err != nil {
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

// held names what a removed item of the track takes along that no op names: a transition with its clips, which keep the pictures that it
// showed of them, or what other programs noted at a gap.
func (t *Track) held(index int) (out []string) {
	it := t.items[index]
	if it.kind == transitionItem {
		name := "transition " + pdk.Quote(it.Name)
		for _, c := range t.Clips {
			switch {
			case c.right != nil && c.right.index == index:
				name += " " + c.name() + ">" + c.right.B.name()
			case c.fadeIn != nil && c.fadeInAt == index, c.fadeOut != nil && c.fadeAt == index:
				name += " of " + c.name()
			}
		}
		return []string{name}
	}
	if it.kind != gapItem {
		return nil
	}
	v := it.node.Value()
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
func (l *trackEdit) revise(f *Film, path string, at int, changes []otio.Change, do func(otio.Step) error) error {
	if len(changes) == 0 {
		return nil
	}
	n := f.doc.At(path + "/" + strconv.Itoa(at))
	text := f.doc.Edited(n, changes...)
	if text == n.Text() {
		return nil
	}
	return do(f.doc.Set(path, at, text))
}
