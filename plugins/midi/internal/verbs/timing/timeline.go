package timing

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

var timeSigVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "time-sig N/D [at:POS] [track:TRACK]",
	Brief:    "time-sig N/D [at:]",
	Summary:  "time signature from 1.1 or at:, best at the start of a bar; no note moves, bars are renumbered",
	Max:      2,
	Examples: []string{"time-sig 3/4", "time-sig 7/8 at:9.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	a = a.With(pdk.WithJoined(0))
	num, den, err := ParseTimeSig(a.Text(0))
	if err != nil {
		return args.InsteadAt(err, a, 0, WithSlash(a.Text(0)))
	}
	return timeEvent(c, a, song.MetaTimeSig, song.SignaturePayload(num, den), "Time signature "+strconv.Itoa(num)+"/"+strconv.Itoa(den))
}}

// ParseTimeSig reads "6/8".
func ParseTimeSig(s string) (num, den int, err error) {
	n, d, ok := strings.Cut(s, "/")
	num, err1 := strconv.Atoi(n)
	den, err2 := strconv.Atoi(d)
	if !ok || err1 != nil || err2 != nil {
		return 0, 0, pdk.Errorf("time signature %q is not two numbers like 3/4", s)
	}
	if num < 1 || num > 64 {
		return 0, 0, pdk.Errorf("time signature %s: a bar has 1 to 64 beats", s)
	}
	if den < 1 || den > 64 || bits.OnesCount(uint(den)) != 1 {
		return 0, 0, pdk.Errorf("time signature %s: the beat is one of 1 2 4 8 16 32 64", s)
	}
	return num, den, nil
}

// WithSlash returns a time signature with a slash for another sign, to suggest 3/4 for 3-4.
func WithSlash(s string) string { return strings.NewReplacer("-", "/", ":", "/", ",", "/").Replace(s) }

var keySigVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "key-sig KEY [at:POS] [track:TRACK]",
	Brief:    "key-sig C-major|F#-minor|Bb|Am [at:]",
	Summary:  "key signature (C-major, F#-minor, Bb, Am) from 1.1 or at:; no note changes",
	Max:      2,
	Examples: []string{"key-sig G-major", "key-sig F#-minor at:17.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	a = a.With(pdk.WithJoined(0))
	key, err := theory.ParseKey(a.Text(0))
	if err != nil {
		return args.InsteadAt(err, a, 0, near.Key(a.Text(0))...)
	}
	return timeEvent(c, a, song.MetaKeySig, song.KeyPayload(key), "Key "+key.String())
}}

// mostReplaced limits how many events warnReplaced names.
const mostReplaced = 8

// warnReplaced names events that the op is about to replace.
func warnReplaced(c *ctx, old ...*song.Event) {
	said := make([]string, 0, mostReplaced+1)
	for i, e := range old {
		if i == mostReplaced {
			said = append(said, strconv.Itoa(len(old)-i)+" more")
			break
		}
		said = append(said, c.Model.Say(e)+" at "+c.Model.At(e.Track, e.Tick))
	}
	if len(said) > 0 {
		c.Warn("in place of %s", strings.Join(said, ", "))
	}
}

// timeEvent adds a tempo or a signature at at: (by default the start), or changes the
// one that is there.
func timeEvent(c *ctx, a pdk.Args, typ byte, payload []byte, what string) error {
	t := pdk.Must(args.HomeTrack(c, a))
	at := pdk.Must(args.Position(c, a, "at", t, 0))
	text := what + " at " + c.Model.At(t, at)
	old := args.FindMeta(c, t, typ, at)
	if old != nil && bytes.Equal(old.Payload, payload) {
		return pdk.Unchanged("%s is already set", text)
	}
	if typ == song.MetaTimeSig {
		if m, err := c.Model.Meter(t); err == nil {
			if bar, beat, sub := m.Locate(at); beat > 1 || sub > 0 {
				c.Warn("the signature comes inside bar %d, which ends there; bar %d starts with it", bar, bar+1)
			}
		}
	}
	args.Put(c, t, old, smf.Event{Tick: at, Status: smf.Meta, A: typ, Payload: payload}, text)
	args.Report(c, old == nil, text)
	return nil
}

var markerVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "marker NAME [at:POS] [track:TRACK]",
	Brief:    "marker NAME [at: track:]",
	Summary:  "name a place, which is then a position: at:marker:NAME",
	Examples: []string{"marker Verse at:5.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	name := a.Text(0)
	if strings.TrimSpace(name) == "" {
		return pdk.Errorf("a marker needs a name")
	}
	t := pdk.Must(args.HomeTrack(c, a))
	at := pdk.Must(args.Position(c, a, "at", t, 0))
	made := args.FindMeta(c, t, song.MetaMarker, at) == nil
	pdk.Check(putMarker(c, t, at, name))
	args.Report(c, made, "Marker "+name+" at "+c.Model.At(t, at))
	return nil
}}

var titleVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "title TEXT", Summary: "the song's title",
	Brief:    "title TEXT",
	Examples: []string{"title \"Blue in Green\""},
}, Run: func(c *ctx, a pdk.Args) error {
	title := a.Text(0)
	if c.Model.Title() == title {
		return pdk.Unchanged("the title is already %s", pdk.Quote(title))
	}
	t := c.Model.Lead()
	mixing.SetText(c, t, t.NameEvent(), song.MetaName, 0, title, "Title "+title)
	if !t.Conductor {
		c.Warn("the first track has notes, and a file's title is its first track's name: that track is now called %s", c.Model.Name(t))
	}
	c.Changed("Title %s", title)
	return nil
}}
