package guest

import (
	"slices"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// actionFault says why a text is not an action, or returns "".
func (j *judge) actionFault(text string) string {
	op, err := grammar.ParseAction(text)
	if err != nil {
		return "does not parse: " + err.Error()
	}
	if j.d.HostRuns(op.Verb) || slices.ContainsFunc(j.m.Session, func(s abi.Session) bool { return s.Name == op.Verb }) {
		return ""
	}
	return "is not an action"
}

// nonsense is a word that no domain has.
const nonsense = "zzqxv"

// mistakes spoils an op that works. Those in single have one mistake that one correction mends: each word, value, key
// and selector changed, something missing, something unknown. Those in more have invalid parameters and selectors that
// the verb takes but the op lacked.
func (j *judge) mistakes(op grammar.Op) (single, more []grammar.Op) {
	spoilt := func(how func(op *grammar.Op)) grammar.Op {
		m := op
		m.Positionals, m.Params, m.Selectors = slices.Clone(op.Positionals), slices.Clone(op.Params), slices.Clone(op.Selectors)
		how(&m)
		return m
	}
	spoil := func(how func(op *grammar.Op)) { single = append(single, spoilt(how)) }
	for _, verb := range []string{typo(op.Verb), nonsense} {
		spoil(func(m *grammar.Op) { m.Verb = verb })
	}
	for i := range op.Positionals {
		if slices.Contains(op.Arrows, i) {
			continue
		}
		for _, word := range []string{nonsense, typo(op.Positionals[i].Text), "-7"} {
			spoil(func(m *grammar.Op) { m.Positionals[i].Text = word })
		}
	}
	for n := range op.Positionals {
		spoil(func(m *grammar.Op) {
			m.Positionals = m.Positionals[:n]
			m.Arrows = slices.DeleteFunc(slices.Clone(m.Arrows), func(i int) bool { return i >= n })
		})
	}
	for i := range op.Params {
		for _, value := range []string{nonsense, "-7"} {
			spoil(func(m *grammar.Op) { m.Params[i].Value = value })
		}
		spoil(func(m *grammar.Op) { m.Params[i].Key = typo(m.Params[i].Key) })
	}
	for i := range op.Selectors {
		spoil(func(m *grammar.Op) { m.Selectors[i].Type = typo(m.Selectors[i].Type) })
		spoil(func(m *grammar.Op) { m.Selectors[i].Value = nonsense })
		spoil(func(m *grammar.Op) { m.Selectors[i].Value = typo(m.Selectors[i].Value) })
	}
	spoil(func(m *grammar.Op) { m.Positionals = append(m.Positionals, abi.Positional{Text: nonsense}) })
	spoil(func(m *grammar.Op) { m.Params = append(m.Params, abi.KeyValue{Key: nonsense, Value: "1"}) })
	spoil(func(m *grammar.Op) { m.Selectors = append(m.Selectors, abi.Select{Type: nonsense, Value: "1"}) })
	for _, v := range j.m.Verbs {
		if v.Name != op.Verb {
			continue
		}
		for _, p := range v.Params {
			if _, has := op.Param(p.Key); !has {
				more = append(more, spoilt(func(m *grammar.Op) { m.Params = append(m.Params, abi.KeyValue{Key: p.Key, Value: nonsense}) }))
			}
		}
		for _, s := range j.m.Selectors {
			if v.Select {
				more = append(more, spoilt(func(m *grammar.Op) {
					m.Selectors = []abi.Select{{Type: s.Type, Value: nonsense}}
					if len(op.Selectors) == 0 {
						m.Positionals, m.Arrows = m.Positionals[:min(len(m.Positionals), v.Min)], nil
					}
				}))
			}
		}
	}
	return single, more
}

// spoiledQuery is a query with mistakes; single means that it has one.
type spoiledQuery struct {
	form   string
	single func() bool
}

// spoilQuery returns spoiled forms of a query with words and selectors.
func (t *tryout) spoilQuery(name string, words []string) (out []spoiledQuery) {
	add := func(right string, wrong ...string) {
		single := sync.OnceValue(func() bool { return t.ready() && t.runQuery(right) == "" })
		for _, form := range wrong {
			out = append(out, spoiledQuery{form, single})
		}
	}
	add(name, name+" "+nonsense, name+" "+nonsense+":1")
	add("map", name) // something may be missing
	for _, w := range words {
		right := name + " " + grammar.Quote(w)
		add(right, name+" "+grammar.Quote(typo(w)), right+" "+nonsense, right+" "+nonsense+":1")
	}
	var selected []string
	for i := range t.j.m.Selectors[:min(len(t.j.m.Selectors), t.j.attempts(8))] {
		s := t.j.m.Selectors[i]
		selected = append(selected, name+" @"+s.Type+":"+nonsense)
	}
	add(name+" @all", selected...)
	return out
}

// typo drops a letter from a word, or adds one to a short word.
func typo(word string) string {
	r := []rune(word)
	if len(r) < 4 {
		return word + "e"
	}
	return string(r[:1]) + string(r[2:])
}
