package domain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/grammar"
)

// universal are words for the verbs that every domain has, the queries and
// the actions. A domain's own names and synonyms come first.
func universal() []abi.Synonym {
	return []abi.Synonym{
		{Word: "delete", Means: "remove"}, {Word: "del", Means: "remove"}, {Word: "rm", Means: "remove"}, {Word: "erase", Means: "remove"},
		{Word: "create", Means: "add"}, {Word: "insert", Means: "add"}, {Word: "make", Means: "add"},
		{Word: "set", Means: "modify"}, {Word: "update", Means: "modify"}, {Word: "change", Means: "modify"}, {Word: "edit", Means: "modify"},
		{Word: "duplicate", Means: "copy"}, {Word: "clone", Means: "copy"},
		{Word: "show", Means: "map"}, {Word: "view", Means: "map"}, {Word: "print", Means: "map"}, {Word: "ls", Means: "list"}, {Word: "search", Means: "find"},
		{Word: "info", Means: "describe"}, {Word: "inspect", Means: "describe"},
		{Word: "render", Means: "preview"}, {Word: "screenshot", Means: "preview"}, {Word: "picture", Means: "preview"},
		{Word: "revert", Means: "undo"}, {Word: "rollback", Means: "undo"}, {Word: "write", Means: "save"}, {Word: "store", Means: "save"},
		{Word: "load", Means: "open"},
	}
}

// Meanings lists what word may stand for, the likeliest first: texts that take its place.
func (d *Domain) Meanings(word string) []string {
	out := []string{word}
	for _, list := range [][]abi.Synonym{d.Manifest.Synonyms, universal()} {
		for _, s := range list {
			if s.Word == word {
				out = append(out, s.Means)
			}
		}
	}
	return out
}

// unknownVerb refuses an op whose first word is no verb. It may be another word
// for one, a query, a session action, or a misspelt verb.
func (d *Domain) unknownVerb(op *grammar.Op) *abi.Error {
	e := &abi.Error{Message: "unknown verb " + quote(op.Verb), Try: d.Meant(op)}
	if len(e.Try) > 0 {
		return e
	}
	near := grammar.Nearest(op.Verb, d.verbNames)
	for _, n := range near {
		e.Try = append(e.Try, d.asOp(n+behindVerb(op))...)
	}
	switch {
	case len(near) > 0 && len(e.Try) == 0:
		e.Message += "; nearest: " + d.verbs[near[0]].Syntax
	case len(near) == 0:
		e.Message += "; the verbs are " + strings.Join(d.visibleVerbs(), " ")
	}
	return e
}

// Meant lists what op, whose first word is unknown where it was sent, may have been
// meant as: the same words as an op, query or session action, with the first one
// replaced by what it stands for.
func (d *Domain) Meant(op *grammar.Op) (out []abi.Suggestion) {
	for _, means := range d.Meanings(op.Verb) {
		if s := d.accepted(means + behindVerb(op)); len(out) < abi.MaxTry {
			out = append(out, s...)
		}
	}
	return out
}

// behindVerb is the op's text without its first word.
func behindVerb(op *grammar.Op) string {
	head, _, _ := strings.Cut(op.Raw, "\n")
	if i := strings.IndexAny(head, " \t\r"); i >= 0 {
		return head[i:]
	}
	return ""
}

// accepted is text as a suggestion of the first kind that takes it, or nothing.
func (d *Domain) accepted(text string) []abi.Suggestion {
	for _, kind := range []string{abi.TryOp, abi.TryQuery, abi.TryAction} {
		if d.takes(kind, text) {
			return []abi.Suggestion{{Kind: kind, Text: text}}
		}
	}
	return nil
}

func (d *Domain) asOp(text string) []abi.Suggestion {
	if d.takes(abi.TryOp, text) {
		return []abi.Suggestion{{Kind: abi.TryOp, Text: text}}
	}
	return nil
}

// takes reports whether text is an op, query or action that this domain, or the
// host for it, knows by name and by form.
func (d *Domain) takes(kind, text string) bool {
	switch kind {
	case abi.TryOp:
		items := grammar.ParseAll([]string{text}, d.Rules)
		if len(items) != 1 || items[0].Err != nil {
			return false
		}
		e, _ := d.fault(&items[0].Op)
		return e == nil
	case abi.TryQuery:
		op, err := grammar.ParseQuery(text)
		if err != nil {
			return false
		}
		return d.Answers(op.Verb) && d.checkSelectors(op.Selectors) == nil
	case abi.TryAction:
		op, err := grammar.ParseCommand(text)
		return err == nil && (slices.Contains(ReservedActions(), op.Verb) ||
			slices.ContainsFunc(d.Manifest.Session, func(s abi.Session) bool { return s.Name == op.Verb }))
	}
	return false
}

