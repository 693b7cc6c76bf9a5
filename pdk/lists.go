package pdk

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// Listed accepts parameters whose items are quoted one by one, such as lanes:"Front office","Risk", as if the whole value
// were quoted. It joins the items with between, or keeps their separators if these are both commas and semicolons. The
// grammar ends such a value at the first blank after its first quote, and reads the rest as words of the op, which Listed
// removes. A verb that calls it has to accept any number of words.
func (a Args) Listed(between string, keys ...string) Args {
	if !slices.ContainsFunc(keys, a.Has) {
		return a
	}
	tokens, err := grammar.Tokenize(a.Raw)
	if err != nil {
		return a
	}
	for i, t := range tokens {
		key, _, ok := strings.Cut(a.Raw[t.Start:t.End], ":")
		if !ok || !a.Has(key) || !slices.Contains(keys, key) {
			continue
		}
		value, end := quotedItems(a.Raw, t.Start+len(key)+1, between)
		var rest []string // the later tokens that are part of the list
		for _, t := range tokens[i+1:] {
			if t.Start < end {
				rest = append(rest, t.Text)
			}
		}
		from, ok := lastRun(a.Positionals, rest)
		if end == 0 || !ok {
			continue
		}
		a = a.With(WithWords(from, len(rest)), WithParam(key, value))
	}
	return a
}

// lastRun finds the last place at which words occur one after the other among positionals.
func lastRun(list []abi.Positional, words []string) (at int, ok bool) {
	for at = len(list) - len(words); at >= 0; at-- {
		if slices.EqualFunc(list[at:at+len(words)], words, func(p abi.Positional, w string) bool { return p.Text == w }) {
			return at, true
		}
	}
	return 0, false
}

// quotedItems reads the list that starts at offset at of an op, and returns its value and its end. end is 0 if no item
// after the first is quoted: the grammar already reads such a list correctly.
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
	seps = seps[:len(items)-1] // without one after the last item
	if !slices.Contains(seps, ",") || !slices.Contains(seps, ";") {
		return strings.Join(items, between), end
	}
	value = items[0]
	for i, sep := range seps {
		value += sep + items[i+1]
	}
	return value, end
}

// listItem reads the item of a list that starts at offset at of an op, and returns its end. end is at if no item starts
// there, for example before the key of another parameter.
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
			if text, ok := grammar.Unquote(src[at : i+1]); ok {
				return text, i + 1
			}
			return "", at
		}
	}
	return "", at
}
