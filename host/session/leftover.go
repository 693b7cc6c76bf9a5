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

// leftovers are the documents that earlier sessions left. Each keeps its index, and so its number, as long as the
// session lives.
type leftovers struct {
	mu   sync.Mutex
	list []*leftover
	byID map[string]*leftover
}

type leftover struct {
	*document.Leftover
	gone bool // recovered, discarded, or taken by another host
	told bool // a reply has offered it
}

// offered is a leftover with its number in the list of a tool.
type offered struct {
	n    int
	gone bool
	*leftover
}

// listOffered lists the leftovers that a domain's tools may recover, and counts those outside the roots: a journal
// holds a file's content, and may be read only if the file may. Leftovers of another owner are not counted. The owner
// of an unreadable journal is unknown, so only the user of this machine sees it.
//
// It waits until the leftovers are read, at most for the limit Wait.
func (s *Session) listOffered(ctx context.Context, dom string) (list []offered, outside int, err error) {
	all, outside, err := s.listNumbered(ctx, dom)
	return notGone(all), outside, err
}

// notGone lists those of all that are not gone.
func notGone(all []offered) []offered {
	return slices.DeleteFunc(slices.Clone(all), func(o offered) bool { return o.gone })
}

// listNumbered is listOffered, with leftovers that were offered before and are gone now.
func (s *Session) listNumbered(ctx context.Context, dom string) (all []offered, outside int, err error) {
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
	if err == nil { // else the list stays as it was
		s.left.update(left)
	}
	n := 0
	for _, l := range s.left.list {
		if l.Owner != s.Owner {
			continue
		}
		if l.Unreadable == nil && dom != "" && l.Domain != dom && s.domain(l.Domain) != nil {
			continue // listed by its own domain's tools
		}
		if l.Unreadable == nil && l.Ref != "" {
			if !s.stillGranted(l) {
				continue
			}
		} else if !s.withinRoots(l) {
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

var errUnread = errors.New("the documents of earlier sessions are still being read")

func (s *Session) withinRoots(l *leftover) bool {
	switch {
	case l.Unreadable != nil:
		return true // there is no content to protect
	case l.Path != "":
		return s.rootsOf(s.domain(l.Domain)).Contains(l.Path)
	}
	return s.rootsOf(s.domain(l.Domain)).Contains(l.Folder)
}

// update makes left the present leftovers.
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

// recoverable reports whether recover can bring o back.
func (s *Session) recoverable(o offered) bool {
	return o.Unreadable == nil && s.domain(o.Domain) != nil
}

// offerText says in one line what earlier sessions left, and how it is brought back.
func (s *Session) offerText(list []offered) string {
	var able, rest []offered
	for _, o := range list {
		if s.recoverable(o) {
			able = append(able, o)
		} else {
			rest = append(rest, o)
		}
	}
	if len(able) == 0 {
		return fmt.Sprintf("an earlier session left %s, which cannot be recovered here: recover lists all", listNames(rest))
	}
	left := listNames(able)
	if len(list) == 1 {
		return fmt.Sprintf("an earlier session left %s: recover %d brings it back", left, able[0].n)
	}
	if len(rest) > 0 {
		left += fmt.Sprintf(", and %d that cannot be recovered here", len(rest))
	}
	return fmt.Sprintf("earlier sessions left %s: recover %d brings back the first, recover lists all", left, able[0].n)
}

// listNames lists the first names of leftovers.
func listNames(list []offered) string {
	const most = 2
	var names []string
	for _, o := range list[:min(most, len(list))] {
		names = append(names, o.name())
	}
	if left := len(list) - most; left > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), left)
	}
	return strings.Join(names, " and ")
}

// offer is that line, with warnings about leftovers that expire. Without again it is only there if one was not
// offered before.
func (s *Session) offer(ctx context.Context, dom string, again bool) (lines []reply.Result) {
	add := func(format string, args ...any) {
		lines = append(lines, reply.Result{Prefix: reply.Warning, Text: fmt.Sprintf(format, args...)})
	}
	list, _, err := s.listOffered(ctx, dom)
	if err != nil {
		add("%s: status says later what can be recovered", err)
		return lines
	}
	if s.noteOffered(list) || again && len(list) > 0 {
		add("%s", s.offerText(list))
	}
	warned := 0
	for _, o := range list {
		if warned == maxWarned || !s.shelf.Expires(o.Leftover) {
			continue
		}
		warned++
		s.shelf.MarkTold(o.Leftover)
		add("%s, last changed %s, was left more than %s ago: the next start of fcp-host removes it, unless recover %d brings it back", o.name(), o.When(), s.shelf.Age(), o.n)
	}
	return lines
}

// noteOffered reports whether one of the list is new, and notes that all are offered.
func (s *Session) noteOffered(list []offered) (fresh bool) {
	s.left.mu.Lock()
	defer s.left.mu.Unlock()
	for _, o := range list {
		fresh = fresh || !o.told
		o.told = true
	}
	return fresh
}

// maxWarned is how many expiring documents one reply warns about. recover lists them all.
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
		b.WriteString(" " + reply.Place(o.Ref))
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

// ends is the note in a line that o expires.
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

// countUngranted counts the remote documents that are not offered because a want they were edited with is not granted now.
func (s *Session) countUngranted(dom string) (n int, wants []string) {
	s.left.mu.Lock()
	defer s.left.mu.Unlock()
	for _, l := range s.left.list {
		d := s.domain(l.Domain)
		if l.gone || l.Owner != s.Owner || l.Unreadable != nil || l.Ref == "" || d == nil || dom != "" && l.Domain != dom || s.stillGranted(l) {
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
