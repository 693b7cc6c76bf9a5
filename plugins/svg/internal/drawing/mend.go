package drawing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// change changes an op that is suggested.
type change func(*abi.Op)

// mended prints an op as its user wrote it, with some changes.
func mended(a pdk.Args, changes ...change) string {
	op := *a.Op
	for _, c := range changes {
		c(&op)
	}
	var b strings.Builder
	b.WriteString(op.Verb)
	for _, p := range op.Positionals {
		b.WriteString(" " + pdk.Quote(p.Text))
	}
	for _, s := range op.Selectors {
		b.WriteString(" @")
		if s.Negated {
			b.WriteString("not:")
		}
		if b.WriteString(s.Type); s.Value != "" {
			b.WriteString(":" + pdk.Quote(s.Value))
		}
	}
	for _, kv := range op.Params {
		b.WriteString(" " + kv.Key + ":" + pdk.Quote(kv.Value))
	}
	return b.String()
}

// withWords replaces the n words from i on by others.
func withWords(i, n int, words ...string) change {
	return func(op *abi.Op) {
		var fresh []abi.Positional
		for _, w := range words {
			fresh = append(fresh, abi.Positional{Text: w})
		}
		op.Positionals = slices.Replace(slices.Clone(op.Positionals), i, i+n, fresh...)
	}
}

// withKey gives a parameter another key.
func withKey(from, to string) change {
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
func withParam(key, value string) change {
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

// without leaves out parameters.
func without(keys ...string) change {
	return func(op *abi.Op) {
		op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(kv abi.KeyValue) bool { return slices.Contains(keys, kv.Key) })
	}
}

// oneOf finds a word in a closed list, in any case.
func oneOf(word string, list []string) (string, bool) {
	for _, w := range list {
		if strings.EqualFold(w, word) {
			return w, true
		}
	}
	return "", false
}
