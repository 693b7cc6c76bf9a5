package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

// leftovers are the documents that earlier sessions left. One keeps its place,
// and so its number, for as long as the session lives.
type leftovers struct {
	mu   sync.Mutex
	list []*leftover
	byID map[string]*leftover
}

type leftover struct {
	*document.Leftover
	gone bool // recovered, discarded, or another host's by now
}

// offered is a leftover with its number in what one tool shows.
type offered struct {
	n    int
	gone bool
	*leftover
}

// offered lists what the tools of a domain offer, and counts what lies outside
// the roots: what is in a journal is a file's content, and no more allowed to
// be read than the file. What belongs to another owner is not even counted.
// Whose a journal is that cannot be read is not known, so it is shown to the
// user of this machine alone.
//
// It waits until all that was left is read, but no longer than a call may take.
func (s *Session) offered(ctx context.Context, dom string) (list []offered, outside int, err error) {
	all, outside, err := s.numbered(ctx, dom)
	return there(all), outside, err
}

// there are those of all that are not gone.
func there(all []offered) []offered {
	return slices.DeleteFunc(slices.Clone(all), func(o offered) bool { return o.gone })
}

// numbered lists what offered does, and what was offered before and is gone.
func (s *Session) numbered(ctx context.Context, dom string) (all []offered, outside int, err error) {
	if s.shelf == nil {
		return nil, 0, nil
	}
	ctx, stop := context.WithTimeout(ctx, s.limits.Wait)
	defer stop()
	left, err := s.shelf.Look(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, 0, errUnread
	}
	s.left.mu.Lock()
	defer s.left.mu.Unlock()
	if err == nil { // else what is listed is what was there
		s.left.update(left)
	}
	n := 0
	for _, l := range s.left.list {
		if l.Owner != s.owner {
			continue
		}
		if l.Unreadable == nil && dom != "" && l.Domain != dom && s.domain(l.Domain) != nil {
			continue // its own tools show it
		}
		if l.Unreadable == nil && l.Ref != "" {
			if !s.reachable(l) {
				continue
			}
		} else if !s.inside(l) {
			if !l.gone {
				outside++
			}
			continue
		}
		n++
		all = append(all, offered{n, l.gone, l})
	}
	return all, outside, nil
}

var errUnread = errors.New("what earlier sessions left is still being read")

func (s *Session) inside(l *leftover) bool {
	switch {
	case l.Unreadable != nil:
		return true // it has nothing to show
	case l.Path != "":
		return s.rootsOf(s.domain(l.Domain)).Contains(l.Path)
	}
	return s.rootsOf(s.domain(l.Domain)).Contains(l.Folder)
}

// update makes left what the list offers.
func (ls *leftovers) update(left []*document.Leftover) {
	if ls.byID == nil {
		ls.byID = map[string]*leftover{}
	}
	for _, l := range ls.list {
		l.gone = true
	}
	for _, f := range left {
		l := ls.byID[f.ID]
		if l == nil {
			l = &leftover{}
			ls.byID[f.ID] = l
			ls.list = append(ls.list, l)
		}
		l.Leftover, l.gone = f, false
	}
}

// able reports whether recover can bring o back.
func (s *Session) able(o offered) bool { return o.Unreadable == nil && s.domain(o.Domain) != nil }

// offering says in one line what earlier sessions left, with the actions that
// follow it up.
func (s *Session) offering(list []offered) (text string, try []reply.Suggestion) {
	var able, rest []offered
	for _, o := range list {
		if s.able(o) {
			able = append(able, o)
		} else {
			rest = append(rest, o)
		}
	}
	if len(able) == 0 {
		return reply.Count(len(rest), "document") + " of an earlier session cannot be recovered here: " + named(rest), actions("recover")
	}
	text = reply.Count(len(able), "document") + " of an earlier session can be recovered: " + named(able)
	if len(rest) > 0 {
		text += fmt.Sprintf("; %d more cannot be recovered here", len(rest))
	}
	try = []reply.Suggestion{reply.Action("recover %d", able[0].n)}
	if len(list) > 1 {
		try = append(try, reply.Action("recover"))
	}
	return text, try
}

