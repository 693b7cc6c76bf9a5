package document

import (
	"context"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

func newestFirst(events []abi.Event) []abi.Event {
	out := make([]abi.Event, len(events))
	for i := range events {
		out[len(events)-1-i] = events[i]
	}
	return out
}

// trial tries other spellings of one refused op out.
type trial struct {
	d     *Document
	ctx   context.Context
	op    *grammar.Op // nil where it is none, or could not be read
	state *abi.State  // where the instance stands
	spent func() bool // no time is left
}

// faithful is the op in another spelling that keeps all that it says, the
// domain's own (domain.Rephrased): where its second word is the verb that was meant,
// or none of the suggestions in list works without leaving out or guessing.
func (t *trial) faithful(list []reply.Suggestion) (reply.Suggestion, bool) {
	raw, d := t.op.Raw, t.d.Domain()
	if s, ok := t.search(true).first(d.Inverted(raw)); ok {
		return s, ok
	}
	for _, s := range list {
		if s.Kind == abi.TryAction && t.another(s.Text) || s.Kind == abi.TryQuery && d.Knows(t.op.Verb) || t.poorer(s.Suggestion, t.op) {
			continue
		}
		if t.spent() {
			break
		}
		if kind, _ := t.d.works(t.ctx, t.d.completed(s), t.op, t.state); kind != fails {
			return reply.Suggestion{}, false
		}
	}
	search := t.search(true)
	plain := d.Unfilled(raw)
	if s, ok := search.first(plain); ok {
		return s, ok
	}
	return search.deepen(append([]string{raw}, plain...))
}

// rephrased is the op in any other spelling that works.
func (t *trial) rephrased() (reply.Suggestion, bool) {
	return t.search(false).deepen(append([]string{t.op.Raw}, t.d.Domain().Unfilled(t.op.Raw)...))
}

func (t *trial) search(faithful bool) *search {
	return &search{trial: t, faithful: faithful, seen: map[string]bool{t.op.Raw: true}}
}

// another reports whether an action is not the one that op begins with: whether it
// can work is not known here.
func (t *trial) another(action string) bool {
	verb, _, _ := strings.Cut(action, " ")
	return !strings.HasPrefix(t.op.Verb, verb)
}

// poorer reports whether a suggestion has another verb than op, a key less or one
// that op does not name, or words of it made one: others may fit better.
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
	faithful bool // only what keeps all that was said
	seen     map[string]bool
	runs     int
	next     []string // what the domain suggests in place of what it refused
}

// deepen changes texts in more and more places.
func (s *search) deepen(texts []string) (reply.Suggestion, bool) {
	for range maxRephrasing {
		var level []string
		for _, text := range texts {
			fresh := slices.DeleteFunc(s.d.Domain().Rephrased(text, s.faithful), func(c string) bool { return s.seen[c] })
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

// first is the first of some texts that works, as an op, a query or an action.
func (s *search) first(texts []string) (reply.Suggestion, bool) {
	for _, text := range texts {
		if s.seen[text] {
			continue
		}
		s.seen[text] = true
		for _, c := range s.d.Domain().Accepted(text) {
			if s.runs++; s.runs > maxRephrased || s.spent() {
				return reply.Suggestion{}, false
			}
			if c.Kind == abi.TryAction && s.another(c.Text) {
				continue
			}
			c := s.d.completed(reply.Suggestion{Suggestion: c})
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

// follows reports whether what the domain suggests for a text is the same op mended.
func (s *search) follows(mend abi.Suggestion, text string) bool {
	verb, _, _ := strings.Cut(text, " ")
	if mend.Kind != abi.TryOp || !strings.HasPrefix(mend.Text+" ", verb+" ") {
		return false
	}
	items := grammar.ParseAll([]string{text}, s.d.Domain().Rules)
	return !s.faithful || len(items) == 1 && items[0].Err == nil && !s.poorer(mend, &items[0].Op)
}
