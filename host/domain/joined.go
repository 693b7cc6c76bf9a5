package domain

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// NameQuery is the query that answers whether a document has a name.
const NameQuery = "describe"

// Bounds of Joined.
const (
	longestName = 4  // words of one name
	maxJoined   = 16 // readings, above which the words may mean anything
)

// reading is a text in which words beside each other are one quoted name: bit i of joins is set if words i and i+1 are.
type reading struct {
	text  string
	joins uint64
}

// Joined returns the one reading of a refused op, or query (kind), that works, in which words beside each other are one
// name that should have been quoted: move Auth Service as move "Auth Service", near:Auth Service as near:"Auth Service". Only
// names that the document has count, so that no word of another meaning becomes a part of a text. It is "" if there is no such
// reading, or if several work of which none joins less than the others.
func (d *Domain) Joined(kind, text string, has func(name string) bool, works func(text string) bool) string {
	known := map[string]bool{}
	names := func(name string) bool {
		if _, asked := known[name]; !asked {
			known[name] = has(name)
		}
		return known[name]
	}
	var found []reading
	for _, r := range d.readingsOf(kind, text, names) {
		within := func(f reading) bool { return r.joins&f.joins == f.joins }
		if !slices.ContainsFunc(found, within) && works(r.text) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0].text
}

// readingsOf lists the readings whose form is valid, with the fewest joins first; none if the words may mean anything.
func (d *Domain) readingsOf(kind, text string, names func(string) bool) (out []reading) {
	p := d.phrase(text)
	if p == nil || kind == abi.TryOp && p.verb == nil {
		return nil
	}
	var walk func(said []string, i int, joins uint64)
	walk = func(said []string, i int, joins uint64) {
		if i >= len(p.words) {
			if text := strings.Join(said, " "); joins != 0 && d.takes(kind, text) {
				out = append(out, reading{text, joins})
			}
			return
		}
		walk(append(slices.Clone(said), p.words[i]), i+1, joins)
		for n := 2; n <= longestName && len(out) <= maxJoined && i+n <= len(p.words) && p.plain(i+n-1); n++ {
			joins |= 1 << (i + n - 2)
			if key, name := p.asName(i, n); name != "" && names(name) {
				walk(append(slices.Clone(said), key+grammar.Quote(name)), i+n, joins)
			}
		}
	}
	if walk(p.words[:1], 1, 0); len(out) > maxJoined {
		return nil
	}
	slices.SortStableFunc(out, func(a, b reading) int { return bits.OnesCount64(a.joins) - bits.OnesCount64(b.joins) })
	return out
}

// asName returns the n words from index i as one name, and the key or selector whose value it is, if any; "" if they
// cannot be one.
func (p *phrase) asName(i, n int) (key, name string) {
	first := p.words[i]
	if k, v, ok := p.param(i); ok {
		key, first = k+":", v
	} else if k, v, ok := strings.Cut(first, ":"); ok && first[0] == '@' {
		key, first = k+":", v
	} else if !p.plain(i) {
		return "", ""
	}
	name = strings.Join(append([]string{first}, p.words[i+1:i+n]...), " ")
	if first == "" || strings.ContainsAny(name, "\"\\") {
		return "", ""
	}
	return key, name
}
