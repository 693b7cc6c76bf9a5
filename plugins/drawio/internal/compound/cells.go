// Package compound builds shapes from parts: classes, entities, tables and pools.
package compound

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Items splits the list of a parameter at semicolons and line ends, and with commas set also at commas outside brackets.
func Items(v string, commas bool) []string {
	var out []string
	for _, s := range strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == '\n' }) {
		parts := []string{s}
		if commas {
			parts, _ = atCommas(s)
		}
		for _, s := range parts {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// atCommas splits a text at the commas outside brackets. It reports whether all brackets are closed; an open one keeps
// the rest together.
func atCommas(s string) (parts []string, closed bool) {
	from, depth := 0, 0
	for i, r := range s + "," {
		switch r {
		case '(', '<', '[', '{':
			depth++
		case ')', '>', ']', '}':
			depth--
		case ',':
			if depth <= 0 {
				parts, from = append(parts, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	if from <= len(s) {
		return append(parts, strings.TrimSpace(s[from:])), false
	}
	return parts, true
}

// CutKeys splits the text of a row of an entity into its keys, such as PK or PK,FK, and the rest. Keys come first or last.
func CutKeys(text string) (keys, rest string) {
	words := strings.Fields(text)
	n := 0
	for n < len(words)-1 && IsKey(words[n]) {
		n++
	}
	head, words := words[:n], words[n:]
	for n = len(words); n > 1 && IsKey(words[n-1]); n-- {
	}
	if len(head)+len(words)-n == 0 {
		return "", text
	}
	all := slices.Concat(head, words[n:])
	for i := range all {
		all[i] = strings.Trim(all[i], ",")
	}
	return strings.Join(all, ","), strings.TrimRight(strings.Join(words[:n], " "), ",")
}

// IsKey reports whether a text marks keys of an entity: PK, FK1, PK,FK.
func IsKey(text string) bool {
	for k := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '/' || r == '\n' }) {
		switch strings.TrimRight(k, "0123456789") {
		case "PK", "FK", "UK", "AK":
		default:
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// CellTexts divides the text of a row among n cells: at commas outside brackets, or, without any, at blanks, if it has
// n words. key is the column of keys, -1 if there is none; the keys in the text go there. what says in an error whose
// rows they are, and row what one is like.
func CellTexts(text string, n, key int, what, row string) ([]string, error) {
	if n <= 1 {
		return []string{text}, nil
	}
	parts, _ := atCommas(text)
	if key >= 0 && (len(parts) != n || !IsKey(parts[key]) && parts[key] != "") {
		keys, rest := CutKeys(text)
		others, err := CellTexts(rest, n-1, -1, what, row)
		if err != nil {
			return nil, err
		}
		return slices.Insert(others, key, keys), nil
	}
	if words := strings.Fields(text); len(parts) == 1 && len(words) == n {
		return words, nil
	}
	switch {
	case len(parts) == 1:
		return nil, pdk.Errorf("a row of %s has %s, such as %q; separate them by commas", what, pdk.Count(n, "cell"), row)
	case len(parts) > n:
		return nil, pdk.Errorf("the row %q has %s, and a row of %s %d", text, pdk.Count(len(parts), "cell"), what, n)
	}
	for len(parts) < n {
		parts = append(parts, "")
	}
	return parts, nil
}

type (
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)
