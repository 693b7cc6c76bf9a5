package timing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/notation"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// SourceFiles are the extensions of files that music can be taken from.
var SourceFiles = append([]string{".mid", ".midi", ".rmi", ".kar"}, notation.Extensions()...)

// sources are the resources of a verb whose first word names other music.
func sources() []abi.Resource {
	return []abi.Resource{{Position: 1, Kind: abi.ResourceDocument}, {Position: 1, Kind: abi.ResourceBytes, Accept: SourceFiles}}
}

var importVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "import FILE|DOCUMENT [at:POS] [tracks:NAME,NAME…] [bars:N-N]",
	Brief:     "import FILE|DOC [at: tracks: bars:] · new tracks",
	Summary:   "the tracks of a file (MIDI, ABC, MusicXML) or of another open document as new ones, from bar 1 or at: on; the tempo and the signatures here stay, append also copies theirs",
	Resources: sources(),
	Examples:  []string{"import ./groove.mid at:5.1 tracks:Drums", "import Intro"},
}, Run: func(c *ctx, a pdk.Args) error {
	return importAt(c, a, pdk.Must(sourceExcerpt(c, a)))
}}

// importAt puts an excerpt on new tracks, at bar 1 or at:.
func importAt(c *ctx, a pdk.Args, x *excerpt) error {
	at := pdk.Must(args.Position(c, a, "at", c.Model.Lead(), 0))
	pdk.Check(args.CheckTick(at + x.length))
	m := pdk.Must(c.Model.Meter(nil))
	for i, e := range setTime(c.Model, m, at)[:2] {
		if string(e.Payload) != string(x.time[i].Payload) {
			own, _ := x.source.Meter(nil)
			c.Warn("its source has the tempo %s and the signature %d/%d; import does not copy them, append and insert do", song.PrintBPM(x.source.Tempo(nil).At(0).BPM()), own.At(0).Num, own.At(0).Den)
			break
		}
	}
	_, made := x.put(c, at, func(part) *song.Track { return nil })
	c.Created("Imported %s at %s: %s", x.summary(), c.Model.At(nil, at), strings.Join(made, ", "))
	return nil
}

var appendVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "append FILE|DOCUMENT [tracks:NAME,NAME…] [bars:N-N]",
	Brief:     "append FILE|DOC [tracks: bars:] · after the end",
	Summary:   "a file or another open document after the last bar, with its tempo, signatures and markers; its tracks go on those of the same name, others become new ones",
	Resources: sources(),
	Examples:  []string{"append ./outro.mid", "append Outro bars:1-4"},
}, Run: func(c *ctx, a pdk.Args) error {
	return appendIt(c, pdk.Must(sourceExcerpt(c, a)))
}}

// appendIt adds an excerpt with its tempo and signatures after the last bar.
func appendIt(c *ctx, x *excerpt) error {
	m := pdk.Must(c.Model.Meter(nil))
	at := m.BarTick(c.Model.Bars(m) + 1)
	pdk.Check(args.CheckTick(at + x.length))
	return x.join(c, at, "Appended ")
}

var insertVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "insert FILE|DOCUMENT at:POS [tracks:NAME,NAME…] [bars:N-N]",
	Brief:     "insert FILE|DOC at:BAR [tracks: bars:]",
	Summary:   "like append, before a bar: what follows moves later, and keeps its tempo and signatures",
	Resources: sources(),
	Examples:  []string{"insert ./break.mid at:9.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	if _, err := strconv.Atoi(a.Text(0)); err == nil {
		return pdk.Errorf("insert takes a file or a document: the verb bars inserts empty bars").Tryf("bars insert %s", a.Text(0))
	}
	x := pdk.Must(sourceExcerpt(c, a))
	if !a.Has("at") {
		return pdk.Errorf("insert needs at:, the bar in front of which it goes")
	}
	at := pdk.Must(args.Position(c, a, "at", c.Model.Lead(), 0))
	m := pdk.Must(c.Model.Meter(nil))
	bar, beat, sub := m.Locate(at)
	if beat != 1 || sub != 0 {
		return args.Instead(pdk.Errorf("%s is inside bar %d: it goes between bars", c.Model.At(nil, at), bar), a, "at", strconv.Itoa(bar), strconv.Itoa(bar+1))
	}
	if c.Model.Bars(m) < bar {
		return x.join(c, at, "Inserted ")
	}
	pdk.Check(makeRoom(c, at, x.length))
	return x.join(c, at, "Inserted ")
}}

