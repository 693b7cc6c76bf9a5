package args

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Target returns what an op works on: what its selectors name or, for remove and move,
// one thing named in words (`tempo at:3.1`, `marker Verse`, `note Piano C4 at:1.1`, `cc
// Piano volume at:2.1`). The events are in document order, notes as their note-on.
// values is the number of positionals at the start of the op that mean something else.
func Target(c *ctx, a pdk.Args, values int) ([]*song.Event, error) {
	if len(a.Positionals) == values {
		if len(a.Selectors) == 0 {
			return nil, pdk.Errorf("%s what? Name it by selectors, like @track:NAME @range:1.1-4.4", a.Verb).TryQuery("tracks")
		}
		return selectedEvents(c, a)
	}
	words := a.Texts(values)
	if len(a.Selectors) > 0 {
		e := pdk.Errorf("%s takes selectors or names (%s), not both", a.Verb, words[0])
		return nil, Suggest(e, attachWords(a, values, words)...)
	}
	names := ""
	if a.Verb == "remove" || a.Verb == "move" {
		switch what := strings.ToLower(words[0]); what {
		case "tempo", "time-sig", "key-sig", "marker", "lyric", "text", "cue":
			return findMark(c, a, what)
		case "note", "cc":
			return findOnTrack(c, a, what)
		case "bars", "bar":
			if a.Verb == "remove" && len(words) > 1 {
				return nil, pdk.Errorf("the verb bars inserts and deletes bars").Tryf("bars delete %s", pdk.Quote(words[1]))
			}
		}
		names = ", or as tempo, time-sig, key-sig, marker, lyric, text, cue, note, cc"
	}
	e := pdk.Errorf("%s %q: name it by selectors (@track:NAME @range:P-P)%s", a.Verb, strings.Join(words, " "), names)
	last := len(words) - 1
	key := loneKeys[a.Verb]
	loose := last > 0 && key != "" && !a.Has(key) && strings.IndexFunc(words[last], unicode.IsDigit) == 0
	if loose { // unless it is part of a name
		_, err := selector.Elements(c.Model, c.Recent, []abi.Select{selectorFromWords(words)}, false)
		loose = err != nil
	}
	op := a.With(pdk.WithWords(values, len(words)))
	if loose {
		op = op.With(pdk.WithSelectors(selectorFromWords(words[:last])), pdk.WithParam(key, words[last]))
	} else {
		op = op.With(pdk.WithSelectors(selectorFromWords(words)))
	}
	if a.Verb == "remove" { // never suggest what to remove
		return nil, e.TryQuery(Listing(c, op.Selectors))
	}
	return nil, Suggest(e.TryQuery("tracks"), op)
}

// loneKeys are the parameters whose values clients often give without the key.
var loneKeys = map[string]string{"quantize": "grid", "repeat": "count", "move": "to", "copy": "to", "split": "at", "legato": "gap"}

// units are words after a number that add no meaning.
var units = []string{"semitone", "semitones", "step", "steps", "percent", "time", "times"}

// attachWords returns ops to suggest for an op with both selectors and words. In them
// the words are the value of a selector that has none, or of a key.
func attachWords(a pdk.Args, values int, words []string) (ops []pdk.Args) {
	a = a.With(pdk.WithWords(values, len(words)))
	text := strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(units, strings.ToLower(w)) }), " ")
	if text == "" {
		return []pdk.Args{a}
	}
	if i := slices.IndexFunc(a.Selectors, func(s abi.Select) bool { return s.Value == "" && s.Type != "all" }); i >= 0 {
		sels := slices.Clone(a.Selectors)
		sels[i].Value = text
		ops = append(ops, a.With(pdk.WithSelectors(sels...)))
	}
	if key := loneKeys[a.Verb]; key != "" && !a.Has(key) {
		ops = append(ops, a.With(pdk.WithParam(key, text)))
	}
	return ops
}

// Listing returns the query that lists what selectors match, or `tracks` if they match
// nothing.
func Listing(c *ctx, sels []abi.Select) string {
	if _, err := selector.Elements(c.Model, c.Recent, sels, false); err != nil {
		return "tracks"
	}
	return "list " + pdk.SelectorText(sels)
}

