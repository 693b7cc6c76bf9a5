package pdk

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// Listed reads parameters whose items are quoted one by one, lanes:"Front office","Risk", as if the whole value were quoted,
// with the text between as the separator, or with its own commas and semicolons where it has both. To the grammar,
// such a value ends at the first blank after its first quote, and what follows are words of the op, which Listed takes
// out. A verb that calls this takes any number of words.
func (a Args) Listed(between string, keys ...string) Args {
	if !slices.ContainsFunc(a.Params, func(kv abi.KeyValue) bool { return slices.Contains(keys, kv.Key) }) {
		return a
	}
	tokens, err := grammar.Tokenize(a.Raw)
	if err != nil {
		return a
	}
	op := *a.Op
	for i, t := range tokens {
		key, _, ok := strings.Cut(a.Raw[t.Start:t.End], ":")
		at := slices.IndexFunc(op.Params, func(kv abi.KeyValue) bool { return kv.Key == key })
		if !ok || at < 0 || !slices.Contains(keys, key) {
			continue
		}
		value, end := quotedItems(a.Raw, t.Start+len(key)+1, between)
		var rest []string // the tokens after the first that the list reaches into
		for _, t := range tokens[i+1:] {
			if t.Start < end {
				rest = append(rest, t.Text)
			}
		}
		from, ok := lastRun(op.Positionals, rest)
		if end == 0 || !ok {
			continue
		}
		WithWords(from, len(rest))(&op)
		op.Params = slices.Clone(op.Params)
		op.Params[at] = abi.KeyValue{Key: key, Value: value, Quoted: true}
	}
	return Args{&op}
}

// lastRun finds where words follow each other among positionals, last.
func lastRun(list []abi.Positional, words []string) (at int, ok bool) {
	for at = len(list) - len(words); at >= 0; at-- {
		if slices.EqualFunc(list[at:at+len(words)], words, func(p abi.Positional, w string) bool { return p.Text == w }) {
			return at, true
		}
	}
	return 0, false
}

// quotedItems reads a list that begins at a byte of an op, and finds where it ends: at 0 where no item after the first is
// quoted, for what such a list is, the grammar says.
func quotedItems(src string, at int, between string) (value string, end int) {
	blanks := func(at int) int { return len(src) - len(strings.TrimLeft(src[at:], " \t\r\n")) }
	var items, seps []string
	many := false
	for {
		item, behind := listItem(src, at)
		if behind == at {
			break
		}
		many = many || len(items) > 0 && (src[at] == '"' || src[at] == '\'')
		items, end = append(items, item), behind
		if at = blanks(end); at == len(src) || src[at] != ',' && src[at] != ';' {
			break
		}
		seps = append(seps, src[at:at+1])
		at = blanks(at + 1)
	}
	if !many {
		return "", 0
	}
	seps = seps[:len(items)-1] // without one after the last
	if !slices.Contains(seps, ",") || !slices.Contains(seps, ";") {
		return strings.Join(items, between), end
	}
	value = items[0]
	for i, sep := range seps {
		value += sep + items[i+1]
	}
	return value, end
}

// listItem reads the item of a list at a byte of an op, and finds where it ends: at that byte if no item begins there, as before the
// key of another parameter.
func listItem(src string, at int) (item string, end int) {
	if at == len(src) || src[at] != '"' && src[at] != '\'' {
		n := strings.IndexAny(src[at:]+" ", " \t\r\n\"',;:")
		if strings.HasPrefix(src[at+n:], ":") {
			return "", at
		}
		return src[at : at+n], at + n
	}
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case src[at]:
			if tokens, err := grammar.Tokenize(src[at : i+1]); err == nil && len(tokens) == 1 {
				return tokens[0].Text, i + 1
			}
			return "", at
		}
	}
	return "", at
}