// makeRoom moves everything from the start of a bar later by a length. Notes held over
// the bar line end there.
func makeRoom(c *ctx, at, length int64) error {
	b := &bars{c: c, tracks: c.Model.Tracks()}
	for _, t := range b.tracks {
		pdk.Check(args.CheckTick(t.Length() + length))
	}
	if held := b.heldOver(at); len(held) > 0 {
		x := &song.Move{}
		for _, e := range held {
			x.Add(e.Mate, e.Track, at)
		}
		pdk.Check(c.Do(x, "Cut "+pdk.Count(len(held), "held note"), args.Refs(held)...))
		c.Warn("%s held over %s: cut there", pdk.Count(len(held), "note"), c.Model.At(nil, at))
	}
	back := &song.Move{}
	for _, t := range b.tracks {
		for e := range t.EventsFrom(at) {
			if e.Tick == at && at == 0 && isSetup(e) && !e.IsMark() || !e.IsElement() && e.Mate.Tick < at {
				back.Add(e, t, e.Tick)
			}
		}
	}
	if err := c.Do(&song.Shift{From: at, By: length, Tracks: b.ids()}, "Make room"); err != nil || len(back.Items) == 0 {
		return err
	}
	return c.Do(back, "What stays in front")
}

// join adds an excerpt with its tempo and signatures to the tracks of the same names.
func (x *excerpt) join(c *ctx, at int64, what string) error {
	x.putTime(c, at)
	onto, made := x.put(c, at, func(p part) *song.Track { return namesake(c.Model, x.source.Name(p.track)) })
	text := what + x.summary() + " at " + c.Model.At(nil, at)
	if len(onto) > 0 {
		text += " on " + strings.Join(onto, ", ")
	}
	if len(made) > 0 {
		text += "; new: " + strings.Join(made, ", ")
	}
	c.Created("%s", text)
	return nil
}

// namesake returns the track with that name that can hold notes, or nil.
func namesake(s *song.Song, name string) *song.Track {
	if hits, _ := s.Names().Find(name, true); len(hits) == 1 && !hits[0].Conductor {
		return hits[0]
	}
	return nil
}

func (x *excerpt) summary() string {
	notes := 0
	for _, p := range x.parts {
		notes += p.notes
	}
	return pdk.Count(x.bars, "bar") + " with " + pdk.Count(notes, "note")
}

// otherSong returns the song that a word names: a file, or another open document.
func otherSong(c *ctx, word string) (*song.Song, error) {
	supply, err := c.Resource(word)
	switch {
	case err != nil:
		return nil, pdk.Errorf("%s: %v", word, err)
	case supply == nil:
		return nil, pdk.Errorf("there is no file %s, and no other document of that name is open", pdk.Quote(word))
	}
	data := supply.Data
	if supply.Kind == abi.ResourceBytes && notation.Is(word) {
		if data, err = notation.Read(word, data); err != nil {
			return nil, pdk.Errorf("%s: %v", word, err)
		}
	}
	s, _, err := song.Open(data)
	if err != nil {
		return nil, pdk.Errorf("%s: %v", word, err)
	}
	return s, nil
}

// sourceExcerpt returns the excerpt that an op asks for of the music that its first
// word names.
func sourceExcerpt(c *ctx, a pdk.Args) (*excerpt, error) {
	return excerptFrom(c, a, a.Text(0), pdk.Must(otherSong(c, a.Text(0))))
}

