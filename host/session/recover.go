package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
)

// Keep makes the documents opened from here on durable in the shelf's folder,
// and offers what earlier sessions left there. Where there should be a journal
// and cannot be one, shelf is nil and unkept says why; new and open then warn
// about it.
func (s *Session) Keep(shelf *document.Shelf, unkept error) { s.shelf, s.unkept = shelf, unkept }

// keep makes a document that was just made durable, and adds to its warnings
// when that fails.
//
// The error says why there is no room for the document, which is closed then.
func (s *Session) keep(ctx context.Context, doc *document.Document, warnings []string) ([]string, error) {
	s.serve(doc)
	if err := s.bound(doc); err != nil {
		return nil, err
	}
	timing.Lap(ctx, timing.Other)
	defer timing.Lap(ctx, timing.Journal)
	switch {
	case s.shelf != nil:
		if err := doc.Keep(s.shelf.Store(), s.owner, s.keyOf(doc.Name)); err != nil {
			return append(warnings, fmt.Sprintf("journal: cannot be written (%s); until it can, changes are refused", err)), nil
		}
	case s.unkept != nil:
		return append(warnings, fmt.Sprintf("journal: there is none (%s); what is not saved is lost if fcp-host dies", s.unkept)), nil
	}
	return warnings, nil
}

// bound holds a document that was just made to the limits of all, or closes it.
func (s *Session) bound(doc *document.Document) error {
	err := doc.Bound(s.room(), s.owner)
	if err != nil {
		doc.Suspend()
	}
	return err
}

// room is how much a document may hold.
func (s *Session) room() document.Room {
	return document.Room{History: s.limits.History, Histories: s.memory.Histories}
}

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

// Keeps reports whether the session makes documents durable.
func (s *Session) Keeps() bool { return s.shelf != nil }

// Look reads what earlier sessions left, which may be much, so that the first
// reply that offers it need not wait as long.
func (s *Session) Look() {
	if s.shelf != nil {
		// A reply that offers it meets the same error.
		_, _ = s.shelf.Look(context.Background())
	}
}

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

