package timing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

var sectionVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "section NAME @range:P-P [track:TRACK] | section NAME bars:N-N [track:TRACK]",
	Brief:    "section NAME bars:N-N|@range:P-P [track:]",
	Summary:  "marker NAME at the start of the range and, where music continues after it without a marker, marker `NAME end`; then @marker:NAME means it",
	Max:      -1,
	Examples: []string{"section Verse @range:5-12", "section A bars:1-8"},
}, Run: func(c *ctx, a pdk.Args) error {
	if text, ok := a.Param("bars"); ok && len(a.Selectors) == 0 {
		if !strings.Contains(text, "-") {
			text += "-" + text
		}
		a = a.With(pdk.Without("bars"), pdk.WithSelector("range", text))
	}
	name := a.Text(0)
	if strings.TrimSpace(name) == "" {
		return pdk.Errorf("a section needs a name")
	}
	t := pdk.Must(args.HomeTrack(c, a))
	if n := len(a.Positionals); n > 1 {
		joined, ranged := a.With(pdk.WithJoined(0)), a.With(pdk.WithoutWord(n-1), pdk.WithJoined(0), pdk.WithSelector("range", a.Text(n-1)))
		return args.Suggest(pdk.Errorf("section takes one name, and its bars after @range:, not %q", a.Text(1)), joined, ranged)
	}
	first, last := pdk.Must2(args.RangeOnly(c, a, t))
	text := "Section " + pdk.Quote(name) + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, last+1)
	var p args.Progress
	made := args.FindMeta(c, t, song.MetaMarker, first) == nil
	pdk.Check(p.Step(putMarker(c, t, first, name)))
	ending := ""
	if args.FindMeta(c, t, song.MetaMarker, last+1) == nil && continuesAfter(c, t, last+1) {
		pdk.Check(p.Step(putMarker(c, t, last+1, name+" end")))
		ending = ", which marker " + pdk.Quote(name+" end") + " ends"
	}
	pdk.Check(p.Result())
	for _, m := range c.Model.Markers(t) {
		if m.Tick > first && m.Tick <= last {
			c.Warn("the marker %s at %s is inside it, and there @marker:%s ends", pdk.Quote(song.Brief(m.Text(), 60)), c.Model.At(t, m.Tick), pdk.Quote(name))
		}
		if m.Tick < first && m.Text() == name {
			c.Warn("a marker %s is at %s, too: @marker:%s means that one", pdk.Quote(name), c.Model.At(t, m.Tick), pdk.Quote(name))
			break
		}
	}
	args.Report(c, made, text+ending)
	return nil
}}

// putMarker makes a marker and replaces the one there.
func putMarker(c *ctx, t *song.Track, at int64, name string) error {
	text := "Marker " + name + " at " + c.Model.At(t, at)
	old := args.FindMeta(c, t, song.MetaMarker, at)
	if old != nil && old.Text() == name {
		return pdk.Unchanged("%s is already set there", text)
	}
	if old != nil {
		warnReplaced(c, old)
	}
	mixing.SetText(c, t, old, song.MetaMarker, at, name, text)
	return nil
}

// continuesAfter reports whether anything on t's timeline starts or sounds at or after
// a tick.
func continuesAfter(c *ctx, t *song.Track, tick int64) bool {
	for _, o := range args.TimelineTracks(c, t) {
		if o.End() > tick {
			return true
		}
	}
	return false
}