// named lists the names of what was left, or the first of many.
func named(list []offered) string {
	var names []string
	for i, o := range list {
		if i == 3 && len(list) > 4 {
			names = append(names, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		names = append(names, o.name())
	}
	return strings.Join(names, ", ")
}

// offer adds that line to r, and a warning of what expires.
func (s *Session) offer(ctx context.Context, dom string, r *reply.Reply) {
	list, _, err := s.offered(ctx, dom)
	if err != nil {
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning, Text: err.Error() + ": status says later what can be recovered"})
		return
	}
	if len(list) > 0 {
		text, try := s.offering(list)
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning, Text: text, Try: try})
	}
	warned := 0
	for _, o := range list {
		if warned == maxWarned || !s.shelf.Expires(o.Leftover) {
			continue
		}
		warned++
		s.shelf.Told(o.Leftover)
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning,
			Text: fmt.Sprintf("%s, last changed %s, was left for more than %s: the next start of fcp-host drops it, unless recover %d brings it back", o.name(), o.When(), s.shelf.Age(), o.n)})
	}
}

// maxWarned is how many documents that expire one reply warns about. recover
// lists them all.
const maxWarned = 3

func (l *leftover) name() string {
	if l.Unreadable != nil {
		return "one that cannot be read"
	}
	return grammar.Quote(l.Name)
}

// line describes a leftover in a list.
func (o offered) line(s *Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. ", o.n)
	if o.Unreadable != nil {
		fmt.Fprintf(&b, "a journal that cannot be read (%s), %s, %s%s\n", o.Unreadable, reply.Count(int(o.Size), "byte"), o.When(), o.ends(s))
		return b.String()
	}
	fmt.Fprintf(&b, "%s (%s", o.name(), o.Domain)
	if s.domain(o.Domain) == nil {
		b.WriteString(", which is not loaded")
	}
	b.WriteString(")")
	if o.Path != "" {
		fmt.Fprintf(&b, " %s", reply.Line(s.rootsOf(s.domain(o.Domain)).Show(o.Path)))
	}
	if o.Ref != "" {
		b.WriteString(" " + reply.Line(o.Ref))
	}
	if o.Dirty {
		b.WriteString(", unsaved changes")
	}
	if o.Damaged {
		b.WriteString(", damaged: what was done later is lost")
	}
	fmt.Fprintf(&b, ", %s, %s%s [%s]\n", o.history(), o.When(), o.ends(s), o.Digest)
	return b.String()
}

// ends says in a line that o expires.
func (o offered) ends(s *Session) string {
	if s.shelf.Expires(o.Leftover) {
		return ", dropped at the next start unless it is recovered"
	}
	return ""
}

func (l *leftover) history() string {
	text := reply.Count(l.Ops, "op") + " to undo"
	if l.Redo > 0 {
		text += fmt.Sprintf(", %d to redo", l.Redo)
	}
	switch len(l.Checkpoints) {
	case 0:
	case 1:
		text += ", checkpoint " + l.Checkpoints[0]
	default:
		text += fmt.Sprintf(", %d checkpoints", len(l.Checkpoints))
	}
	return text
}

// ungranted counts the remote documents that the tools of a domain do not offer, since a want is not granted now that was then.
func (s *Session) ungranted(dom string) (n int, wants []string) {
	s.left.mu.Lock()
	defer s.left.mu.Unlock()
	for _, l := range s.left.list {
		d := s.domain(l.Domain)
		if l.gone || l.Owner != s.owner || l.Unreadable != nil || l.Ref == "" || d == nil || dom != "" && l.Domain != dom || s.reachable(l) {
			continue
		}
		can := d.Can()
		missing := slices.DeleteFunc(slices.Clone(l.Can), func(want string) bool { return slices.Contains(can, want) })
		if len(missing) > 0 {
			n++
			wants = append(wants, missing...)
		}
	}
	slices.Sort(wants)
	wants = slices.Compact(wants)
	return n, wants
}
