package pdk

import (
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// withSuggestions returns the error of a failed op or query with its suggestions.
// If the domain made none, and a reference was unknown or ambiguous, it suggests
// the op with each name that the reference may have meant.
func withSuggestions(err error, op *abi.Op) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error()}
	}
	out := &Error{Message: err.Error(), Tries: e.Tries}
	if len(out.Tries) > 0 {
		return out
	}
	for _, name := range e.names {
		if a, ok := withRef(Args{op}, e.ref, name); ok && op.Block == nil {
			out.Try(a.Mended())
		}
	}
	return out
}

// withRef returns the op with name, printed as by Quote, in place of the first word or value that is ref. It returns false
// if there is none.
func withRef(a Args, ref, name string) (Args, bool) {
	text := Unquote(name)
	for i, p := range a.Positionals {
		if p.Text == ref && !a.IsArrow(i) {
			return a.With(WithWords(i, 1, text)), true
		}
	}
	for i, s := range a.Selectors {
		if s.Value == ref && ref != "" {
			sels := slices.Clone(a.Selectors)
			sels[i].Value = text
			return a.With(WithSelectors(sels...)), true
		}
	}
	for _, p := range a.Params {
		if p.Value == ref {
			return a.With(WithParam(p.Key, text)), true
		}
	}
	return a, false
}

// maxKeyed limits the keys that keyed tries: each is a run, and one that fails may look through all names for near ones.
const maxKeyed = 4

// keyed suggests a refused op with its last word as the value of a key, if exactly one of the verb's keys takes it that does not take any
// word: `tempo 140 at:6.1` for `tempo 140 6.1`. If more than maxKeyed keys may take it, it suggests nothing.
func (in *Instance[M]) keyed(v *Verb[M], c *Ctx[M], op *abi.Op) (out []abi.Suggestion) {
	last := len(op.Positionals) - 1
	if last < v.Min || last < 0 || op.Block != nil || slices.Contains(op.Arrows, last) {
		return nil
	}
	with := func(key, word string) Args { return Args{op}.With(WithoutWord(last), WithParam(key, word)) }
	var keys []string
	for _, p := range v.Params {
		if !(Args{op}).Has(p.Key) && p.Key != strings.ToUpper(p.Key) && checkKeys(with(p.Key, op.Positionals[last].Text), v.Keys) == nil { // a capital letter stands for any key
			keys = append(keys, p.Key)
		}
	}
	if len(keys) > maxKeyed {
		return nil
	}
	works := func(a Args) bool {
		return c.Trial(func(c *Ctx[M]) error {
			if err := checkKeys(a, v.Keys); err != nil {
				return err
			}
			return v.Run(c, a)
		}) == nil
	}
	for _, key := range keys {
		if a := with(key, op.Positionals[last].Text); works(a) && !works(with(key, "?")) {
			out = append(out, abi.Suggestion{Text: a.Mended()})
		}
	}
	if len(out) > 1 {
		return nil
	}
	return out
}
