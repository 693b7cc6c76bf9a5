package pdk

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// A Change changes an op, for example a refused one into one to suggest. It does not write to the slices of the op.
//
// The functions that make one are not inlined: each caller would get its own copy of the change.
type Change func(*abi.Op)

// With returns the op with some changes.
//
//go:noinline
func (a Args) With(changes ...Change) Args {
	op := *a.Op
	for _, c := range changes {
		c(&op)
	}
	return Args{&op}
}

// Mended prints the op with some changes, on one line, so that it reads back the same. It leaves out a block.
//
//go:noinline
func (a Args) Mended(changes ...Change) string {
	op := *a.With(changes...).Op
	op.Block = nil
	return grammar.Op{Op: op}.String()
}

// SelectorText prints selectors so that they read back the same.
func SelectorText(sels []abi.Select) string {
	return strings.TrimPrefix(Args{&abi.Op{Selectors: sels}}.Mended(), " ")
}

// WithWords replaces the n positionals from index i on, or those that there are, by others. An index behind the last one adds them.
//
//go:noinline
func WithWords(i, n int, words ...string) Change {
	return func(op *abi.Op) {
		var fresh []abi.Positional
		for _, w := range words {
			fresh = append(fresh, abi.Positional{Text: w, Quoted: Quote(w) != w})
		}
		i := min(i, len(op.Positionals))
		end := min(i+n, len(op.Positionals))
		op.Positionals = slices.Concat(op.Positionals[:i], fresh, op.Positionals[end:])
		var arrows []int
		for _, at := range op.Arrows {
			switch {
			case at < i:
				arrows = append(arrows, at)
			case at >= end:
				arrows = append(arrows, at-end+i+len(words))
			}
		}
		op.Arrows = arrows
	}
}

// WithoutWord removes positional i.
func WithoutWord(i int) Change { return WithWords(i, 1) }

// WithJoined joins the positionals from index i on into one text.
//
//go:noinline
func WithJoined(i int) Change {
	return func(op *abi.Op) {
		WithWords(i, len(op.Positionals)-i, strings.Join(Args{op}.Texts(i), " "))(op)
	}
}

// WithArrow replaces the n positionals from index i on by an arrow.
//
//go:noinline
func WithArrow(i, n int, arrow string) Change {
	return func(op *abi.Op) {
		WithWords(i, n, arrow)(op)
		op.Positionals[i].Quoted = false
		op.Arrows = append(op.Arrows, i)
	}
}

// WithKey gives a parameter another key.
//
//go:noinline
func WithKey(from, to string) Change {
	return func(op *abi.Op) {
		op.Params = slices.Clone(op.Params)
		for i := range op.Params {
			if op.Params[i].Key == from {
				op.Params[i].Key = to
			}
		}
	}
}

// WithParam sets a parameter, or adds it at the end if the op does not have the key.
//
//go:noinline
func WithParam(key, value string) Change {
	return func(op *abi.Op) {
		fresh := abi.KeyValue{Key: key, Value: value}
		op.Params = slices.Clone(op.Params)
		if i := slices.IndexFunc(op.Params, func(kv abi.KeyValue) bool { return kv.Key == key }); i >= 0 {
			op.Params[i] = fresh
		} else {
			op.Params = append(op.Params, fresh)
		}
	}
}

// WithSelectors replaces the selectors.
//
//go:noinline
func WithSelectors(sels ...abi.Select) Change { return func(op *abi.Op) { op.Selectors = sels } }

// WithSelector adds a selector.
//
//go:noinline
func WithSelector(kind, value string) Change {
	return func(op *abi.Op) {
		op.Selectors = append(slices.Clone(op.Selectors), abi.Select{Type: kind, Value: value})
	}
}

// Without removes parameters.
//
//go:noinline
func Without(keys ...string) Change {
	return func(op *abi.Op) {
		op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(kv abi.KeyValue) bool { return slices.Contains(keys, kv.Key) })
	}
}

// OneOf finds a word in a closed list. It ignores case, -, _ and blanks.
func OneOf(word string, list []string) (string, bool) {
	for _, w := range list {
		if word != "" && alike(w, word) {
			return w, true
		}
	}
	return "", false
}

// alike compares two ASCII words, ignoring case, -, _ and blanks.
func alike(a, b string) bool {
	skip := func(s string) string { return strings.TrimLeft(s, "-_ ") }
	lower := func(c byte) byte {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}
	for {
		a, b = skip(a), skip(b)
		if a == "" || b == "" {
			return a == b
		}
		if lower(a[0]) != lower(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}
