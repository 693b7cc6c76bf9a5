package domain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// maxCorrections is how many mistakes in one op are corrected for a suggestion.
const maxCorrections = 4

// suggestCorrections returns the ops among mends, and among their corrections, that the manifest accepts.
func (d *Domain) suggestCorrections(mends []grammar.Op) []abi.Suggestion {
	var out []abi.Suggestion
	for _, op := range d.correct(mends, d.validate) {
		if s := (abi.Suggestion{Kind: abi.TryOp, Text: grammar.Format(op, d.Rules)}); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// correct returns those of mends, and of their corrections, that validate accepts.
func (d *Domain) correct(mends []grammar.Op, validate func(*grammar.Op) (*abi.Error, []grammar.Op)) (out []grammar.Op) {
	for _, op := range mends {
		for range maxCorrections {
			e, more := validate(&op)
			if e == nil {
				out = append(out, op)
				break
			}
			if len(more) == 0 {
				break
			}
			op = more[0]
		}
	}
	return out
}

// validate validates an op against the manifest. It returns the error, and corrections of the op in which the mistake is
// replaced or left out.
func (d *Domain) validate(op *grammar.Op) (*abi.Error, []grammar.Op) {
	v := d.verbs[op.Verb]
	if v == nil {
		return &abi.Error{Message: "unknown verb " + quote(op.Verb)}, nil
	}
	return d.validateAs(v, op)
}

// validateAs is validate for a given verb.
func (d *Domain) validateAs(v *abi.Verb, op *grammar.Op) (*abi.Error, []grammar.Op) {
	fail := func(mends []grammar.Op, format string, args ...any) (*abi.Error, []grammar.Op) {
		return &abi.Error{Message: fmt.Sprintf(format, args...)}, mends
	}
	if i := d.unknownParam(v, op); i >= 0 {
		keys := make([]string, len(v.Params))
		for k, p := range v.Params {
			keys[k] = p.Key
		}
		key, near := op.Params[i].Key, []string(nil)
		var mends []grammar.Op
		for _, k := range slices.Concat([]string{d.meantKey(v, key)}, keyWithPrefix(key, keys), grammar.Nearest(key, keys)) {
			if k == "" {
				continue
			}
			if _, given := op.Param(k); !given && !slices.Contains(near, k) {
				near = append(near, k)
				mends = append(mends, withParam(op, i, k))
			}
		}
		key = line(key, 64)
		if len(near) > 0 {
			return fail(mends, "%s has no parameter %s:; nearest: %s:", v.Name, key, strings.Join(near, ":, "))
		}
		bare := withParam(op, i, "")
		if len(op.Positionals) < v.Min && d.namesWord(v, key) {
			bare.Positionals = append(slices.Clone(op.Positionals), abi.Positional{Text: op.Params[i].Value})
		}
		if len(keys) == 0 {
			return fail([]grammar.Op{bare}, "%s takes no parameter, so not %s:", v.Name, key)
		}
		return fail([]grammar.Op{bare}, "%s has no parameter %s:; it takes %s:", v.Name, key, strings.Join(keys, ": "))
	}
	if k := emptyKey(v, op); k != nil {
		return fail(nil, "%s: has no value behind it: %s:%s", k.Key, k.Key, k.Value)
	}
	if n := len(op.Positionals); n < v.Min && len(op.Selectors) == 0 {
		return fail(nil, "%s needs %s, got %d: %s", v.Name, words(v.Min), n, v.Syntax)
	} else if v.Max >= 0 && n > v.Max {
		if k, whole := quoteList(op, v.Max); k >= 0 {
			return fail([]grammar.Op{whole}, "%s: takes a list that is quoted as a whole", op.Params[k].Key)
		}
		most := "no word"
		if v.Max > 0 {
			most = "at most " + words(v.Max)
		}
		return fail(joinPositionals(op, v.Max), "%s takes %s, so not %s", v.Name, most, quote(op.Positionals[v.Max].Text))
	}
	if len(op.Selectors) > 0 && !v.Select {
		var mends []grammar.Op
		if len(op.Positionals) > 0 || op.Block != nil { // without them the verb would act on everything
			bare := *op
			bare.Selectors = nil
			mends = append(mends, bare)
		}
		return fail(mends, "%s takes no selector, so not %s", v.Name, line(op.Selectors[0].Raw, 64))
	}
	for i := range op.Selectors {
		if e, near := d.checkSelector(&op.Selectors[i]); e != nil {
			return e, d.withSelector(op, i, near)
		}
	}
	return nil, nil
}

// namesWord reports whether key is what the verb or its description calls one of its positionals: then its value may be
// a missing positional.
func (d *Domain) namesWord(v *abi.Verb, key string) bool {
	key = strings.ToLower(key)
	words := strings.FieldsFunc(strings.ToLower(v.Syntax+" "+v.Brief+" "+v.Summary), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	return slices.Contains(words, key) || slices.Contains(d.Meanings(key), v.Name)
}

// emptyKey returns the parameter of which only the key is given, or nil.
func emptyKey(v *abi.Verb, op *grammar.Op) *abi.Param {
	for _, p := range op.Positionals {
		key, ok := strings.CutSuffix(p.Text, ":")
		if !ok || p.Quoted {
			continue
		}
		if i := slices.IndexFunc(v.Params, func(k abi.Param) bool { return strings.EqualFold(k.Key, key) }); i >= 0 {
			return &v.Params[i]
		}
	}
	return nil
}

// keyWithPrefix returns the longest of keys that is a prefix of key, as dur is of duration, or nothing.
func keyWithPrefix(key string, keys []string) []string {
	var longest []string
	for _, k := range keys {
		if len(k) > 1 && strings.HasPrefix(strings.ToLower(key), k) && (longest == nil || len(k) > len(longest[0])) {
			longest = []string{k}
		}
	}
	return longest
}

// unknownParam returns the index of the first parameter that the verb does not take, or -1.
func (d *Domain) unknownParam(v *abi.Verb, op *grammar.Op) int {
	if v.AnyParam {
		return -1
	}
	return slices.IndexFunc(op.Params, func(p abi.KeyValue) bool {
		return !slices.ContainsFunc(v.Params, func(k abi.Param) bool { return k.Key == p.Key })
	})
}

// withParam returns op with parameter i renamed to key; for "", without it.
func withParam(op *grammar.Op, i int, key string) grammar.Op {
	out := *op
	out.Params = slices.Clone(op.Params)
	if key == "" {
		out.Params = slices.Delete(out.Params, i, i+1)
	} else {
		out.Params[i].Key = key
	}
	return out
}

// withSelector returns a copy of op for each type, with the type in selector i. An unknown word without a value may be a value of
// @type, as in @not:rect.
func (d *Domain) withSelector(op *grammar.Op, i int, types []string) (out []grammar.Op) {
	if s := op.Selectors[i]; s.Value == "" && d.selectors["type"] {
		next := *op
		next.Selectors = slices.Clone(op.Selectors)
		next.Selectors[i].Type, next.Selectors[i].Value = "type", s.Type
		out = append(out, next)
	}
	for _, t := range types {
		next := *op
		next.Selectors = slices.Clone(op.Selectors)
		next.Selectors[i].Type = t
		out = append(out, next)
	}
	return out
}

// quoteList finds a parameter with a list whose items are quoted one by one, as in as:"A B","C D", so that the words
// after the first space exceed what the verb takes. It returns the parameter's index, or -1, and op with the whole list
// quoted.
func quoteList(op *grammar.Op, most int) (int, grammar.Op) {
	k := slices.IndexFunc(op.Params, func(p abi.KeyValue) bool {
		return strings.Count(p.Value, `"`)%2 == 1 && strings.Contains(p.Value, `,"`)
	})
	if k < 0 || !strings.HasSuffix(op.Positionals[len(op.Positionals)-1].Text, `"`) {
		return -1, grammar.Op{}
	}
	out := *op
	out.Params, out.Positionals = slices.Clone(op.Params), op.Positionals[:most]
	p := &out.Params[k]
	for _, word := range op.Positionals[most:] {
		p.Value += " " + word.Text
	}
	p.Value, p.Quoted = strings.ReplaceAll(p.Value, `"`, ""), true
	return k, out
}

// joinPositionals returns op with its positionals from the last allowed one on joined into one quoted text: models often
// send a text of several words without quotes.
func joinPositionals(op *grammar.Op, most int) []grammar.Op {
	if most < 1 || len(op.Arrows) > 0 {
		return nil
	}
	out := *op
	var tail []string
	for _, p := range op.Positionals[most-1:] {
		tail = append(tail, p.Text)
	}
	out.Positionals = append(slices.Clone(op.Positionals[:most-1]), abi.Positional{Text: strings.Join(tail, " "), Quoted: true})
	return []grammar.Op{out}
}
