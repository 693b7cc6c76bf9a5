package timing

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// remove deletes bars with what starts in them. A lasting setting such as a tempo or a
// program stays if it is in force after them.
func (b *bars) remove() error {
	if b.bar+b.count-1 > b.song {
		if b.bar > b.song {
			return b.noSuchBars("there is no bar %d: the song has %s", b.bar, pdk.Count(b.song, "bar"))
		}
		there := strconv.Itoa(b.bar)
		if b.song > b.bar {
			there += "-" + strconv.Itoa(b.song)
		}
		return args.InsteadAt(pdk.Errorf("there are no %s: the song has %s", b.name(), pdk.Count(b.song, "bar")), b.a.With(pdk.Without("count")), 1, there)
	}
	from, to := b.meter.BarTick(b.bar), b.meter.BarTick(b.bar+b.count)
	g := b.meter.At(to - 1)
	if err := b.checkWholeTicks(g, int64(b.bar+b.count-max(b.bar, g.Bar))*int64(g.Num)); err != nil && b.meter.At(to).Tick != to {
		return err
	}
	gone := b.eventsToRemove(from, to)
	x := &song.Remove{}
	for _, e := range gone {
		x.Add(e)
	}
	said := "which were empty"
	if b.count == 1 {
		said = "which was empty"
	}
	held := args.SaidNotes(b.c, b.heldAcross(from))
	switch {
	case len(gone) > 0:
		said = describeAll(b.c, gone)
	case len(held) > 0:
		said = "in which nothing started"
	}
	name := b.name()
	args.Do(b.c, x, "Remove what is in "+name, args.Refs(gone)...)
	pdk.Check(b.c.Do(&song.Shift{From: to, By: from - to, Tracks: b.ids()}, "Delete "+name))
	now := ""
	if b.bar+b.count <= b.song {
		now = "; bar " + strconv.Itoa(b.bar+b.count) + " is bar " + strconv.Itoa(b.bar) + " now"
	}
	b.c.Deleted("%s, %s%s", name, said, now)
	args.WarnNotes(b.c, "shortened, for they sounded into "+name, held)
	return nil
}

// heldAcross lists the notes that start before a tick and end after it.
func (b *bars) heldAcross(tick int64) (out []*song.Event) {
	for _, t := range b.tracks {
		for e := range t.Between(0, tick) {
			if e.IsNote() && e.Mate.Tick > tick {
				out = append(out, e)
			}
		}
	}
	return out
}

// eventsToRemove lists the events to remove with the bars between two ticks, notes as
// their note-on. The others stay: settings in force afterwards, the ends of earlier
// notes, and events that configure devices.
func (b *bars) eventsToRemove(from, to int64) []*song.Event {
	last := map[args.Setting]*song.Event{} // the last of each that is in force at to
	after := from == 0
	for _, t := range b.tracks {
		after = after || t.End() >= to
		for e := range t.Between(from, to) {
			if s, ok := args.SettingOf(e); ok && (last[s] == nil || last[s].Tick <= e.Tick) {
				last[s] = e
			}
		}
	}
	for _, t := range b.tracks {
		for e := range t.Between(to, to+1) {
			if s, ok := args.SettingOf(e); ok {
				delete(last, s) // replaced at that tick
			}
		}
	}
	var gone []*song.Event
	for _, t := range b.tracks {
		for e := range t.Between(from, to) {
			s, sets := args.SettingOf(e)
			if e.IsElement() && (sets && (!after || last[s] != e) || !sets && !staysWithoutBar(e)) {
				gone = append(gone, e)
			}
		}
	}
	return gone
}

// staysWithoutBar reports whether an event that is not a setting stays when its bar is
// deleted: configuration of devices and descriptions of the file.
func staysWithoutBar(e *song.Event) bool {
	switch e.Kind() {
	case song.KindText:
		return e.Tick == 0
	case song.KindCC:
		return args.IsOrderedController(e.A)
	}
	return isSetup(e)
}

// describeAll describes events without the place of a single one, because that place no
// longer exists.
func describeAll(c *ctx, found []*song.Event) string {
	if len(found) == 1 {
		return "with " + c.Model.Say(found[0])
	}
	return "with " + args.Describe(c, found)
}
