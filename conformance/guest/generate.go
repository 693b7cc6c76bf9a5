package guest

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// generator makes ops from a registry: the examples, and examples with other words, values and selectors.
type generator struct {
	j     *judge
	pool  []grammar.Op
	words []string // from the examples, and ids from results
	given int      // how many words are from the examples
}

// oddValues lists values that a domain must refuse or handle.
func oddValues() []string {
	return []string{"", "0", "-1", "1", "2", "999999999", "1e999", "NaN", "-0", "0.5", "x", "a b", "ünïcödé 日本", "it's", `a"b\c`,
		"@all", "->", "key:value", "#ff0000", "../../etc/passwd", "true", "a\nb", "\u202e", "🎵", "<b>&amp;</b>", "]]>"}
}

func (j *judge) generator(pool []abi.Op) *generator {
	g := &generator{j: j}
	for _, op := range pool {
		parsed, err := grammar.Parse(blockText(op, j.d.Rules), j.d.Rules)
		if err != nil {
			continue
		}
		g.pool = append(g.pool, parsed)
		for _, p := range parsed.Positionals {
			g.words = append(g.words, p.Text)
		}
		for _, p := range parsed.Params {
			g.words = append(g.words, p.Value)
		}
	}
	g.words = append(g.words, oddValues()...)
	g.given = len(g.words)
	return g
}

// blockText returns the op as written, with its block.
func blockText(op abi.Op, rules grammar.Rules) string {
	if op.Block == nil {
		return op.Raw
	}
	text := op.Raw
	if _, err := grammar.Parse(text, rules); err == nil {
		return text
	}
	for _, l := range op.Block {
		text += "\n" + l
	}
	return text + "\n" + rules.Blocks[op.Verb]
}

// learn adds ids, which are often names, so that ops refer to existing elements.
func (g *generator) learn(ids []string) {
	for _, id := range ids {
		if len(g.words) < g.given+64 {
			g.words = append(g.words, id)
		} else {
			g.words[g.given+g.j.rand.IntN(64)] = id
		}
	}
}

func (g *generator) word() string { return g.words[g.j.rand.IntN(len(g.words))] }

// next returns an op that the host accepts, or false if this attempt failed.
func (g *generator) next() (abi.Op, bool) {
	if len(g.pool) == 0 {
		return abi.Op{}, false
	}
	r := g.j.rand
	op := g.pool[r.IntN(len(g.pool))]
	op.Positionals = slices.Clone(op.Positionals)
	op.Params = slices.Clone(op.Params)
	op.Selectors = slices.Clone(op.Selectors)
	if r.IntN(5) >= 2 {
		for range 1 + r.IntN(2) {
			g.mutate(&op)
		}
	}
	out, err := g.j.parse(grammar.Format(op, g.j.d.Rules))
	return out, err == nil
}

func (g *generator) mutate(op *grammar.Op) {
	r := g.j.rand
	var v *abi.Verb
	for i := range g.j.m.Verbs {
		if g.j.m.Verbs[i].Name == op.Verb {
			v = &g.j.m.Verbs[i]
		}
	}
	switch r.IntN(7) {
	case 0, 1:
		if n := len(op.Positionals); n > 0 {
			k := r.IntN(n)
			if !slices.Contains(op.Arrows, k) {
				op.Positionals[k].Text = g.word()
			}
		}
	case 2:
		if len(op.Arrows) == 0 {
			op.Positionals = append(op.Positionals, abi.Positional{Text: g.word()})
		}
	case 3:
		if n := len(op.Positionals); n > 0 && len(op.Arrows) == 0 {
			op.Positionals = op.Positionals[:n-1]
		}
	case 4:
		if n := len(op.Params); n > 0 {
			op.Params[r.IntN(n)].Value = g.word()
		}
	case 5:
		if v != nil && len(v.Params) > 0 {
			key := v.Params[r.IntN(len(v.Params))].Key
			if !slices.ContainsFunc(op.Params, func(p abi.KeyValue) bool { return p.Key == key }) {
				op.Params = append(op.Params, abi.KeyValue{Key: key, Value: g.word()})
			}
		}
	case 6:
		if v != nil && v.Select {
			op.Selectors = append(op.Selectors, g.selector())
			if r.IntN(2) == 0 && len(op.Arrows) == 0 {
				op.Positionals = op.Positionals[:min(len(op.Positionals), v.Min)]
			}
		}
	}
}

func (g *generator) selector() abi.Select {
	r := g.j.rand
	all := []abi.Select{{Type: "all"}, {Type: "recent"}, {Type: "recent", Value: "2"}, {Type: "recent", Value: "x"}, {Type: "recent", Negated: true}}
	for _, s := range g.j.m.Selectors {
		all = append(all, abi.Select{Type: s.Type, Value: g.word(), Negated: r.IntN(4) == 0})
	}
	return all[r.IntN(len(all))]
}
