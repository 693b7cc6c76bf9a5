package document

import (
	"context"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// trial looks for other spellings of one refused op.
type trial struct {
	d     *Document
	ctx   context.Context
	op    *grammar.Op // nil if it is not an op, or could not be parsed
	state *abi.State  // the instance's state
	spent func() bool // whether the number of trials is used up
}

// rephraseFaithfully finds another spelling of the op that keeps everything it says, from the domain's own rephrasings
// (Domain.Rephrase). It is tried if the op's second word is the verb that was meant, or if no suggestion in list works
// without leaving out or guessing something.
func (t *trial) rephraseFaithfully(list []reply.Suggestion) (reply.Suggestion, bool) {
	raw, d := t.op.Raw, t.d.Domain()
	if s, ok := t.search(true).first(d.SwapVerb(raw)); ok {
		return s, ok
	}
	for _, s := range list {
		if s.Kind == abi.TryAction && t.otherAction(s.Text) || s.Kind == abi.TryQuery && d.Knows(t.op.Verb) || t.poorer(s.Suggestion, t.op) {
			continue
		}
		if t.spent() {
			break
		}
		if kind, _ := t.d.works(t.ctx, t.d.withPath(s), t.op, t.state); kind != fails {
			return reply.Suggestion{}, false
		}
	}
	search := t.search(true)
	plain := d.DropFillers(raw)
	if s, ok := search.first(plain); ok {
		return s, ok
	}
	return search.deepen(append([]string{raw}, plain...))
}

// rephrase finds any other spelling of the op that works.
func (t *trial) rephrase() (reply.Suggestion, bool) {
	return t.search(false).deepen(append([]string{t.op.Raw}, t.d.Domain().DropFillers(t.op.Raw)...))
}

func (t *trial) search(faithful bool) *search {
	return &search{trial: t, faithful: faithful, seen: map[string]bool{t.op.Raw: true}}
}

// otherAction reports whether an action is another one than op begins with. Whether it would work cannot be known here.
func (t *trial) otherAction(action string) bool {
	verb, _, _ := strings.Cut(action, " ")
	return !strings.HasPrefix(t.op.Verb, verb)
}

// poorer reports whether a suggestion says less than op: it has another verb, fewer keys, a key that op does not name,
// or joins words of op into one. Other spellings may fit better.
func (t *trial) poorer(s abi.Suggestion, op *grammar.Op) bool {
	if s.Kind != abi.TryOp {
		return false
	}
	items := grammar.ParseAll([]string{s.Text}, t.d.Domain().Rules)
	if len(items) != 1 || items[0].Err != nil {
		return true
	}
	mend := &items[0].Op
	return mend.Verb != op.Verb && t.d.Domain().Knows(op.Verb) || len(mend.Params) < len(op.Params) ||
		len(mend.Positionals) < len(op.Positionals) && len(mend.Params) == len(op.Params) ||
		slices.ContainsFunc(mend.Params, func(p grammar.Param) bool { return !strings.Contains(op.Raw, p.Key) }) ||
		len(mend.Params) > len(op.Params)+1
}

// search looks for an op that works.
type search struct {
	*trial
	faithful bool // only spellings that keep everything
	seen     map[string]bool
	runs     int
	next     []string // the domain's suggestions for refused spellings
}

// deepen changes texts in one place, then in two, and so on.
func (s *search) deepen(texts []string) (reply.Suggestion, bool) {
	for range maxRephrasing {
		var level []string
		for _, text := range texts {
			fresh := slices.DeleteFunc(s.d.Domain().Rephrase(text, s.faithful), func(c string) bool { return s.seen[c] })
			if found, ok := s.first(fresh); ok {
				return found, true
			}
			level = append(level, fresh...)
		}
		mended := s.next
		s.next = nil
		if found, ok := s.first(mended); ok {
			return found, true
		}
		texts = append(level, mended...)
	}
	return reply.Suggestion{}, false
}

// first is the first of texts that works, as an op, a query or an action.
func (s *search) first(texts []string) (reply.Suggestion, bool) {
	for _, text := range texts {
		if s.seen[text] {
			continue
		}
		s.seen[text] = true
		for _, c := range s.d.Domain().AsSuggestion(text) {
			if s.runs++; s.runs > maxRephrased || s.spent() {
				return reply.Suggestion{}, false
			}
			if c.Kind == abi.TryAction && s.otherAction(c.Text) {
				continue
			}
			c := s.d.withPath(reply.Suggestion{Suggestion: c})
			kind, instead := s.d.works(s.ctx, c, s.op, s.state)
			if kind != fails && s.d.Domain().Intends(s.op.Raw, c.Text, kind == abi.Deleted) {
				return c, true
			}
			for _, i := range instead {
				if s.follows(i, text) {
					s.next = append(s.next, i.Text)
				}
			}
		}
	}
	return reply.Suggestion{}, false
}

// follows reports whether a suggestion of the domain for text is the same op, corrected.
func (s *search) follows(mend abi.Suggestion, text string) bool {
	verb, _, _ := strings.Cut(text, " ")
	if mend.Kind != abi.TryOp || !strings.HasPrefix(mend.Text+" ", verb+" ") {
		return false
	}
	items := grammar.ParseAll([]string{text}, s.d.Domain().Rules)
	return !s.faithful || len(items) == 1 && items[0].Err == nil && !s.poorer(mend, &items[0].Op)
}
