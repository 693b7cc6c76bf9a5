package args

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// warnJustBefore names the notes that belong to the first bar of a range of whole bars but
// begin a 32nd or less before its bar line, as played notes do.
func warnJustBefore(c *ctx, a pdk.Args, exactish bool) {
	ppq, err := c.Model.PPQ()
	i := slices.IndexFunc(a.Selectors, func(s abi.Select) bool { return s.Type == "range" && !s.Negated })
	if err != nil || i < 0 || c.Model.Format() == 2 {
		return
	}
	bar, rest, _ := strings.Cut(a.Selectors[i].Value, "-")
	from, _, err := c.Model.Range(nil, a.Selectors[i].Value)
	if err != nil || from == 0 || strings.Trim(bar, "0123456789") != "" {
		return
	}
	early := max(0, from-ppq/8)
	sels := slices.Clone(a.Selectors)
	sels[i].Value = "tick:" + strconv.FormatInt(early, 10) + "-tick:" + strconv.FormatInt(from-1, 10)
	found, err := selector.Elements(c.Model, c.Recent, sels, exactish)
	if err != nil {
		return
	}
	found = slices.DeleteFunc(found, func(e *song.Event) bool { return !e.IsNote() || e.Mate.Tick-from <= from-e.Tick })
	if len(found) == 0 {
		return
	}
	var said []string
	first := from
	for k, e := range found {
		first = min(first, e.Tick)
		if k < 3 {
			said = append(said, c.Model.PitchName(e)+" on "+c.Model.Name(e.Track)+" at "+c.Model.At(e.Track, e.Tick))
		}
	}
	if len(found) > len(said) {
		said = append(said, "…")
	}
	if rest == "" {
		rest = bar
	}
	c.Warn("%s just before bar %s: %s; not in the range, @range:%s-%s includes it", pdk.Count(len(found), "note"), bar, strings.Join(said, ", "), c.Model.At(nil, first), rest)
}

// warnTicks says what a place like 1.3.5 is: five ticks after a beat, where half a beat may be meant.
func warnTicks(c *ctx, a pdk.Args) {
	m, err := c.Model.Meter(nil)
	if err != nil || c.Model.Format() == 2 {
		return
	}
	for _, p := range a.Params {
		dot := strings.LastIndexByte(p.Value, '.')
		beat, digit := p.Value[:max(dot, 0)], p.Value[dot+1:]
		n := int64(strings.Index("0123456789", digit))
		at, err := c.Model.Position(nil, beat)
		if p.Key != "at" && p.Key != "to" || !strings.Contains(beat, ".") || len(digit) != 1 || n < 1 || err != nil {
			continue
		}
		_, number, _ := m.Locate(at)
		part := "." + digit
		if n == 5 {
			part = "½"
		}
		c.Warn("%s is %s after beat %d; beat %d%s is %s", p.Value, pdk.Count(int(n), "tick"), number, number, part, c.Model.At(nil, at+RoundDiv((m.BeatEnd(at)-at)*n, 10)))
	}
}
