// Package splice defines invertible changes of a text. Packages that edit a format
// without rewriting it return them.
package splice

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Splice replaces text[At:At+len(Old)], which must be Old, by New. An event that
// holds a splice also holds its inverse.
type Splice struct {
	At       int
	Old, New string
}

// Apply makes the change. If Old is not at that place, ok is false and the text is
// unchanged.
func (s Splice) Apply(text string) (changed string, ok bool) {
	if s.At < 0 || s.At > len(text) || !strings.HasPrefix(text[s.At:], s.Old) {
		return text, false
	}
	return text[:s.At] + s.New + text[s.At+len(s.Old):], true
}

// Patch makes the change to a text in place.
func (s Splice) Patch(text *string) error {
	out, ok := s.Apply(*text)
	if !ok {
		return errors.New("the text to replace is not there")
	}
	*text = out
	return nil
}

// Inverse returns the splice that undoes s.
func (s Splice) Inverse() Splice { return Splice{s.At, s.New, s.Old} }

// All is several changes of one text, all with offsets into the original text.
// Changes at the same offset are made in the order of the list.
type All []Splice

// Apply makes the changes. If they overlap, or an Old does not match, ok is false
// and the text is unchanged.
func (a All) Apply(text string) (changed string, ok bool) {
	var b strings.Builder
	at, size := 0, len(text)
	for _, s := range a {
		size += len(s.New) - len(s.Old)
	}
	b.Grow(max(size, 0))
	for _, s := range a.Sorted() {
		if s.At < at || s.At > len(text) || !strings.HasPrefix(text[s.At:], s.Old) {
			return text, false
		}
		b.WriteString(text[at:s.At])
		b.WriteString(s.New)
		at = s.At + len(s.Old)
	}
	b.WriteString(text[at:])
	return b.String(), true
}

// Inverse returns the changes that undo a, for the text that a results in.
func (a All) Inverse() All {
	out := make(All, 0, len(a))
	moved := 0
	for _, s := range a.Sorted() {
		out = append(out, Splice{s.At + moved, s.New, s.Old})
		moved += len(s.New) - len(s.Old)
	}
	return out
}

// Sorted returns the changes in the order of their offsets.
func (a All) Sorted() All {
	out := slices.Clone(a)
	slices.SortStableFunc(out, func(x, y Splice) int { return cmp.Compare(x.At, y.At) })
	return out
}
