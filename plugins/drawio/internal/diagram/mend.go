package diagram

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// edit changes an op that is suggested.
type edit func(*abi.Op)

// mended prints an op as its user wrote it, with some changes.
func mended(a pdk.Args, edits ...edit) string {
	op := *a.Op
	for _, e := range edits {
		e(&op)
	}
	var b strings.Builder
	b.WriteString(op.Verb)
	for i, p := range op.Positionals {
		b.WriteByte(' ')
		if slices.Contains(op.Arrows, i) {
			b.WriteString(p.Text)
		} else {
			b.WriteString(pdk.Quote(p.Text))
		}
	}
	if len(op.Selectors) > 0 {
		b.WriteString(" " + selectorText(op.Selectors))
	}
	for _, kv := range op.Params {
		b.WriteString(" " + kv.Key + ":" + pdk.Quote(kv.Value))
	}
	return b.String()
}

// withWords replaces the n words from i on by others.
func withWords(i, n int, words ...string) edit {
	return func(op *abi.Op) {
		var fresh []abi.Positional
		for _, w := range words {
			fresh = append(fresh, abi.Positional{Text: w})
		}
		op.Positionals = slices.Replace(slices.Clone(op.Positionals), i, i+n, fresh...)
		var arrows []int
		for _, at := range op.Arrows {
			switch {
			case at < i:
				arrows = append(arrows, at)
			case at >= i+n:
				arrows = append(arrows, at-n+len(words))
			}
		}
		op.Arrows = arrows
	}
}

// withoutWord leaves out word i.
func withoutWord(i int) edit { return withWords(i, 1) }

// joined makes one text of the words from i on.
func joined(a pdk.Args, i int) edit {
	return withWords(i, len(a.Positionals)-i, strings.Join(a.Texts(i), " "))
}

// withArrow puts an arrow in the place of the n words from i on.
func withArrow(i, n int, arrow string) edit {
	return func(op *abi.Op) {
		withWords(i, n, arrow)(op)
		op.Arrows = append(op.Arrows, i)
	}
}

// withKey gives a parameter another key.
func withKey(from, to string) edit {
	return func(op *abi.Op) {
		op.Params = slices.Clone(op.Params)
		for i := range op.Params {
			if op.Params[i].Key == from {
				op.Params[i].Key = to
			}
		}
	}
}

// withParam sets a parameter, at the end where the op has none of that key.
func withParam(key, value string) edit {
	return func(op *abi.Op) {
		op.Params = slices.Clone(op.Params)
		for i := range op.Params {
			if op.Params[i].Key == key {
				op.Params[i].Value = value
				return
			}
		}
		op.Params = append(op.Params, abi.KeyValue{Key: key, Value: value})
	}
}

// withSelector adds a selector.
func withSelector(kind, value string) edit {
	return func(op *abi.Op) {
		op.Selectors = append(slices.Clone(op.Selectors), abi.Select{Type: kind, Value: value})
	}
}

// without leaves out parameters.
func without(keys ...string) edit {
	return func(op *abi.Op) {
		op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(kv abi.KeyValue) bool { return slices.Contains(keys, kv.Key) })
	}
}

// oneOf finds a word in a closed list. Case, -, _ and blanks do not count.
func oneOf(word string, list []string) (string, bool) {
	for _, w := range list {
		if word != "" && alike(w, word) {
			return w, true
		}
	}
	return "", false
}

// alike compares two words of ASCII without regard to case, -, _ and blanks.
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
