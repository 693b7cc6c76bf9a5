package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
)

// Keep makes the documents opened from now on durable in the shelf's store, and offers what earlier sessions left
// there. If a journal was wanted but is not possible, shelf is nil and unkept says why; new and open then warn about
// it.
func (s *Session) Keep(shelf *document.Shelf, unkept error) { s.shelf, s.unkept = shelf, unkept }

// keep makes a new document durable, and appends to its warnings if that fails. The error says why there is no room for
// the document, which is then closed.
func (s *Session) keep(ctx context.Context, doc *document.Document, warnings []string) ([]string, error) {
	s.setFetcher(doc)
	if err := doc.SetRoom(s.room(), s.Owner); err != nil {
		doc.Suspend()
		return nil, err
	}
	timing.Lap(ctx, timing.Other)
	defer timing.Lap(ctx, timing.Journal)
	switch {
	case s.shelf != nil:
		if err := doc.Keep(s.shelf.Store(), s.Owner, s.keyOf(doc.Name)); err != nil {
			return append(warnings, document.JournalWarning(err)), nil
		}
	case s.unkept != nil:
		return append(warnings, fmt.Sprintf("journal: none (%s); unsaved changes are lost if fcp-host dies", s.unkept)), nil
	}
	return warnings, nil
}

// room is how much memory a document may hold.
func (s *Session) room() document.Room {
	return document.Room{History: s.limits.History, Histories: s.Memory.Histories}
}

// Keeps reports whether the session makes documents durable.
func (s *Session) Keeps() bool { return s.shelf != nil }

// Look reads what earlier sessions left, which may take long, so that the first reply that offers it does not wait.
func (s *Session) Look() {
	if s.shelf != nil {
		// A reply that offers leftovers reports the same error.
		_, _ = s.shelf.Look(context.Background())
	}
}

// nothingLeft answers recover and discard if there is nothing to recover.
func (c *call) nothingLeft(outside int) error {
	switch {
	case c.s.shelf == nil && c.s.unkept != nil:
		return reply.Refuse(nil, "there is no journal: %s", c.s.unkept)
	case c.s.shelf == nil:
		return reply.Refuse(nil, "there is no journal: fcp-host runs without one")
	case outside > 0:
		return reply.Refuse(nil, "nothing to recover here, but %s of earlier sessions outside the allowed folders: start fcp-host with --root to allow theirs", reply.Count(outside, "document"))
	}
	if n, wants := c.s.countUngranted(c.dom); n > 0 {
		return reply.Refuse(nil, "nothing to recover here, but %s of earlier sessions on a server: recover needs the grants %s", reply.Count(n, "document"), strings.Join(wants, " "))
	}
	text := "nothing to recover: no earlier session left a document"
	if n := len(c.heldElsewhere()); n > 0 {
		text += fmt.Sprintf("; %s open in other sessions, of this fcp-host or another", reply.Count(n, "document"))
	}
	return reply.Refuse(nil, "%s", text)
}

// heldElsewhere lists the journals of the session's owner that other sessions write.
func (c *call) heldElsewhere() []string {
	held, err := c.s.shelf.Store().Held(c.s.Owner)
	if err != nil {
		return nil // it is not known
	}
	for _, d := range c.s.Documents() {
		held = slices.DeleteFunc(held, func(id string) bool { return id == d.JournalID() })
	}
	return held
}

// leftovers lists what recover and discard choose from: all that was offered, and what is still there.
func (c *call) leftovers() (all, list []offered, outside int, err error) {
	all, outside, err = c.s.listNumbered(c.ctx, c.dom)
	if err != nil {
		return nil, nil, 0, reply.Refuse(nil, "%s: try again", err)
	}
	list = notGone(all)
	if len(all) == 0 || len(list) == 0 && len(c.op.Positionals) == 0 {
		err = c.nothingLeft(outside)
	}
	return all, list, outside, err
}

