package timing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var arrangeVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "arrange \"SECTION|N-N…\"",
	Brief:    "arrange \"A A B 9-10\" · of sections, bars",
	Summary:  "rebuild the song from sections, which begin at markers, and bars, in the order given and as often as named; each keeps its tempo, signatures and sounds",
	Min:      1,
	Max:      -1,
	Examples: []string{"arrange \"A A B A\"", "arrange 1-2 1-2"},
}, Run: func(c *ctx, a pdk.Args) error {
	m := pdk.Must(c.Model.Meter(nil))
	ppq := pdk.Must(c.Model.PPQ())
	if c.Model.Format() == 2 {
		return pdk.Errorf("the tracks of this format 2 file are songs of their own, with sections of their own").TryQuery("tracks")
	}
	names := sectionNames(c.Model, a.Texts(0))
	if len(names) > maxSections {
		return pdk.Errorf("%d sections are too many; at most %d are possible", len(names), maxSections)
	}
	old := c.Model.Bars(m)
	var all []*excerpt
	at := m.BarTick(old + 1)
	end := at
	for _, name := range names {
		first, last := pdk.Must2(sectionBars(c, m, name, old))
		x := pdk.Must(excerptOf(c.Model, c.Model.Tracks(), first, last, ppq))
		all = append(all, x)
		end += x.length
	}
	pdk.Check(args.CheckTick(end))
	to := at
	for _, x := range all {
		x.putTime(c, to)
		x.put(c, to, func(p part) *song.Track { return p.track })
		to += x.length
	}
	m = pdk.Must(c.Model.Meter(nil))
	b := &bars{c: c, a: a, t: c.Model.Lead(), tracks: c.Model.Tracks(), meter: m, bar: 1, count: old, song: c.Model.Bars(m)}
	pdk.Check(b.remove())
	m = pdk.Must(c.Model.Meter(nil))
	c.Bulk("Arranged %s: %s instead of %d", strings.Join(names, " "), pdk.Count(c.Model.Bars(m), "bar"), old)
	return nil
}}

// maxSections is how many sections one op may arrange.
const maxSections = 1000

// sectionNames splits words into names of sections. It prefers the longest name,
// because names may contain blanks.
func sectionNames(s *song.Song, texts []string) []string {
	words := strings.Fields(strings.Join(texts, " "))
	known := map[string]bool{}
	for _, e := range s.Markers(nil) {
		known[strings.ToLower(strings.Join(strings.Fields(e.Text()), " "))] = true
	}
	var out []string
	for len(words) > 0 {
		n := len(words)
		for ; n > 1; n-- {
			if known[strings.ToLower(strings.Join(words[:n], " "))] {
				break
			}
		}
		out = append(out, strings.Join(words[:n], " "))
		words = words[n:]
	}
	return out
}

// sectionBars returns the bars of a section of a song with that many bars.
func sectionBars(c *ctx, m *song.Meter, name string, bars int) (first, last int, err error) {
	from, to, err := c.Model.Section(nil, name, true)
	if err != nil {
		if first, last, ok := barSpan(name, bars); ok {
			return first, last, nil
		}
		var have []string
		for _, e := range c.Model.Markers(nil) {
			if !slices.Contains(have, e.Text()) {
				have = append(have, e.Text())
			}
		}
		if len(have) == 0 {
			return 0, 0, pdk.Errorf("there is no section %s: markers begin sections, and there are none", pdk.Quote(name)).TryQuery("map")
		}
		return 0, 0, pdk.Errorf("there is no section %s: there are %s", pdk.Quote(name), strings.Join(have, ", ")).TryQuery("map")
	}
	first, beat, sub := m.Locate(from)
	last = bars
	end := "the end"
	if to >= 0 {
		end = c.Model.At(nil, to)
		behind, b, s := m.Locate(to)
		if last = behind - 1; b != 1 || s != 0 {
			beat = 2
		}
	}
	if beat != 1 || sub != 0 {
		return 0, 0, pdk.Errorf("section %s goes from %s to %s: it has to begin and end with bars", pdk.Quote(name), c.Model.At(nil, from), end).TryQuery("map")
	}
	if last < first {
		return 0, 0, pdk.Errorf("section %s has no bars: it begins at the end of the song", pdk.Quote(name)).TryQuery("map")
	}
	return first, last, nil
}
