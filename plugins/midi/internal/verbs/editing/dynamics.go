package editing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

func crescendoVerb() verb { return swellVerb("crescendo", "louder", "p", "f", 1) }

func decrescendoVerb() verb { return swellVerb("decrescendo", "softer", "f", "p", -1) }

func swellVerb(name, way, from, to string, sign int) verb {
	loud := func(mark string) int { v, _ := theory.ParseVelocity(mark); return v }
	fromKey := value.Key[int]{Name: "from", Type: args.Velocity, Default: loud(from)}
	toKey := value.Key[int]{Name: "to", Type: args.Velocity, Default: loud(to)}
	return verb{Keys: []pdk.Parameter{fromKey, toKey}, Verb: abi.Verb{
		Category: "Edit", Syntax: name + " @SEL… [from:V] [to:V]",
		Brief:    name + " @SEL… [from:" + from + " to:" + to + "]",
		Hidden:   sign < 0,
		Summary:  "velocities from one (" + from + ") to another (" + to + "), " + way + " in proportion to time",
		Examples: []string{name + " @track:Piano @range:5-8 from:" + from + " to:" + to},
	}, Run: func(c *ctx, a pdk.Args) error {
		notes := pdk.Must(targetNotes(c, a, 0))
		v1, v2 := fromKey.Of(a), toKey.Of(a)
		if (v2-v1)*sign <= 0 {
			err := pdk.Errorf("%s from %d to %d does not get %s", name, v1, v2, way)
			if v1 == v2 || !a.Has("from") || !a.Has("to") {
				return err
			}
			return args.Suggest(err, a.With(pdk.WithParam("from", a.String("to", "")), pdk.WithParam("to", a.String("from", ""))))
		}
		first, last := args.Earliest(notes), int64(0)
		for _, e := range notes {
			last = max(last, e.Tick)
		}
		if first == last {
			return pdk.Errorf("%s needs notes that start at different times; these all start at %s", name, c.Model.At(notes[0].Track, first)).
				TryQuery("list " + pdk.SelectorText(a.Selectors))
		}
		x := &song.Set{Items: make([]song.Change, 0, len(notes))}
		for _, e := range notes {
			if v := v1 + int(args.RoundDiv(int64(v2-v1)*(e.Tick-first), last-first)); v != e.Velocity() {
				x.Change(e).B = byte(v)
			}
		}
		if len(x.Items) == 0 {
			return pdk.Unchanged("these notes already have those velocities")
		}
		pdk.Check(c.Do(x, name+" "+strconv.Itoa(v1)+"-"+strconv.Itoa(v2), args.Refs(notes)...))
		c.Changed("%s from %d to %d over %s", strings.ToUpper(name[:1])+name[1:], v1, v2, pdk.Count(len(notes), "note"))
		return nil
	}}
}
