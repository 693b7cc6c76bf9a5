package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Local lets the session tell where plugins lie, before the first call: its client runs on this machine.
func (s *Session) Local() { s.local = true }

// Renew has the documents move to the builds of their domains that are served now, each as soon as no call works on it. A call that
// comes first finds its document moved.
func (s *Session) Renew() {
	for _, doc := range s.Documents() {
		if s.renew(doc) {
			go doc.Settle(context.Background())
		}
	}
}

// renew is Renew for one document, which moves before its next call at the latest. It reports whether it is to.
func (s *Session) renew(doc *document.Document) bool {
	to := s.domain(doc.Domain().Name())
	return to != nil && doc.Renew(to)
}

// Served lists the domains whose tools the client has: those of the catalog, and those that open documents run on though they
// are not served any more.
func (s *Session) Served(c *domain.Catalog) []*domain.Domain {
	out := slices.Clip(c.Domains)
	for _, doc := range s.Documents() {
		if d := doc.Domain(); byName(out, d.Name()) == nil {
			out = append(out, d)
		}
	}
	return out
}

// Lingers reports whether Served has domains that the catalog has not.
func (s *Session) Lingers() bool {
	c := s.source.Catalog()
	return len(s.Served(c)) > len(c.Domains)
}

// reached is the domain of a name whose tools the client has, or nil.
func (s *Session) reached(name string) *domain.Domain {
	if d := s.domain(name); d != nil || name == "" {
		return d
	}
	return byName(s.Served(s.source.Catalog()), name)
}

// removed refuses a document of a domain that is served no more.
func (s *Session) removed(d *domain.Domain) *reply.Reply {
	return s.absent(reply.Errorf(actions("documents"), "the %s plugin was removed: documents that are open can be edited, saved and closed, and there are no new ones", d.Name()))
}

// build says in a line of its status that a document runs on a build which is not served.
func (s *Session) build(d *document.Document) []string {
	if s.domain(d.Domain().Name()) == nil {
		return []string{fmt.Sprintf("plugin: %s, which was removed: this document can be edited, saved and closed", d.Domain().BuildName())}
	}
	return nil
}

// place is where a plugin lies, as far as the client is told.
func (s *Session) place(path string) string {
	if !s.local {
		path = filepath.Base(path)
	}
	return reply.Line(path)
}

// plugins is the action that lists what is served, and what is not.
func (c *call) plugins() *reply.Reply {
	if no := c.takes(0); no != nil {
		return no
	}
	catalog, docs := c.s.Catalog(), c.s.Documents()
	on := func(d *domain.Domain) string {
		if c.s.shared { // they are other clients', too
			return ""
		}
		n := 0
		for _, doc := range docs {
			if doc.Domain() == d {
				n++
			}
		}
		return ", " + reply.Count(n, "document")
	}
	line := func(d *domain.Domain) string {
		return fmt.Sprintf("%s %s, sha256 %s, %s%s\n", d.Name(), d.Manifest.Version, d.Build, c.s.place(d.Path), on(d))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s served\n", reply.Count(len(catalog.Domains), "plugin"))
	var told []*domain.Domain
	for _, d := range catalog.Domains {
		b.WriteString(line(d))
		told = append(told, d)
	}
	for _, doc := range docs {
		d := doc.Domain()
		if !slices.Contains(told, d) && !c.s.shared {
			told = append(told, d)
			b.WriteString("not served any more: " + line(d))
		}
		if why := doc.Stays(); why != "" && !c.s.shared {
			fmt.Fprintf(&b, "  %s stays on it: %s\n", shown(doc.Name), why)
		}
	}
	for _, a := range catalog.Absent {
		what := "not served: "
		if a.Later {
			what = "not yet served: "
		}
		b.WriteString(what + c.s.place(a.Path))
		if a.Build != "" {
			b.WriteString(", sha256 " + a.Build)
		}
		fmt.Fprintf(&b, ": %s\n", reply.Line(a.Why))
	}
	switch {
	case catalog.Unwatched != "" && c.s.local:
		fmt.Fprintf(&b, "changes of the files are not seen (%s): reload looks at them\n", reply.Line(catalog.Unwatched))
	case catalog.Unwatched != "":
		b.WriteString("changes of the files are not seen: reload looks at them\n")
	case len(catalog.Watched) > 0 && c.s.local:
		places := make([]string, len(catalog.Watched))
		for i, at := range catalog.Watched {
			places[i] = reply.Line(at)
		}
		fmt.Fprintf(&b, "watched: %s\n", strings.Join(places, ", "))
	}
	return c.lines(&reply.Reply{Text: b.String()}, c.digest())
}

// digest is that of the current document, "" for none.
func (c *call) digest() string {
	if current := c.s.Current(c.dom); current != nil {
		return current.Summary().Digest
	}
	return ""
}

// reload is the action that looks at the plugins anew.
func (c *call) reload() *reply.Reply {
	if no := c.takes(0); no != nil {
		return no
	}
	before := c.s.Catalog()
	ctx, stop := context.WithTimeout(c.ctx, c.s.limits.Wait)
	defer stop()
	err := c.s.source.Rescan(ctx)
	var moved sync.WaitGroup
	for _, doc := range c.s.Documents() {
		if doc.Retry(); c.s.renew(doc) {
			moved.Go(func() { doc.Settle(ctx) })
		}
	}
	moved.Wait()
	r := &reply.Reply{}
	after := c.s.Catalog()
	for _, d := range after.Domains {
		switch was := byName(before.Domains, d.Name()); {
		case was == nil:
			r.Add(reply.Created, "%s %s", d.Name(), d.BuildName())
		case was.Build != d.Build:
			r.Add(reply.Changed, "%s %s, which was %s", d.Name(), d.BuildName(), was.BuildName())
		}
	}
	for _, d := range before.Domains {
		if byName(after.Domains, d.Name()) == nil {
			r.Add(reply.Deleted, "%s %s", d.Name(), d.BuildName())
		}
	}
	if len(r.Results) == 0 {
		r.Add(reply.Warning, "the plugins that are served are the same (%d)", len(after.Domains))
	}
	for _, line := range Absent(after, maxWhy) {
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning, Text: line})
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning, Text: "something that was found is still being compiled or asked what it serves, and serves later; plugins tells"})
	case err != nil:
		return reply.Errorf(nil, "the call was cancelled; what was found serves as soon as it can")
	}
	return r
}