// nothing answers recover and discard where nothing was left.
func (c *call) nothing(outside int) *reply.Reply {
	switch {
	case c.s.shelf == nil && c.s.unkept != nil:
		return reply.Errorf(nil, "there is no journal: %s", c.s.unkept)
	case c.s.shelf == nil:
		return reply.Errorf(nil, "there is no journal: fcp-host runs without one")
	case outside > 0:
		return reply.Errorf(nil, "nothing to recover here, but %s of earlier sessions outside the allowed folders: start fcp-host with --root to allow theirs", reply.Count(outside, "document"))
	}
	if n, wants := c.s.ungranted(c.dom); n > 0 {
		return reply.Errorf(nil, "nothing to recover here, but %s of earlier sessions that lies elsewhere: recover needs %s, as granted then", reply.Count(n, "document"), strings.Join(wants, " "))
	}
	text := "nothing to recover: no earlier session left a document"
	if n := len(c.elsewhere()); n > 0 {
		text += fmt.Sprintf("; %s open in other sessions, of this fcp-host or another", reply.Count(n, "document"))
	}
	return reply.Errorf(nil, "%s", text)
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

// elsewhere are the journals of the session's owner that other sessions write.
func (c *call) elsewhere() []string {
	held, err := c.s.shelf.Store().Held(c.s.owner)
	if err != nil {
		return nil // it is not known
	}
	for _, d := range c.s.Documents() {
		held = slices.DeleteFunc(held, func(id string) bool { return id == d.JournalID() })
	}
	return held
}

// leftList is `recover` where there are several.
func (c *call) leftList(list []offered, outside int) *reply.Reply {
	var b strings.Builder
	b.WriteString("of earlier sessions:\n")
	for _, o := range list {
		b.WriteString(o.line(c.s))
		if c.s.shelf.Expires(o.Leftover) {
			c.s.shelf.Told(o.Leftover)
		}
	}
	if outside > 0 {
		fmt.Fprintf(&b, "%d more outside the allowed folders\n", outside)
	}
	b.WriteString("the action recover N brings one back, discard N drops it\n")
	digest := ""
	if current := c.s.Current(c.dom); current != nil {
		digest = current.Summary().Digest
	}
	return c.lines(&reply.Reply{Text: b.String()}, digest)
}

// chosen gives the leftover that the action's first word numbers.
func (c *call) chosen(all []offered) (offered, *reply.Reply) {
	var try []reply.Suggestion
	if len(there(all)) > 0 {
		try = actions("recover")
	}
	n, err := strconv.Atoi(c.text(0))
	if err != nil {
		return offered{}, reply.Errorf(try, "%s %s: N is a number of the list that recover gives", c.op.Verb, shown(c.text(0)))
	}
	for _, o := range all {
		if o.n != n {
			continue
		}
		if !o.gone {
			return o, nil
		}
		if slices.Contains(c.elsewhere(), o.ID) {
			return offered{}, reply.Errorf(try, "%s %d: another session, of this fcp-host or another, has %s open by now", c.op.Verb, n, o.name())
		}
	}
	return offered{}, reply.Errorf(try, "%s %d: there is no such document any more", c.op.Verb, n)
}

func (c *call) recover() *reply.Reply {
	if no := c.takes(2); no != nil {
		return no
	}
	force := len(c.op.Positionals) == 2
	if force && c.keyword(1) != "force" {
		return reply.Errorf(actions("recover"), "recover takes a number, and force after it")
	}
	all, outside, err := c.s.numbered(c.ctx, c.dom)
	if err != nil {
		return reply.Errorf(nil, "%s: try again", err)
	}
	list := there(all)
	if len(all) == 0 || len(list) == 0 && len(c.op.Positionals) == 0 {
		return c.nothing(outside)
	}
	if len(c.op.Positionals) == 0 && (len(list) > 1 || !c.s.able(list[0])) {
		return c.leftList(list, outside)
	}
	if len(c.op.Positionals) == 0 {
		return c.revive(list[0], force)
	}
	o, no := c.chosen(all)
	if no != nil {
		return no
	}
	return c.revive(o, force)
}

// revive brings one leftover back as a document. Where that fails it never
// suggests discard: a model that does what it is told to try would drop what
// another start, or another version, can still bring back.
func (c *call) revive(o offered, force bool) *reply.Reply {
	if o.Unreadable != nil {
		return reply.Errorf(nil, "cannot recover it: %s; it is kept until you discard it", o.Unreadable)
	}
	d := c.s.domain(o.Domain)
	if d == nil {
		return reply.Errorf(nil, "cannot recover %s: it needs the plugin %s %s, which is not loaded: start fcp-host with it; the document is kept", o.name(), o.Domain, o.Version)
	}
	if c.dom != "" && o.Domain != c.dom {
		try := actions("recover")
		try[0].Domain = o.Domain
		return reply.Errorf(try, "%s is a %s document", o.name(), o.Domain)
	}
	name, no := c.reserve(o.Name, false)
	if no != nil {
		return no
	}
	defer c.s.release(c.dom, name)
	doc, warnings, err := document.Recover(c.ctx, d, c.s.rootsOf(d), name, document.Left{Shelf: c.s.shelf, ID: o.ID, Room: c.s.room(), Force: force})
	if err != nil {
		var try []reply.Suggestion
		build, stray, room := new(document.BuildError), new(document.StrayError), new(document.RoomError)
		switch {
		case errors.As(err, &build), errors.As(err, &stray):
			try = []reply.Suggestion{reply.Action("recover %d force", o.n)}
		case errors.As(err, &room):
			try = actions("documents")
		}
		return reply.Errorf(try, "cannot recover %s: %s; it is kept", o.name(), err)
	}
	c.s.serve(doc)
	state := "saved"
	if doc.Summary().Dirty {
		state = "unsaved changes"
	}
	return c.opened(doc, false, warnings, "recovered %s (%s): %s, %s", grammar.Quote(name), o.Domain, o.history(), state)
}

func (c *call) discard() *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	all, outside, err := c.s.numbered(c.ctx, c.dom)
	if err != nil {
		return reply.Errorf(nil, "%s: try again", err)
	}
	list := there(all)
	if len(all) == 0 || len(list) == 0 && len(c.op.Positionals) == 0 {
		return c.nothing(outside)
	}
	if len(c.op.Positionals) == 0 {
		return reply.Errorf(actions("recover"), "discard needs the number of a document, or all")
	}
	if c.keyword(0) != "all" {
		o, no := c.chosen(all)
		if no != nil {
			return no
		}
		list = []offered{o}
	}
	if len(list) == 0 {
		return c.nothing(outside)
	}
	r := &reply.Reply{}
	for _, o := range list {
		if err := c.s.shelf.Store().Discard(o.ID); err != nil {
			r.Fail(nil, "cannot discard %s: %s", o.name(), err)
			continue
		}
		r.Add(reply.Deleted, "discarded %s", o.name())
	}
	return r
}
