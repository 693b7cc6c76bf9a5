package pdk

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// SelectorType is one selector type: its entry in the manifest, and what it matches. Its name is read from its syntax, @track:NAME;
// one whose syntax has no colon takes no value.
type SelectorType[M any, E comparable] struct {
	abi.Selector
	Match func(m M, value string) (func(E) bool, error) // called once per selector, and for each item of a list that it cannot read as one value
}

// name is the type's name, and whether it takes a value.
func (t *SelectorType[M, E]) name() (name string, valued bool) {
	name, _, valued = strings.Cut(strings.TrimPrefix(t.Syntax, "@"), ":")
	return strings.TrimSuffix(name, "["), valued
}

// Describe lists the types for the manifest.
func (s *Selection[M, E]) Describe() []abi.Selector {
	out := make([]abi.Selector, len(s.Table))
	for i := range s.Table {
		out[i] = s.Table[i].Selector
		out[i].Type, _ = s.Table[i].name()
	}
	return out
}

// matcher returns how the selectors of a type match, nil for an unknown type.
func (s *Selection[M, E]) matcher(typ string) func(m M, value string) (func(E) bool, error) {
	for i := range s.Table {
		t := &s.Table[i]
		name, valued := t.name()
		switch {
		case name != typ:
		case valued:
			return t.Match
		default:
			return func(m M, value string) (func(E) bool, error) {
				if value != "" {
					return nil, Errorf("@%s takes no value", typ)
				}
				return t.Match(m, "")
			}
		}
	}
	return nil
}

// Selection matches selectors against the elements E of a model M. It handles
// @all, @recent[:N] and @not:… itself; Table has the others.
type Selection[M any, E comparable] struct {
	All   func(m M) []E                       // every element, in document order
	Few   func(m M, some []E) []E             // optional: the elements of some that are in All, in document order, so that @recent need not go through All
	Table []SelectorType[M, E]                // the selector types of the domain; Describe lists them for the manifest
	ByID  func(m M, id string) (e E, ok bool) // for @recent; ok is false if the element is gone
}

// Select returns the elements that match all of the selectors, in document order.
// An unknown type is an error, and so is an empty list of selectors. If nothing
// matches, the result is empty, and the verb has to refuse.
func (s *Selection[M, E]) Select(m M, recent []string, sels []abi.Select) ([]E, error) {
	if len(sels) == 0 {
		return nil, Errorf("no selector given; @all selects everything")
	}
	tests := make([]func(E) bool, 0, len(sels))
	all := s.All
	for i := range sels {
		test, touched, err := s.test(m, recent, &sels[i])
		if err != nil {
			return nil, err
		}
		if touched != nil && !sels[i].Negated && s.Few != nil {
			all = func(m M) []E { return s.Few(m, slices.Collect(maps.Keys(touched))) }
		}
		if sels[i].Negated {
			positive := test
			test = func(e E) bool { return !positive(e) }
		}
		tests = append(tests, test)
	}
	var out []E
next:
	for _, e := range all(m) {
		for _, test := range tests {
			if !test(e) {
				continue next
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// Targets returns the elements that an op is about, each once: those that its
// positionals name, resolved by one, and then those that its selectors match. It is
// an error if the selectors match nothing. Without either, one gets "".
func (s *Selection[M, E]) Targets(c *Ctx[M], a Args, one func(ref string) (E, error)) ([]E, error) {
	names := a.Texts(0)
	if len(names) == 0 && len(a.Selectors) == 0 {
		names = []string{""}
	}
	var list []E
	for _, name := range names {
		e, err := one(name)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if len(a.Selectors) > 0 {
		found, err := s.Select(c.Model, c.Recent, a.Selectors)
		if err == nil && len(found) == 0 {
			err = NothingMatches(a.Selectors)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	seen := make(map[E]bool, len(list))
	return slices.DeleteFunc(list, func(e E) bool {
		was := seen[e]
		seen[e] = true
		return was
	}), nil
}

// NothingMatches is the error for selectors that select nothing together. Two of one type are often meant as alternatives, so it says
// that all must match.
func NothingMatches(sels []abi.Select) *Error {
	twice := ""
	for i := range sels {
		if !sels[i].Negated && slices.ContainsFunc(sels[:i], func(s abi.Select) bool { return !s.Negated && s.Type == sels[i].Type }) {
			twice = "; of several selectors, each must match"
		}
	}
	return Errorf("nothing matches %s%s", SelectorText(sels), twice)
}

// Check returns the refusal of a selector that cannot be read.
func (s *Selection[M, E]) Check(m M, sel *abi.Select) error {
	_, _, err := s.test(m, nil, sel)
	return err
}

// test returns the condition of one selector. For @recent, touched is the set of
// elements that can match.
func (s *Selection[M, E]) test(m M, recent []string, sel *abi.Select) (test func(E) bool, touched map[E]bool, err error) {
	switch sel.Type {
	case "all":
		if sel.Value != "" {
			return nil, nil, Errorf("@all takes no value")
		}
		return func(E) bool { return true }, nil, nil
	case "recent":
		n := 1
		if sel.Value != "" {
			if n, err = strconv.Atoi(sel.Value); err != nil || n < 1 {
				return nil, nil, Errorf("%s: N is a whole number from 1", sel.Raw)
			}
		}
		// Elements that are gone do not count.
		touched = make(map[E]bool)
		for _, id := range recent {
			if len(touched) == n {
				break
			}
			if e, ok := s.ByID(m, id); ok {
				touched[e] = true
			}
		}
		return func(e E) bool { return touched[e] }, touched, nil
	}
	f := s.matcher(sel.Type)
	if f == nil {
		names := []string{"all", "recent"}
		for _, t := range s.Describe() {
			names = append(names, t.Type)
		}
		slices.Sort(names)
		err := Errorf("unknown selector @%s", sel.Type)
		if near := Nearest(sel.Type, names); len(near) > 0 {
			err.Message += "; nearest: @" + strings.Join(near, ", @")
		}
		return nil, nil, err
	}
	test, err = f(m, sel.Value)
	if err != nil && strings.Contains(sel.Value, ",") {
		return anyOf(m, f, sel.Value, err)
	}
	return test, nil, err
}

// anyOf returns the condition of a selector with a list of values, such as @track:A1,A2: any of them. whole is the error
// of the list read as one value. It is returned if no item can be read either, else the first item's error.
func anyOf[M any, E comparable](m M, f func(m M, value string) (func(E) bool, error), list string, whole error) (test func(E) bool, touched map[E]bool, err error) {
	var tests []func(E) bool
	for item := range strings.SplitSeq(list, ",") {
		t, e := f(m, strings.TrimSpace(item))
		if e == nil {
			tests = append(tests, t)
		} else if err == nil {
			err = e
		}
	}
	switch {
	case len(tests) == 0:
		return nil, nil, whole
	case err != nil:
		return nil, nil, err
	}
	return func(e E) bool {
		return slices.ContainsFunc(tests, func(t func(E) bool) bool { return t(e) })
	}, nil, nil
}