// listLeftovers answers `recover` if there are several leftovers.
func (c *call) listLeftovers(list []offered, outside int) (*reply.Reply, error) {
	var b strings.Builder
	b.WriteString("of earlier sessions:\n")
	for _, o := range list {
		b.WriteString(o.line(c.s))
		if c.s.shelf.Expires(o.Leftover) {
			c.s.shelf.MarkTold(o.Leftover)
		}
	}
	if outside > 0 {
		fmt.Fprintf(&b, "%d more outside the allowed folders\n", outside)
	}
	b.WriteString("the action recover N brings one back, discard N drops it\n")
	return c.asAction(&reply.Reply{Text: b.String()}, c.digest()), nil
}

// chosenLeftover is the leftover whose number is the action's first word.
func (c *call) chosenLeftover(all []offered) (offered, error) {
	var try []reply.Suggestion
	if len(notGone(all)) > 0 {
		try = actions("recover")
	}
	n, err := strconv.Atoi(c.text(0))
	if err != nil {
		return offered{}, reply.Refuse(try, "%s %s: N is a number of the list that recover gives", c.op.Verb, quoteShort(c.text(0)))
	}
	for _, o := range all {
		if o.n != n {
			continue
		}
		if !o.gone {
			return o, nil
		}
		if slices.Contains(c.heldElsewhere(), o.ID) {
			return offered{}, reply.Refuse(try, "%s %d: another session, of this fcp-host or another, has %s open by now", c.op.Verb, n, o.name())
		}
	}
	return offered{}, reply.Refuse(try, "%s %d: there is no such document any more", c.op.Verb, n)
}

func (c *call) recover() (*reply.Reply, error) {
	force := len(c.op.Positionals) == 2
	if force && c.keyword(1) != "force" {
		return nil, reply.Refuse(actions("recover"), "recover takes a number, and force after it")
	}
	all, list, outside, err := c.leftovers()
	if err != nil {
		return nil, err
	}
	if len(c.op.Positionals) == 0 && (len(list) > 1 || !c.s.recoverable(list[0])) {
		return c.listLeftovers(list, outside)
	}
	if len(c.op.Positionals) == 0 {
		return c.revive(list[0], force)
	}
	o, err := c.chosenLeftover(all)
	if err != nil {
		return nil, err
	}
	return c.revive(o, force)
}

// revive recovers one leftover. After a failure it never suggests discard: a model that follows suggestions would drop
// what a later start or version may still recover.
func (c *call) revive(o offered, force bool) (*reply.Reply, error) {
	if o.Unreadable != nil {
		return nil, reply.Refuse(nil, "cannot recover it: %s; it is kept until you discard it", o.Unreadable)
	}
	d := c.s.domain(o.Domain)
	if d == nil {
		return nil, reply.Refuse(nil, "cannot recover %s: it needs the plugin %s %s, which is not loaded: start fcp-host with it; the document is kept", o.name(), o.Domain, o.Version)
	}
	if c.dom != "" && o.Domain != c.dom {
		try := actions("recover")
		try[0].Domain = o.Domain
		return nil, reply.Refuse(try, "%s is a %s document", o.name(), o.Domain)
	}
	name, err := c.reserveName(o.Name, false)
	if err != nil {
		return nil, err
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
		return nil, reply.Refuse(try, "cannot recover %s: %s; it is kept", o.name(), err)
	}
	c.s.setFetcher(doc)
	state := "saved"
	if doc.Summary().Dirty {
		state = "unsaved changes"
	}
	r := c.openedReply(doc, false, warnings, "recovered %s (%s): %s, %s", grammar.Quote(name), o.Domain, o.history(), state)
	c.addMap(r)
	return r, nil
}

func (c *call) discard() (*reply.Reply, error) {
	all, list, outside, err := c.leftovers()
	if err != nil {
		return nil, err
	}
	if len(c.op.Positionals) == 0 {
		return nil, reply.Refuse(actions("recover"), "discard needs the number of a document, or all")
	}
	if c.keyword(0) != "all" {
		o, err := c.chosenLeftover(all)
		if err != nil {
			return nil, err
		}
		list = []offered{o}
	}
	if len(list) == 0 {
		return nil, c.nothingLeft(outside)
	}
	r := &reply.Reply{}
	for _, o := range list {
		if err := c.s.shelf.Store().Discard(o.ID); err != nil {
			r.Fail(nil, "cannot discard %s: %s", o.name(), err)
			continue
		}
		r.Add(reply.Deleted, "discarded %s", o.name())
	}
	return r, nil
}