// selectorFromWords returns the selector that words probably mean: a type and a value,
// a range of bars, or a track's name.
func selectorFromWords(words []string) abi.Select {
	typ, value := strings.ToLower(words[0]), strings.Join(words[1:], " ")
	switch {
	case typ == "section":
		typ = "marker"
	case strings.TrimSuffix(typ, "s") == "bar":
		typ = "range"
	case typ != "all" && !slices.ContainsFunc(selector.List(), func(s abi.Selector) bool { return s.Type == typ }):
		typ, value = "track", strings.Join(words, " ")
		if value != "" && value[0] >= '0' && value[0] <= '9' {
			typ = "range"
		}
	}
	return abi.Select{Type: typ, Value: value}
}

// Progress records whether any step of an op changed something.
type Progress struct {
	changed   bool
	unchanged error // returned by a step that had nothing to change
}

// Step records the result of one step and returns an error other than "unchanged".
func (p *Progress) Step(err error) error {
	if pdk.IsUnchanged(err) {
		p.unchanged = err
		return nil
	}
	p.changed = p.changed || err == nil
	return err
}

// Result returns nil if a step changed something, else the error of a step that had
// nothing to change.
func (p *Progress) Result() error {
	if p.changed {
		return nil
	}
	return p.unchanged
}

// selectedEvents returns the events that the op's selectors match. remove does not
// accept prefixes of names.
func selectedEvents(c *ctx, a pdk.Args) ([]*song.Event, error) {
	exactish := a.Verb == "remove"
	found, err := selector.Elements(c.Model, c.Recent, a.Selectors, exactish)
	if err == nil {
		warnJustBefore(c, a, exactish)
		return found, nil
	}
	better, query := selector.Mend(c.Model, a.Selectors, exactish)
	e := Refusal(err)
	if query == "" {
		query = "map"
	}
	e.TryQuery(query)
	if better == nil {
		return nil, e
	}
	return nil, Suggest(e, a.With(pdk.WithSelectors(better...)))
}

// findMark finds `tempo at:P`, `marker NAME`, `marker at:P`.
func findMark(c *ctx, a pdk.Args, what string) ([]*song.Event, error) {
	kind := song.Kind(what)
	name, query := a.Text(1), "map"
	var t *song.Track
	if a.Has("track") || c.Model.Format() == 2 {
		t = pdk.Must(HomeTrack(c, a))
	}
	all := marksOf(c, t, kind)
	if len(all) > 0 {
		query = "list @type:" + what
	}
	worded := what == "marker" || what == "lyric" || what == "text" || what == "cue"
	if n := 1 + pdk.If(worded, 1, 0); len(a.Positionals) > n {
		op := a.With(pdk.WithWords(n, len(a.Positionals)), pdk.WithParam("at", a.Text(n)))
		return nil, Suggest(pdk.Errorf("%s %s: %q is unexpected; give the place by at:", a.Verb, what, a.Text(n)).TryQuery(query), op)
	}
	if name != "" && what != "marker" {
		return findWords(c, a, t, kind, name)
	} else if name != "" {
		m, err := c.Model.FindMarker(t, name, true)
		if err != nil {
			return nil, InsteadAt(Refusal(err).TryQuery("map"), a, 1, near.Marker(c.Model, t, name)...)
		}
		return []*song.Event{m}, nil
	}
	if len(all) == 0 {
		return nil, pdk.Errorf("there is no %s", what).TryQuery(query)
	}
	if !a.Has("at") {
		if len(all) == 1 {
			return all, nil
		}
		return nil, pdk.Errorf("%s %s: which of %d? They are at %s", a.Verb, what, len(all), places(c, all)).TryQuery(query)
	}
	at := pdk.Must(Position(c, a, "at", t, 0))
	here := slices.DeleteFunc(slices.Clone(all), func(e *song.Event) bool { return e.Tick != at })
	if len(here) == 0 {
		return nil, pdk.Errorf("there is no %s at %s; there are some at %s", what, c.Model.At(t, at), places(c, all)).TryQuery(query)
	}
	return here, nil
}

