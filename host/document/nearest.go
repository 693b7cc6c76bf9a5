package document

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// candidate is a suggestion that may be made for a refused op.
type candidate struct {
	reply.Suggestion
	cost  int  // how far it is from what was said
	loose bool // it leaves out words, or reads bare words as something
}

// candidates lists the forms of a failed op, and the suggestions of its refusal, nearest first.
func (t *trial) candidates(meant *grammar.Op, list []reply.Suggestion) []candidate {
	var out, loose []candidate
	if meant != nil && meant.Block == nil {
		forms, sure := t.Domain().Forms(meant.Raw)
		for i, f := range forms {
			c := candidate{Suggestion: asTry(f)[0]}
			if i < sure {
				out = append(out, c)
			} else {
				loose = append(loose, candidate{c.Suggestion, max(1, t.cost(meant, c.Suggestion)), true})
			}
		}
	}
	for _, s := range list {
		out = append(out, candidate{Suggestion: t.withPath(s), cost: t.cost(meant, s)})
	}
	out = append(out, loose...)
	slices.SortStableFunc(out, func(a, b candidate) int { return a.cost - b.cost })
	return out
}

// maxCost is the cost above which a suggestion only leaves out what was meant.
const maxCost = 3

// cost says how much of an op a suggestion does not say: two for each word or value that it lacks, up to maxCost if it has others in
// their place, and maxCost if it joins words into one text, more if the verb has a key of such a word.
func (t *trial) cost(op *grammar.Op, s reply.Suggestion) (cost int) {
	if op == nil || s.Kind != abi.TryOp {
		return 0
	}
	for _, p := range op.Positionals {
		if !strings.Contains(s.Text, p.Text) && !domain.Connects(p.Text) {
			cost += 2
		}
	}
	for _, p := range op.Params {
		if !strings.Contains(s.Text, p.Value) {
			cost += 2
		}
	}
	items := grammar.ParseAll([]string{s.Text}, t.Domain().Rules)
	if len(items) != 1 || items[0].Err != nil {
		return cost
	}
	if at := joined(op, &items[0].Op); at >= 0 {
		cost = maxCost
		if op.Verb != items[0].Op.Verb || slices.ContainsFunc(op.Positionals[at:], func(p abi.Positional) bool { return t.Domain().HasKey(items[0].Op.Verb, p.Text) }) {
			return maxCost + 1
		}
	}
	if saysMore(op, s) {
		cost = min(cost, maxCost)
	}
	return cost
}

// joined returns the index of the first positional of op that mend joins with others, or with a part of the verb, into one text, or -1.
func joined(op, mend *grammar.Op) int {
	index := func(text string) int {
		return slices.IndexFunc(op.Positionals, func(p abi.Positional) bool { return p.Text == text })
	}
	for _, m := range mend.Positionals {
		words := strings.Fields(m.Text)
		strange := func(w string) bool { return index(w) < 0 && !strings.Contains(op.Verb, strings.ToLower(w)) }
		if len(words) > 1 && index(m.Text) < 0 && !slices.ContainsFunc(words, strange) {
			return max(0, index(words[0]))
		}
	}
	return -1
}

// saysMore reports whether a suggestion has a word that op, which may be nil, has not.
func saysMore(op *grammar.Op, s reply.Suggestion) bool {
	return op == nil || slices.ContainsFunc(strings.Fields(s.Text), func(w string) bool { return !strings.Contains(op.Raw, strings.Trim(w, `"`)) })
}
