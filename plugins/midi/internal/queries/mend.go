package queries

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// places are the words that the grammar of a query reads as parameter keys.
var places = []string{"tick", "marker", "end", "midi"}

// printQuery prints a query so that it parses to the same query.
func printQuery(a pdk.Args) string {
	out := []string{a.Verb}
	for _, p := range a.Positionals {
		key, value, ok := strings.Cut(p.Text, ":")
		if ok && slices.Contains(places, strings.ToLower(key)) && pdk.Quote(strings.ReplaceAll(value, ":", "")) == strings.ReplaceAll(value, ":", "") {
			out = append(out, p.Text)
		} else {
			out = append(out, pdk.Quote(p.Text))
		}
	}
	if len(a.Selectors) > 0 {
		out = append(out, selector.PrintAll(a.Selectors))
	}
	for _, p := range a.Params {
		out = append(out, p.Key+":"+selector.Value(p.Value))
	}
	return strings.Join(out, " ")
}

// insteadAt returns a refusal that suggests the query with each of words as positional
// i.
func insteadAt(err error, a pdk.Args, i int, words ...string) *pdk.Error {
	e := pdk.Errorf("%v", err)
	for _, w := range words {
		op := *a.Op
		op.Positionals = slices.Clone(op.Positionals)
		op.Positionals[i] = abi.Positional{Text: w}
		e.TryQuery(printQuery(pdk.Args{Op: &op}))
	}
	return e
}

// instead does the same for the value of a key.
func instead(err error, a pdk.Args, key string, values ...string) *pdk.Error {
	e := pdk.Errorf("%v", err)
	for _, v := range values {
		e.TryQuery(printQuery(withParam(a, key, v)))
	}
	return e
}

// withParam returns a query with a key set to a value.
func withParam(a pdk.Args, key, value string) pdk.Args {
	op := *a.Op
	op.Params = slices.Clone(op.Params)
	if i := slices.IndexFunc(op.Params, func(p abi.KeyValue) bool { return p.Key == key }); i >= 0 {
		op.Params[i].Value = value
	} else {
		op.Params = append(op.Params, abi.KeyValue{Key: key, Value: value})
	}
	return pdk.Args{Op: &op}
}

func withoutParam(a pdk.Args, key string) pdk.Args {
	op := *a.Op
	op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(p abi.KeyValue) bool { return p.Key == key })
	return pdk.Args{Op: &op}
}

// dropPositionals returns a query with at most n positionals. If all positionals
// together are the name of a track, it joins them to one, else it drops those after the
// first n.
func dropPositionals(s *song.Song, a pdk.Args, n int) pdk.Args {
	op := *a.Op
	op.Positionals = slices.Clone(op.Positionals[:n])
	if name := strings.Join(a.Texts(0), " "); n > 0 {
		if _, err := s.FindTrack(name, false); err == nil {
			op.Positionals = []abi.Positional{{Text: name}}
		}
	}
	return pdk.Args{Op: &op}
}

// track resolves the track reference in positional i of a query.
func track(v *view, a pdk.Args, i int) (*song.Track, error) {
	t, err := v.Model.FindTrack(a.Text(i), false)
	if err == nil {
		return t, nil
	}
	names := near.Track(v.Model, a.Text(i))
	if len(names) == 0 {
		return nil, pdk.Errorf("%v", err).TryQuery("tracks")
	}
	return nil, insteadAt(err, a, i, names...)
}

// span reads positional i of a query, P-P on a track's time (nil: the song's).
func span(v *view, a pdk.Args, i int, t *song.Track) (from, to int64, err error) {
	if from, to, err = v.Model.Range(t, a.Text(i)); err == nil {
		return from, to, nil
	}
	words := near.Range(v.Model, t, a.Text(i))
	if len(words) == 0 {
		return 0, 0, pdk.Errorf("%v", err).TryQuery("map")
	}
	return 0, 0, insteadAt(err, a, i, words...)
}

// tracksRefused suggests the tracks nearest to positional 0 of a query.
func tracksRefused(v *view, a pdk.Args, err error) error {
	names := near.Track(v.Model, a.Text(0))
	if len(names) == 0 {
		return pdk.Errorf("%v", err).TryQuery("tracks")
	}
	return insteadAt(err, a, 0, names...)
}

// selectorsRefused suggests the query with corrected selectors.
func selectorsRefused(v *view, a pdk.Args, sels []abi.Select, err error) error {
	better, look := selector.Mend(v.Model, sels, false)
	if better == nil {
		return pdk.Errorf("%v", err).TryQuery(cmp.Or(look, "map"))
	}
	op := *a.Op
	op.Selectors = better
	return pdk.Errorf("%v", err).TryQuery(printQuery(pdk.Args{Op: &op}))
}