// cleanTries drops what a plugin suggests that is no op, query or action of its
// own domain. A text without a kind is of the kind asked, or else of the first
// that takes it.
func (d *Domain) cleanTries(list []abi.Suggestion, asked string) []abi.Suggestion {
	var out []abi.Suggestion
	for _, s := range list {
		if s.Text = text(s.Text, maxTryBytes); len(out) == abi.MaxTry {
			break
		}
		switch {
		case s.Kind == "" && d.takes(asked, s.Text):
			out = append(out, abi.Suggestion{Kind: asked, Text: s.Text})
		case s.Kind == "":
			out = append(out, d.accepted(s.Text)...)
		case d.takes(s.Kind, s.Text):
			out = append(out, s)
		}
	}
	return out
}

// maxTryBytes bounds a suggestion: more than that is no help to anybody.
const maxTryBytes = 4 << 10

// maxMends is how many mistakes of one op are mended for a suggestion.
const maxMends = 4

// mended are the ops that the manifest accepts among mends and their own mends.
func (d *Domain) mended(mends []grammar.Op) []abi.Suggestion {
	var out []abi.Suggestion
	for _, op := range mends {
		for range maxMends {
			e, more := d.fault(&op)
			if e == nil {
				if s := (abi.Suggestion{Kind: abi.TryOp, Text: grammar.Format(op, d.Rules)}); !slices.Contains(out, s) && len(out) < abi.MaxTry {
					out = append(out, s)
				}
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

// fault holds an op against the manifest, and gives the ops that it may have
// been meant to be: the user's own, with what is wrong replaced or left out.
func (d *Domain) fault(op *grammar.Op) (*abi.Error, []grammar.Op) {
	v := d.verbs[op.Verb]
	if v == nil {
		return &abi.Error{Message: "unknown verb " + quote(op.Verb)}, nil
	}
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
		for _, k := range append(abbreviated(key, keys), grammar.Nearest(key, keys)...) {
			if _, given := op.Param(k); !given && !slices.Contains(near, k) {
				near = append(near, k)
				mends = append(mends, withParam(op, i, k))
			}
		}
		key = line(key, 64)
		switch {
		case len(near) > 0:
			return fail(mends, "%s has no parameter %s:; nearest: %s:", v.Name, key, strings.Join(near, ":, "))
		case len(keys) == 0:
			return fail([]grammar.Op{withParam(op, i, "")}, "%s takes no parameter, so not %s:", v.Name, key)
		}
		return fail([]grammar.Op{withParam(op, i, "")}, "%s has no parameter %s:; it takes %s:", v.Name, key, strings.Join(keys, ": "))
	}
	if n := len(op.Positionals); n < v.Min && len(op.Selectors) == 0 {
		return fail(nil, "%s needs %s, got %d: %s", v.Name, words(v.Min), n, v.Syntax)
	} else if v.Max >= 0 && n > v.Max {
		most := "no word"
		if v.Max > 0 {
			most = "at most " + words(v.Max)
		}
		return fail(joined(op, v.Max), "%s takes %s, so not %s", v.Name, most, quote(op.Positionals[v.Max].Text))
	}
	if len(op.Selectors) > 0 && !v.Select {
		var mends []grammar.Op
		if len(op.Positionals) > 0 || op.Block != nil { // alone the verb would act on everything
			bare := *op
			bare.Selectors = nil
			mends = append(mends, bare)
		}
		return fail(mends, "%s takes no selector, so not %s", v.Name, line(op.Selectors[0].Raw, 64))
	}
	for i := range op.Selectors {
		if e, near := d.checkSelector(&op.Selectors[i]); e != nil {
			return e, withSelector(op, i, near)
		}
	}
	return nil, nil
}

// abbreviated is the longest of keys that key begins with, as duration does with
// dur, or nothing.
func abbreviated(key string, keys []string) []string {
	var longest []string
	for _, k := range keys {
		if len(k) > 1 && strings.HasPrefix(strings.ToLower(key), k) && (longest == nil || len(k) > len(longest[0])) {
			longest = []string{k}
		}
	}
	return longest
}

// unknownParam is the index of the first parameter that the verb does not take, or -1.
func (d *Domain) unknownParam(v *abi.Verb, op *grammar.Op) int {
	if v.AnyParam {
		return -1
	}
	return slices.IndexFunc(op.Params, func(p grammar.Param) bool {
		return !slices.ContainsFunc(v.Params, func(k abi.Param) bool { return k.Key == p.Key })
	})
}

// withParam is op with parameter i under another key, or without it.
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

// withSelector is op with each of the types for selector i.
func withSelector(op *grammar.Op, i int, types []string) (out []grammar.Op) {
	for _, t := range types {
		next := *op
		next.Selectors = slices.Clone(op.Selectors)
		next.Selectors[i].Type = t
		out = append(out, next)
	}
	return out
}

// joined is op with its words from the last allowed one on as one quoted text:
// a text of several words is easily sent without its quotes.
func joined(op *grammar.Op, most int) []grammar.Op {
	if most < 1 || len(op.Arrows) > 0 {
		return nil
	}
	out := *op
	var tail []string
	for _, p := range op.Positionals[most-1:] {
		tail = append(tail, p.Text)
	}
	out.Positionals = append(slices.Clone(op.Positionals[:most-1]), grammar.Positional{Text: strings.Join(tail, " "), Quoted: true})
	return []grammar.Op{out}
}
