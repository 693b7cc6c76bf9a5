package timing

import (
	"bytes"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

// excerpt is a passage of a song that is to be added to a document. Its ticks are in
// the document's resolution and count from the start of the passage.
type excerpt struct {
	source *song.Song
	bars   int
	length int64
	parts  []part
	time   []smf.Event // tempi, signatures and markers; those in force at its start come first
}

// part is what an excerpt takes from one track.
type part struct {
	track *song.Track // in the source song
	items []song.Item // a note is two items in a row
	notes int
}

// excerptOf returns bars first to last of tracks of a song, for a document of ppq ticks
// a quarter. Notes end no later than the passage. Programs and controllers in force at
// its start come first.
func excerptOf(s *song.Song, tracks []*song.Track, first, last int, ppq int64) (*excerpt, error) {
	m, err := s.Meter(nil)
	if err != nil {
		return nil, pdk.Errorf("its time is in SMPTE frames, without bars")
	}
	if s.Format() == 2 {
		return nil, pdk.Errorf("the tracks of a format 2 file are songs of their own")
	}
	own, _ := s.PPQ()
	from, to := m.BarTick(first), m.BarTick(last+1)
	scale := func(tick int64) int64 { return (2*(tick-from)*ppq + own) / (2 * own) }
	x := &excerpt{source: s, bars: last - first + 1, length: scale(to)}
	if x.length > smf.MaxTick {
		return nil, args.CheckTick(x.length)
	}
	for _, t := range tracks {
		p := part{track: t}
		for _, e := range args.InForce(t, from+1) {
			p.items = append(p.items, song.Item{Event: plainEvent(e, 0)})
		}
		for e := range t.Between(from, to) {
			if _, ok := args.SettingOf(e); ok && e.IsChannel() && e.Tick == from {
				continue // already in the list of settings in force
			}
			switch {
			case e.Tick == 0 && !e.IsChannel() && isSetup(e): // belongs to the file, not to its first bar
			case !e.IsElement() || !e.IsChannel() && !isWords(e) || e.Kind() == song.KindNoteOn || e.Kind() == song.KindNoteOff:
			case e.IsNote():
				start := scale(e.Tick)
				off := plainEvent(e.Mate, max(start+1, min(scale(e.Mate.Tick), x.length)))
				p.items = append(p.items, song.Item{Paired: true, Event: plainEvent(e, start)}, song.Item{Event: off})
				p.notes++
			default:
				p.items = append(p.items, song.Item{Event: plainEvent(e, scale(e.Tick))})
			}
		}
		x.parts = append(x.parts, p)
	}
	x.time = setTime(s, m, from)
	for _, t := range s.Tracks() {
		for e := range t.Between(from, to) {
			if _, sound := e.Sets(); e.IsMark() && sound && (e.Tick > from || e.IsMeta(song.MetaMarker)) {
				x.time = append(x.time, plainEvent(e, scale(e.Tick)))
			}
		}
	}
	return x, nil
}

// isWords reports whether an event is a text that belongs to a place in the music.
func isWords(e *song.Event) bool {
	return e.Kind() == song.KindLyric || e.Kind() == song.KindCue || e.Kind() == song.KindText
}

// plainEvent returns an event at another tick, encoded like a new one.
func plainEvent(e *song.Event, tick int64) smf.Event {
	return smf.Event{Tick: tick, Status: e.Status, A: e.A, B: e.B, Payload: e.Payload}
}

// setTime returns the tempo and the signatures in force at a tick, as events at 0.
func setTime(s *song.Song, m *song.Meter, tick int64) []smf.Event {
	micros := s.Tempo(nil).At(tick).Micros
	g := m.At(tick)
	meta := func(typ byte, payload ...byte) smf.Event {
		return smf.Event{Status: smf.Meta, A: typ, Payload: payload}
	}
	return []smf.Event{meta(song.MetaTempo, byte(micros>>16), byte(micros>>8), byte(micros)),
		meta(song.MetaTimeSig, song.SignaturePayload(g.Num, g.Den)...), meta(song.MetaKeySig, song.KeyPayload(s.KeyAt(nil, tick))...)}
}

// put adds the parts at a tick, each to the track that home returns, or to a new one if
// that is nil, and restores after the excerpt the settings that were in force there. It
// returns the names of both kinds of tracks.
func (x *excerpt) put(c *ctx, at int64, home func(part) *song.Track) (onto, made []string) {
	channels := x.channels(c, home)
	all := &song.Insert{}
	for _, p := range x.parts {
		t := home(p)
		moved := func(e smf.Event) smf.Event { return e }
		if t != nil {
			onto = append(onto, c.Model.Name(t))
			if own, to := p.track.Channel(), t.Channel(); own > 0 && to > 0 {
				moved = func(e smf.Event) smf.Event { return onChannel(e, own, to) }
			}
		} else {
			name := x.source.Name(p.track)
			if mixing.CheckNameFree(c, name, nil) != nil {
				name = mixing.FreeName(c, name)
			}
			pdk.Check(mixing.EnsureRoomForTrack(c))
			add := &song.AddTrack{At: c.Model.TrackCount(), Events: []smf.Event{{Status: smf.Meta, A: song.MetaName, Payload: []byte(name)}}}
			pdk.Check(c.Do(add, "Track "+name))
			t = add.Made(c.Model)
			made = append(made, name)
			moved = func(e smf.Event) smf.Event { return onChannel(e, int(e.Status&0x0F)+1, channels[e.Status&0x0F+1]) }
		}
		now := args.InForce(t, at+1)
		changed := map[args.Setting]bool{}
		for _, it := range p.items {
			it.Event = moved(it.Event)
			if it.Tick == 0 && slices.ContainsFunc(now, func(e *song.Event) bool { return e.Status == it.Status && e.A == it.A && e.B == it.B }) {
				continue // already set to that
			}
			it.Track, it.Tick = t.ID, it.Tick+at
			all.Items = append(all.Items, it)
			if s, ok := args.SettingOf(&song.Event{Event: it.Event, Track: t}); ok {
				changed[s] = true
			}
		}
		if t.End() <= at+x.length {
			continue
		}
		for _, e := range args.InForce(t, at+x.length+1) {
			if s, _ := args.SettingOf(e); changed[s] && e.Tick < at+x.length { // to restore after the excerpt
				all.Items = append(all.Items, song.Item{Track: t.ID, Event: plainEvent(e, at+x.length)})
			}
		}
	}
	args.Do(c, all, "What is on them")
	return onto, made
}

// channels maps the source's channels to those on new tracks, 1-16: a channel stays the
// same if the document has nothing on it; drums always stay.
func (x *excerpt) channels(c *ctx, home func(part) *song.Track) (to [17]int) {
	var used [17]bool
	for _, t := range c.Model.Tracks() {
		sums := t.Sums()
		for _, n := range sums.Channels() {
			used[n] = true
		}
		used[t.Channel()] = true
	}
	var shared []int
	for _, p := range x.parts {
		if home(p) != nil {
			continue
		}
		for _, it := range p.items {
			n := int(it.Status&0x0F) + 1
			if !it.IsChannel() || to[n] > 0 {
				continue
			}
			to[n] = n
			if n != theory.DrumChannel && used[n] {
				free := slices.IndexFunc(used[:], func(b bool) bool { return !b })
				for free == 0 || free == theory.DrumChannel {
					next := slices.IndexFunc(used[free+1:], func(b bool) bool { return !b })
					if next < 0 {
						free = -1
						break
					}
					free += 1 + next
				}
				if free > 0 {
					to[n] = free
				} else {
					shared = append(shared, n)
				}
			}
			used[to[n]] = true
		}
	}
	for _, n := range shared {
		c.Warn("all channels are taken: channel %d is shared", n)
	}
	return to
}

// onChannel returns a channel message on another channel, and other events as they are.
func onChannel(e smf.Event, from, to int) smf.Event {
	if e.IsChannel() && int(e.Status&0x0F)+1 == from {
		e.Status = e.Status&0xF0 | byte(to-1)
	}
	return e
}

// putTime adds the excerpt's tempo, signatures and markers at its place, and restores
// the tempo and signatures of the document after it.
func (x *excerpt) putTime(c *ctx, at int64) {
	lead := c.Model.Lead()
	m := pdk.Must(c.Model.Meter(nil))
	goesOn := c.Model.End() > at+x.length
	after := setTime(c.Model, m, at+x.length)
	gone := &song.Remove{}
	var other []*song.Event
	for _, t := range c.Model.Tracks() {
		for e := range t.Between(at, at+x.length) {
			if !e.IsMark() || e.IsMeta(song.MetaMarker) {
				continue
			}
			gone.Add(e)
			if !slices.ContainsFunc(x.time, func(n smf.Event) bool { return n.Tick+at == e.Tick && n.A == e.A && bytes.Equal(n.Payload, e.Payload) }) {
				other = append(other, e)
			}
		}
	}
	warnReplaced(c, other...)
	args.Do(c, gone, "Remove tempi and signatures there")
	m = pdk.Must(c.Model.Meter(nil))
	now := &song.Insert{}
	before := setTime(c.Model, m, at)
	for i, e := range x.time {
		if i < len(before) && at > 0 && bytes.Equal(e.Payload, before[i].Payload) {
			continue
		}
		e.Tick += at
		now.Add(lead, e)
	}
	args.Do(c, now, "Its tempo, signatures and markers")
	if !goesOn {
		return
	}
	m = pdk.Must(c.Model.Meter(nil))
	back := &song.Insert{}
	for i, e := range setTime(c.Model, m, at+x.length) {
		if !bytes.Equal(e.Payload, after[i].Payload) {
			after[i].Tick = at + x.length
			back.Add(lead, after[i])
		}
	}
	args.Do(c, back, "The tempo and signatures after it")
}