// excerptFrom returns the excerpt of a song that tracks: and bars: ask for. what names
// the song in errors.
func excerptFrom(c *ctx, a pdk.Args, what string, s *song.Song) (*excerpt, error) {
	ppq := pdk.Must(c.Model.PPQ())
	if c.Model.Format() == 2 {
		return nil, pdk.Errorf("the tracks of this format 2 file are songs of their own: nothing can be put across them").TryQuery("tracks")
	}
	m, err := s.Meter(nil)
	if err != nil {
		return nil, pdk.Errorf("%s counts time in SMPTE frames and has no bars", what)
	}
	var tracks []*song.Track
	if names, ok := a.Param("tracks"); ok {
		for name := range strings.SplitSeq(names, ",") {
			t, err := s.FindTrack(strings.TrimSpace(name), false)
			if err != nil {
				have := pdk.Map(s.Music(), s.Name)
				return nil, args.Instead(pdk.Errorf("%s has no single track %s; it has %s", what, pdk.Quote(name), strings.Join(have, ", ")), a, "tracks", pdk.Nearest(name, have)...)
			}
			tracks = append(tracks, t)
		}
	} else {
		tracks = pdk.Filter(s.Music(), func(t *song.Track) bool { return t.Notes() > 0 })
	}
	if len(tracks) == 0 {
		return nil, pdk.Errorf("%s has no notes", what)
	}
	first, last := 1, s.Bars(m)
	if text, ok := a.Param("bars"); ok {
		if first, last, ok = barSpan(text, last); !ok {
			return nil, args.Instead(pdk.Errorf("bars:%s: %s has bars 1-%d", text, what, s.Bars(m)), a, "bars", "1-"+strconv.Itoa(s.Bars(m)))
		}
	}
	return excerptOf(s, tracks, first, last, ppq)
}

// barSpan reads "5-8" or "5", limited to the bars of the song.
func barSpan(text string, most int) (first, last int, ok bool) {
	a, b, isRange := strings.Cut(text, "-")
	if !isRange {
		b = a
	}
	first, err1 := strconv.Atoi(a)
	last, err2 := strconv.Atoi(b)
	return first, last, err1 == nil && err2 == nil && first >= 1 && first <= last && last <= most
}

// CopyFrom runs copy with from:, whose selectors apply to another song.
func CopyFrom(c *ctx, a pdk.Args) error {
	s := pdk.Must(otherSong(c, a.String("from", "")))
	ppq := pdk.Must(c.Model.PPQ())
	own := pdk.Must(s.PPQ())
	there := &ctx{Model: s}
	found, err := args.Target(there, a, 0)
	if err != nil {
		return pdk.Errorf("in %s: %s", a.String("from", ""), args.Refusal(err).Message)
	}
	var onto *song.Track
	if a.Has("track") {
		onto = pdk.Must(args.TrackOf(c, a, "track"))
	}
	scale := func(tick int64) int64 { return (2*tick*ppq + own) / (2 * own) }
	origin := scale(selector.Origin(s, a.Selectors, found))
	to := pdk.Must(args.Position(c, a, "to", c.Model.Lead(), origin))
	x := &song.Insert{}
	for _, e := range found {
		t, channel := pdk.Must2(copyTarget(c, a, onto, e, s.Name(e.Track)))
		start := to + scale(e.Tick) - origin
		if start < 0 {
			return pdk.Errorf("that starts before bar 1")
		}
		add := func(e *song.Event, tick int64) {
			made := plainEvent(e, tick)
			if e.IsChannel() {
				made.Status = e.Status&0xF0 | byte(channel-1)
			}
			x.Add(t, made)
		}
		add(e, start)
		end := start
		if e.Mate != nil {
			x.Items[len(x.Items)-1].Paired = true
			end = max(start+1, to+scale(e.Mate.Tick)-origin)
			add(e.Mate, end)
		}
		pdk.Check(args.CheckTick(end))
	}
	text := "Copied " + args.Describe(there, found) + " from " + a.String("from", "") + " to " + c.Model.At(c.Model.Lead(), to)
	args.Do(c, x, text)
	c.Created("%s", text)
	return nil
}

// copyTarget returns the track and the channel for the copy of an event of another song: the
// track onto or, if that is nil, the one with the name of the event's own track, which is
// name.
func copyTarget(c *ctx, a pdk.Args, onto *song.Track, e *song.Event, name string) (t *song.Track, channel int, err error) {
	if t = onto; t == nil {
		if t = namesake(c.Model, name); t == nil {
			return nil, 0, pdk.Errorf("this document has no track %s: name another by track:, or add one by track add", pdk.Quote(name)).TryQuery("tracks")
		}
	}
	if e.IsMark() {
		return nil, 0, pdk.Errorf("append and insert copy tempi, signatures and markers of another document, with their bars")
	}
	if e.IsChannel() {
		pdk.Check(args.RefuseConductor(t))
	}
	if channel = t.Channel(); a.Has("ch") || channel == 0 {
		channel = args.Channel(c, a, t)
	}
	return t, channel, err
}
