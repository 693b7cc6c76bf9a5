package mixing

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// moveTrack changes the number of a track among the tracks that play.
func moveTrack(c *ctx, a pdk.Args) error {
	t := pdk.Must(args.Track(c, a, 1, false))
	if t.Conductor {
		return pdk.Errorf("the conductor track stays first: it holds tempo and signatures").TryQuery("tracks")
	}
	music := c.Model.Music()
	last := strconv.Itoa(len(music))
	if !a.Has("to") {
		return pdk.Errorf("track move needs to:N, its new number among the %s tracks", last).TryQuery("tracks")
	}
	to := pdk.Must(args.Read(a, value.Key[int]{Name: "to", Type: value.Int(1, len(music))}))
	if music[to-1] == t {
		return pdk.Unchanged("%s is already track %d", c.Model.Name(t), to)
	}
	at := 0
	for i, o := range c.Model.Tracks() {
		if o == music[to-1] {
			at = i
		}
	}
	text := "Track " + c.Model.Name(t) + " is now number " + strconv.Itoa(to)
	pdk.Check(c.Do(&song.MoveTrack{ID: t.ID, To: at}, text))
	warnRenumbered(c, music, t)
	c.Changed("%s", text)
	return nil
}

// warnRenumbered says which of the tracks that played before, in their order, have
// other numbers now, which an op that follows may use. It does not name moved, which
// the op itself moved.
func warnRenumbered(c *ctx, before []*song.Track, moved *song.Track) {
	now := map[*song.Track]int{}
	for i, t := range c.Model.Music() {
		now[t] = i + 1
	}
	first, last, by := 0, 0, 0 // tracks first to last went by the same number of places
	for i, t := range before {
		switch n := now[t]; {
		case n == 0 || n == i+1 || t == moved:
			continue
		case first == 0:
			first, by = i+1, n-i-1
		}
		last = i + 1
	}
	switch {
	case first == 0:
	case first == last:
		c.Warn("track %d is now %d", first, first+by)
	default:
		c.Warn("tracks %d to %d are now %d to %d", first, last, first+by, last+by)
	}
}

// duplicateTrack copies a track with all its events. The copy becomes the last track,
// so that the others keep their numbers.
func duplicateTrack(c *ctx, a pdk.Args) error {
	t := pdk.Must(args.Track(c, a, 1, false))
	pdk.Check(args.RefuseConductor(t))
	name := a.Text(2)
	if name == "" {
		name = FreeName(c, c.Model.Name(t))
	} else if err := CheckNameFree(c, name, nil); err != nil {
		return args.InsteadAt(err, a, 2, FreeName(c, name))
	}
	channel := args.ChKey.Of(a)
	pdk.Check(EnsureRoomForTrack(c))
	if own := t.Channel(); channel == 0 && own > 0 && own != theory.DrumChannel {
		free := false
		if channel, free = c.Model.FreeChannel(); !free {
			channel = own
			c.Warn("all channels are taken: %s shares channel %d with %s", name, own, c.Model.Name(t))
		}
	}
	only := t.Channel() // on a track with several channels, the others stay as they are
	events := []smf.Event{{Status: smf.Meta, A: song.MetaName, Payload: []byte(name)}}
	named := t.NameEvent()
	for e := range t.Events() {
		if e == named {
			continue
		}
		made := smf.Event{Tick: e.Tick, Status: e.Status, A: e.A, B: e.B, Payload: e.Payload}
		if channel > 0 && e.IsChannel() && (a.Has("ch") || e.Channel() == only) {
			made.Status = e.Status&0xF0 | byte(channel-1)
		}
		events = append(events, made)
	}
	text := "Track " + name + ", a copy of " + c.Model.Name(t)
	notes := pdk.Count(t.Notes(), "note")
	if channel == 0 {
		channel = t.Channel()
	}
	pdk.Check(c.Do(&song.AddTrack{At: c.Model.TrackCount(), Events: events}, text))
	if channel > 0 {
		text += " ch:" + strconv.Itoa(channel)
	}
	c.Created("%s with %s, number %d", text, notes, len(c.Model.Music()))
	if names := args.Sharers(c, t, func(o *song.Track) bool {
		return o.ID != c.Model.Music()[len(c.Model.Music())-1].ID && only > 0 && args.Sends(o, only)
	}); names != "" && channel != only {
		c.Warn("what these send on channel %d does not reach %s: %s", only, name, names)
	}
	return nil
}

// FreeName returns name with the first number that makes it unique.
func FreeName(c *ctx, name string) string {
	for n := 2; ; n++ {
		free := name + " " + strconv.Itoa(n)
		if CheckNameFree(c, free, nil) == nil {
			return free
		}
	}
}

// mergeTracks moves all events of one track to another and drops the first.
func mergeTracks(c *ctx, a pdk.Args) error {
	from := pdk.Must(args.Track(c, a, 1, true))
	to := pdk.Must(args.Track(c, a, 2, true))
	for _, t := range []*song.Track{from, to} {
		pdk.Check(args.RefuseConductor(t))
	}
	if from == to {
		return pdk.Errorf("a track cannot be merged into itself").TryQuery("tracks")
	}
	if c.Model.Format() == 2 {
		return pdk.Errorf("in a file of format 2 each track is a song of its own: they cannot be merged").TryQuery("tracks")
	}
	named := from.NameEvent()
	x := &song.Move{}
	for e := range from.Events() {
		if e != named {
			x.Add(e, to, e.Tick)
		}
	}
	music := c.Model.Music()
	gone, kept, notes := c.Model.Name(from), c.Model.Name(to), pdk.Count(from.Notes(), "note")
	channels := from.Channel() > 0 && to.Channel() > 0 && from.Channel() != to.Channel()
	args.Do(c, x, "Move all of "+gone+" to "+kept)
	pdk.Check(c.Do(&song.DropTrack{ID: from.ID}, "Remove track "+gone))
	if channels {
		c.Warn("what came from %s stays on its channel", gone)
	}
	warnRenumbered(c, music, nil)
	c.Bulk("Merged %s with %s into %s", gone, notes, kept)
	return nil
}

// EnsureRoomForTrack refuses another track in a full file, and converts a file of
// format 0 to format 1.
func EnsureRoomForTrack(c *ctx) error {
	if c.Model.TrackCount() >= 65535 {
		return pdk.Errorf("a file holds at most 65535 tracks").TryQuery("tracks")
	}
	if c.Model.Format() == 0 {
		pdk.Check(c.Do(&song.SetHeader{Format: 1}, "format 1"))
		c.Warn("the file was of format 0, which holds one track; it is now of format 1")
	}
	return nil
}
