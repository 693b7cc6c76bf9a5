package grammar

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// String prints the op as one line (a block op as its lines) that any domain reads as the same op: verb, positionals,
// selectors, parameters. It quotes whatever would be read as something else, so a word that only a domain's pattern makes
// positional comes back as a quoted one; [Format] keeps it bare.
func (o Op) String() string { return Format(o, Rules{}) }

// Format prints the op like [Op.String] for readers with the rules r. For an op that Parse returned, Parse(Format(op, r), r)
// is equal except for Warnings and the Raw of the op and its selectors. An op made by hand may hold what has no spelling
// (a verb with a blank, a key with a colon); that is printed as it is.
func Format(o Op, r Rules) string {
	var b strings.Builder
	b.WriteString(o.Verb)
	for i, p := range o.Positionals {
		b.WriteByte(' ')
		b.WriteString(formatPositional(p, slices.Contains(o.Arrows, i), r))
	}
	for _, s := range o.Selectors {
		b.WriteByte(' ')
		b.WriteString(formatSelector(s))
	}
	for _, p := range o.Params {
		b.WriteByte(' ')
		b.WriteString(formatParam(p, r))
	}
	if o.Block == nil {
		return b.String()
	}
	end := o.End
	if end == "" {
		end = r.Blocks[o.Verb]
	}
	return join(b.String(), o.Block, end)
}

func formatPositional(p abi.Positional, arrow bool, r Rules) string {
	if p.Quoted || isArrow(p.Text) && !arrow {
		return Quote(p.Text)
	}
	if readsAs(p.Text, p.Text, positional, r) {
		return p.Text
	}
	// A pattern may have claimed a token whose value was quoted: db:"User DB".
	if key, value, found := strings.Cut(p.Text, ":"); found {
		if s := key + ":" + Quote(value); readsAs(s, p.Text, positional, r) {
			return s
		}
	}
	return Quote(p.Text)
}

func formatSelector(s abi.Select) string {
	head := "@"
	if s.Negated {
		head = "@not:"
	}
	head += s.Type
	if s.Value == "" {
		return head
	}
	bare := head + ":" + s.Value
	if readsAs(bare, bare, selector, Rules{}) {
		return bare
	}
	return head + ":" + Quote(s.Value)
}

func formatParam(p abi.KeyValue, r Rules) string {
	bare := p.Key + ":" + p.Value
	if !p.Quoted && readsAs(bare, bare, param, r) {
		return bare
	}
	return p.Key + ":" + Quote(p.Value)
}

// readsAs reports whether s hides nothing and is one token that is not quoted from its start, has this text and is of class
// c; a selector or parameter must be wholly unquoted, since its quotes are part of what is compared.
func readsAs(s, text string, c class, r Rules) bool {
	tok, ok := oneToken(s)
	if !ok || printable.Hidden(s) > 0 || tok.quotedFirst() {
		return false
	}
	return tok.Text == text && (c == positional || !tok.Quoted) && classify(tok, r) == c
}