// findWords finds a lyric, a text or a cue by its words, and by its place if several
// have the same words.
func findWords(c *ctx, a pdk.Args, t *song.Track, kind song.Kind, name string) ([]*song.Event, error) {
	all := marksOf(c, t, kind)
	query := "map"
	if len(all) > 0 {
		query = "list @type:" + string(kind)
	}
	all = slices.DeleteFunc(all, func(e *song.Event) bool { return !strings.EqualFold(e.Text(), name) })
	if len(all) == 0 {
		return nil, pdk.Errorf("there is no %s that says %q", kind, name).TryQuery(query)
	}
	if !a.Has("at") && len(all) > 1 {
		return nil, pdk.Errorf("%s %s: which of %d? They are at %s", a.Verb, kind, len(all), places(c, all)).TryQuery(query)
	}
	at := pdk.Must(Position(c, a, "at", t, all[0].Tick))
	here := slices.DeleteFunc(slices.Clone(all), func(e *song.Event) bool { return e.Tick != at })
	if len(here) == 0 {
		return nil, pdk.Errorf("there is no such %s at %s; there are some at %s", kind, c.Model.At(t, at), places(c, all)).TryQuery(query)
	}
	return here, nil
}

// marksOf lists the events of a kind on a track, or on all.
func marksOf(c *ctx, t *song.Track, kind song.Kind) []*song.Event {
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
	said := pdk.Map(all[:min(len(all), 8)], func(e *song.Event) string { return c.Model.At(e.Track, e.Tick) })
	if len(all) > 8 {
		said = append(said, "…")
	}
	return strings.Join(said, ", ")
}

// findOnTrack finds `note TRACK PITCH… [at:P]` and `cc TRACK NAME [at:P]`.
func findOnTrack(c *ctx, a pdk.Args, what string) ([]*song.Event, error) {
	if len(a.Positionals) < 3 {
		query := "tracks"
		if t, err := c.Model.FindTrack(a.Text(1), false); err == nil {
			query = "events " + c.Model.Names().Name(t)
		}
		return nil, pdk.Errorf("%s %s takes a track and what is on it", a.Verb, what).TryQuery(query)
	}
	t := pdk.Must(Track(c, a, 1, true))
	query := "events " + c.Model.Names().Name(t)
	var wanted []selector.Pitches // pitches, or controllers
	for i := 2; i < len(a.Positionals); i++ {
		if what == "cc" {
			n := pdk.Must(Controller(a, i))
			wanted = append(wanted, selector.Pitches{Low: n, High: n})
			continue
		}
		p, err := selector.ParsePitches(a.Text(i))
		if err != nil {
			return nil, InsteadAt(Refusal(err).TryQuery(query), a, i, near.Pitch(a.Text(i), theory.DrumChannel)...)
		}
		wanted = append(wanted, p)
	}
	at := pdk.Must(Position(c, a, "at", t, -1))
	var out []*song.Event
	for e := range t.Events() {
		if e.IsElement() && string(e.Kind()) == what && slices.ContainsFunc(wanted, func(p selector.Pitches) bool { return p.Match(e) }) && (at < 0 || e.Tick == at) {
			out = append(out, e)
		}
	}
	named := what + " " + strings.Join(a.Texts(2), " ")
	switch {
	case len(out) == 0 && at >= 0:
		return nil, pdk.Errorf("%s has no %s at %s", c.Model.Name(t), named, c.Model.At(t, at)).TryQuery(query)
	case len(out) == 0:
		return nil, pdk.Errorf("%s has no %s", c.Model.Name(t), named).TryQuery(query)
	case len(out) > 1 && at < 0:
		return nil, pdk.Errorf("%s: which of %d? They are at %s", a.Raw, len(out), places(c, out)).TryQuery(query)
	}
	return out, nil
}

// NotesOnly returns the notes of a selection, and refuses one without notes.
func NotesOnly(found []*song.Event, a pdk.Args) ([]*song.Event, error) {
	out := pdk.Filter(found, (*song.Event).IsNote)
	if len(out) == 0 {
		return nil, pdk.Errorf("%s works on notes, and the op names none", a.Verb).TryQuery("tracks")
	}
	return out, nil
}

// SelectedNotes returns the notes that the op's selectors match.
func SelectedNotes(c *ctx, a pdk.Args) ([]*song.Event, error) {
	if len(a.Selectors) == 0 {
		return nil, pdk.Errorf("%s what? Name it by selectors, like @track:NAME @range:1-4", a.Verb).TryQuery("tracks")
	}
	return NotesOnly(pdk.Must(selectedEvents(c, a)), a)
}
