package verbs

import (
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// target is what an op works on: what its selectors name, or one thing named
// in words (`tempo at:3.1`, `marker Verse`, `note Piano C4 at:1.1`, `cc Piano
// volume at:2.1`). The events come in document order, notes as their on.
//
// values is how many positionals come before that and mean something else.
func target(c *ctx, a pdk.Args, values int) ([]*song.Event, error) {
	if len(a.Positionals) == values {
		if len(a.Selectors) == 0 {
			return nil, suggest(pdk.Errorf("%s what? Name it by selectors, like @track:NAME @range:1.1-4.4", a.Verb),
				withSelectors(a, selectAll("recent")).Op)
		}
		return selected(c, a)
	}
	if len(a.Selectors) > 0 {
		return nil, pdk.Errorf("%s takes selectors or names (%s), not both", a.Verb, a.Text(0))
	}
	switch what := strings.ToLower(a.Text(0)); what {
	case "tempo", "time-sig", "key-sig", "marker", "lyric", "text", "cue":
		return namedMark(c, a, what)
	case "note", "cc":
		return namedOnTrack(c, a, what)
	case "bars", "bar":
		if a.Verb == "remove" && len(a.Positionals) > 1 {
			return nil, pdk.Errorf("bars come and go by the verb bars").Tryf("bars delete %s", pdk.Quote(a.Text(1)))
		}
	case "section":
		return nil, suggest(pdk.Errorf("a section is the marker that begins it; what is in it is @marker:%s", pdk.Quote(a.Text(1))), replaced(a, swap{at: 0, text: "marker"}))
	}
	e := pdk.Errorf("%s %q: name it by selectors (@track:NAME @range:P-P), or as tempo, time-sig, key-sig, marker, lyric, text, cue, note, cc", a.Verb, a.Text(0))
	if t, err := c.Model.FindTrack(a.Text(0), true); err == nil {
		e.Tryf("%s @track:%s", a.Verb, pdk.Quote(c.Model.Name(t)))
	}
	return nil, e
}

// progress tells an op of several steps that did something from one that found
// everything as it should be.
type progress struct {
	changed bool
	idle    error
}

// idleError says that a step had nothing to change. Alone it is a refusal.
type idleError struct{ why *pdk.Error }

func (e idleError) Error() string { return e.why.Message }
func (e idleError) Unwrap() error { return e.why }

func idle(format string, args ...any) error { return idleError{pdk.Errorf(format, args...)} }

// step takes note of one step's outcome and passes on what is a failure.
func (p *progress) step(err error) error {
	var e idleError
	if errors.As(err, &e) {
		p.idle = e
		return nil
	}
	p.changed = p.changed || err == nil
	return err
}

// verdict is the refusal of an op none of whose steps changed anything.
func (p *progress) verdict() error {
	if p.changed {
		return nil
	}
	return p.idle
}

// selected is what the op's selectors name. A selector that cannot be read is
// refused with one that can.
func selected(c *ctx, a pdk.Args) ([]*song.Event, error) {
	found, err := selector.Elements(c.Model, c.Recent, a.Selectors, true)
	if err == nil {
		return found, nil
	}
	e := refusal(err)
	if strings.HasPrefix(e.Message, "nothing matches") {
		return nil, e // well said, but not there: something else is not what was meant
	}
	for i, sel := range a.Selectors {
		if !strings.Contains(e.Message, sel.Type) && !strings.Contains(e.Message, sel.Value) {
			continue
		}
		if sel.Type == "marker" && sel.Value != "" && len(c.Model.Markers(nil)) == 0 {
			return nil, e.Tryf("marker %s at:%s", pdk.Quote(sel.Value), c.Model.At(nil, 0))
		}
		better, ok := repair(c, sel)
		if !ok {
			continue
		}
		sels := slices.Clone(a.Selectors)
		sels[i] = better
		return nil, suggest(e, withSelectors(a, sels...).Op)
	}
	return nil, e
}

// repair gives a selector that reads like the refused one was meant.
func repair(c *ctx, sel abi.Select) (abi.Select, bool) {
	good := map[string]string{"channel": "1", "range": "1.1-4.4", "pitch": "C4", "velocity": "1-127", "type": "note", "recent": "1", "beat": "1", "cc": "volume", "chord": "C", "drums": ""}
	if value, ok := good[sel.Type]; ok {
		sel.Value = value
		return sel, true
	}
	switch sel.Type {
	case "all":
		return selectAll("all"), true
	case "marker":
		var labels []string
		for _, m := range c.Model.Markers(nil) {
			labels = append(labels, m.Text())
		}
		if near := append(pdk.Nearest(sel.Value, labels), labels...); len(near) > 0 {
			sel.Value = near[0]
			return sel, true
		}
		return sel, false
	case "track":
		if hits, _ := c.Model.Names().Find(sel.Value, false); len(hits) > 0 {
			sel.Value = c.Model.Name(hits[0])
			return sel, true
		}
		if music := c.Model.Music(); len(music) > 0 {
			sel.Value = c.Model.Name(music[0])
			return sel, true
		}
		return sel, false
	}
	names := []string{"all", "recent"}
	for _, s := range selector.List() {
		names = append(names, s.Type)
	}
	if near := pdk.Nearest(sel.Type, names); len(near) > 0 {
		sel.Type = near[0]
		if value, ok := good[sel.Type]; ok && sel.Value == "" {
			sel.Value = value
		}
		return sel, true
	}
	return selectAll("recent"), true
}

func withSelectors(a pdk.Args, sels ...abi.Select) pdk.Args {
	op := *a.Op
	op.Selectors = sels
	return pdk.Args{Op: &op}
}

// namedMark finds `tempo at:P`, `marker NAME`, `marker at:P`.
func namedMark(c *ctx, a pdk.Args, what string) ([]*song.Event, error) {
	kind := song.Kind(what)
	var t *song.Track
	if a.Has("track") || c.Model.Format() == 2 {
		var err error
		if t, err = homeTrack(c, a); err != nil {
			return nil, err
		}
	}
	worded := what == "marker" || what == "lyric" || what == "text" || what == "cue"
	if len(a.Positionals) > 1+btoi(worded) {
		return nil, pdk.Errorf("%s %s: %q is too much; give its place by at:", a.Verb, what, a.Text(1))
	}
	if name := a.Text(1); name != "" && what != "marker" {
		return wordsNamed(c, a, t, kind, name)
	} else if name != "" {
		m, err := c.Model.FindMarker(t, name, true)
		if err != nil {
			return nil, err
		}
		return []*song.Event{m}, nil
	}
	all := marks(c, t, kind)
	if len(all) == 0 {
		return nil, pdk.Errorf("there is no %s", what)
	}
	if !a.Has("at") {
		if len(all) == 1 {
			return all, nil
		}
		return nil, instead(pdk.Errorf("%s %s: which of %s? They are at %s", a.Verb, what, plural(len(all), what), places(c, all)), a, "at", c.Model.At(t, all[len(all)-1].Tick))
	}
	at, err := positionArg(c, a, "at", t, 0)
	if err != nil {
		return nil, err
	}
	here := slices.DeleteFunc(slices.Clone(all), func(e *song.Event) bool { return e.Tick != at })
	if len(here) == 0 {
		return nil, instead(pdk.Errorf("there is no %s at %s; there is at %s", what, c.Model.At(t, at), places(c, all)), a, "at", c.Model.At(t, all[0].Tick))
	}
	return here, nil
}

// wordsNamed finds a lyric, a text or a cue by what it says, and by its place
// where several say so.
func wordsNamed(c *ctx, a pdk.Args, t *song.Track, kind song.Kind, name string) ([]*song.Event, error) {
	all := slices.DeleteFunc(marks(c, t, kind), func(e *song.Event) bool { return !strings.EqualFold(e.Text(), name) })
	if len(all) == 0 {
		return nil, pdk.Errorf("there is no %s that says %q", kind, name).Tryf("%s @type:%s", a.Verb, kind)
	}
	if !a.Has("at") && len(all) > 1 {
		return nil, instead(pdk.Errorf("%s %s: which of %d? They are at %s", a.Verb, kind, len(all), places(c, all)), a, "at", c.Model.At(t, all[0].Tick))
	}
	at, err := positionArg(c, a, "at", t, all[0].Tick)
	if err != nil {
		return nil, err
	}
	here := slices.DeleteFunc(slices.Clone(all), func(e *song.Event) bool { return e.Tick != at })
	if len(here) == 0 {
		return nil, instead(pdk.Errorf("there is no such %s at %s; there is at %s", kind, c.Model.At(t, at), places(c, all)), a, "at", c.Model.At(t, all[0].Tick))
	}
	return here, nil
}

// marks lists the events of a kind on a track, or on all.
func marks(c *ctx, t *song.Track, kind song.Kind) []*song.Event {
	tracks := []*song.Track{t}
	if t == nil {
		tracks = c.Model.Tracks()
	}
	var out []*song.Event
	for _, t := range tracks {
		for e := range t.Events() {
			if e.Kind() == kind {
				out = append(out, e)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	return out
}

// places prints where events are, at most eight.
func places(c *ctx, all []*song.Event) string {
	var out []string
	for i, e := range all {
		if i == 8 {
			out = append(out, "…")
			break
		}
		out = append(out, c.Model.At(e.Track, e.Tick))
	}
	return strings.Join(out, ", ")
}

// namedOnTrack finds `note TRACK PITCH… [at:P]` and `cc TRACK NAME [at:P]`.
func namedOnTrack(c *ctx, a pdk.Args, what string) ([]*song.Event, error) {
	if len(a.Positionals) < 3 {
		e := pdk.Errorf("%s %s takes a track and what is on it", a.Verb, what)
		if len(a.Positionals) == 2 {
			return nil, e.Tryf("%s @track:%s", a.Verb, pdk.Quote(a.Text(1)))
		}
		return nil, e
	}
	t, err := trackArg(c, a, 1, true)
	if err != nil {
		return nil, err
	}
	var wanted []selector.Pitches // or controllers
	for i := 2; i < len(a.Positionals); i++ {
		var p selector.Pitches
		if what == "cc" {
			p.Low, err = controllerArg(a, i)
			p.High = p.Low
		} else {
			p, err = selector.ParsePitches(a.Text(i))
		}
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, p)
	}
	at, err := positionArg(c, a, "at", t, -1)
	if err != nil {
		return nil, err
	}
	var out []*song.Event
	for e := range t.Events() {
		if e.IsElement() && string(e.Kind()) == what && slices.ContainsFunc(wanted, func(p selector.Pitches) bool { return p.Match(e) }) && (at < 0 || e.Tick == at) {
			out = append(out, e)
		}
	}
	switch {
	case len(out) == 0 && at >= 0:
		return nil, pdk.Errorf("%s has no %s %s at %s", c.Model.Name(t), what, strings.Join(a.Texts(2), " "), c.Model.At(t, at))
	case len(out) == 0:
		return nil, pdk.Errorf("%s has no %s %s", c.Model.Name(t), what, strings.Join(a.Texts(2), " "))
	case len(out) > 1 && at < 0:
		return nil, instead(pdk.Errorf("%s: which of %d? They are at %s", a.Raw, len(out), places(c, out)), a, "at", c.Model.At(t, out[0].Tick))
	}
	return out, nil
}

// describe says what events are: one by its content and place, several by
// their number of each kind.
func describe(c *ctx, found []*song.Event) string {
	if len(found) == 1 {
		e := found[0]
		return c.Model.Say(e) + " on " + c.Model.Name(e.Track) + " at " + c.Model.At(e.Track, e.Tick)
	}
	var kinds []song.Kind
	count := map[song.Kind]int{}
	for _, e := range found {
		k := e.Kind()
		if count[k] == 0 {
			kinds = append(kinds, k)
		}
		count[k]++
	}
	out := make([]string, len(kinds))
	for i, k := range kinds {
		if k == song.KindNote {
			out[i] = plural(count[k], "note")
		} else {
			out[i] = itoa(count[k]) + " " + string(k)
		}
	}
	return strings.Join(out, ", ")
}

// refs are the ids of events.
func refs(found []*song.Event) []string {
	out := make([]string, len(found))
	for i, e := range found {
		out[i] = e.Ref()
	}
	return out
}

// notesOnly refuses a selection without notes and gives its notes.
func notesOnly(found []*song.Event, a pdk.Args) ([]*song.Event, error) {
	out := make([]*song.Event, 0, len(found))
	for _, e := range found {
		if e.IsNote() {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("%s works on notes, and there is none among what was named", a.Verb)
	}
	return out, nil
}
