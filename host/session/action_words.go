package session

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// command is an action as it was written.
type command struct{ op *grammar.Op }

// misuse refuses an action that lacks what it needs.
func (w *command) misuse(format string, args ...any) error {
	return reply.Refuse([]reply.Suggestion{reply.Help(w.op.Verb)}, format, args...)
}

// asAction makes the text of a query the result of an action: one line with the others indented below it, then the
// digest.
func (c *call) asAction(r *reply.Reply, digest string) *reply.Reply {
	if !r.Failed {
		r.Add(reply.Changed, "%s", withoutDigest(r.Text, digest))
		r.Text, r.Tells = "", true
	}
	return r
}

// withoutDigest is the text of a query without its last line, if that is the digest.
func withoutDigest(text, digest string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\n["+digest+"]")
}

// keyword is positional i in lower case, or "" if it is quoted, since quoted text is never a keyword.
func (w *command) keyword(i int) string {
	if i < len(w.op.Positionals) && !w.op.Positionals[i].Quoted {
		return strings.ToLower(w.op.Positionals[i].Text)
	}
	return ""
}

// foldKeys changes the case of an op's keys to that of keys.
func foldKeys(op *grammar.Op, keys ...string) {
	for i := range op.Params {
		for _, k := range keys {
			if strings.EqualFold(op.Params[i].Key, k) {
				op.Params[i].Key = k
			}
		}
	}
}

// checkValues refuses one of keys without a value, which the grammar reads as a word.
func (w *command) checkValues(keys ...string) error {
	for i := range w.op.Positionals {
		if k, ok := strings.CutSuffix(w.keyword(i), ":"); ok && slices.Contains(keys, k) {
			return w.misuse("%s: needs a value right behind the colon", k)
		}
	}
	return nil
}

// checkForm refuses words, keys and selectors that the action does not take.
func (w *command) checkForm() error {
	f := domain.HostAction(w.op.Verb).Form
	return w.checkWords(f.Most, f.Keys...)
}

// checkWords refuses more than max words, other keys than these, and selectors.
func (w *command) checkWords(max int, keys ...string) error {
	if len(w.op.Positionals) > max {
		return reply.Refuse(w.without(func(op *grammar.Op) { op.Positionals = w.cutWords(max) }),
			"%s: %s is one word too many; text with spaces goes in double quotes", w.op.Verb, quoteShort(w.op.Positionals[max].Text))
	}
	for i, p := range w.op.Params {
		if slices.Contains(keys, p.Key) {
			continue
		}
		try := w.without(func(op *grammar.Op) {
			op.Params = slices.Clone(op.Params)
			if op.Verb == "save" && len(op.Params) == 1 {
				op.Params[0].Key = "as" // the only key it can mean
			} else {
				op.Params = slices.Delete(op.Params, i, i+1)
			}
		})
		if len(keys) == 0 {
			return reply.Refuse(try, "%s takes no %s:", w.op.Verb, shortKey(p.Key))
		}
		return reply.Refuse(try, "%s takes no %s:, only %s:", w.op.Verb, shortKey(p.Key), strings.Join(keys, ": "))
	}
	if len(w.op.Selectors) > 0 {
		return reply.Refuse(w.without(func(op *grammar.Op) { op.Selectors = nil }), "%s takes no selector", w.op.Verb)
	}
	return nil
}

// without suggests the action as the user wrote it, changed by cut. Actions that discard something are not suggested
// with fewer words, which may discard more.
func (w *command) without(cut func(*grammar.Op)) []reply.Suggestion {
	if domain.HostAction(w.op.Verb).Discards {
		return []reply.Suggestion{reply.Help(w.op.Verb)}
	}
	op := *w.op
	cut(&op)
	return actions(op.String())
}

// cutWords is the first words of the action. For a checkpoint, all words are joined to one name.
func (w *command) cutWords(most int) []abi.Positional {
	words := w.op.Positionals
	if w.op.Verb != "checkpoint" {
		return words[:most]
	}
	return []abi.Positional{{Text: joined(words), Quoted: true}}
}

// joined is the text of several words, which should have been one in quotes.
func joined(words []abi.Positional) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// withEach suggests the action with each of the domains that it may mean.
func (w *command) withEach(domains []*domain.Domain) (try []reply.Suggestion) {
	for _, d := range domains[:min(len(domains), abi.MaxTry)] {
		op := *w.op
		op.Params = append(slices.Clone(op.Params), abi.KeyValue{Key: "with", Value: d.Name()})
		try = append(try, reply.Action("%s", op.String()))
	}
	return try
}

// namesOf lists the names of domains.
func namesOf(domains []*domain.Domain) []string {
	names := make([]string, len(domains))
	for i, d := range domains {
		names[i] = d.Name()
	}
	return names
}

func (w *command) text(i int) string {
	if i < len(w.op.Positionals) {
		return w.op.Positionals[i].Text
	}
	return ""
}

func shortKey(key string) string {
	if len(key) > 64 {
		return key[:64] + "…"
	}
	return key
}

// quoteShort quotes text for a message, cut to 64 characters.
func quoteShort(s string) string {
	if r := []rune(s); len(r) > 64 {
		s = string(r[:63]) + "…"
	}
	return grammar.Quote(s)
}
