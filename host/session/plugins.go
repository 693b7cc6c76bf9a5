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

// Renew moves the documents to the builds of their domains that are served now, each when no call works on it, or
// before its next call.
func (s *Session) Renew() {
	for _, doc := range s.Documents() {
		if s.renew(doc) {
			go doc.Settle(context.Background())
		}
	}
}

// renew asks one document to move before its next call, and reports whether it will.
func (s *Session) renew(doc *document.Document) bool {
	to := s.domain(doc.Domain().Name())
	return to != nil && doc.Renew(to)
}

// Served lists the domains whose tools the client has: those of the catalog, and those of open documents that are no
// longer served.
func (s *Session) Served(c *domain.Catalog) []*domain.Domain {
	out := slices.Clip(c.Domains)
	for _, doc := range s.Documents() {
		if d := doc.Domain(); byName(out, d.Name()) == nil {
			out = append(out, d)
		}
	}
	return out
}

// servedDomain returns the domain of a name whose tools the client has, or nil.
func (s *Session) servedDomain(name string) *domain.Domain {
	if d := s.domain(name); d != nil || name == "" {
		return d
	}
	return byName(s.Served(s.source.Catalog()), name)
}

// removed refuses a new document of a domain that is no longer served.
func (s *Session) removed(d *domain.Domain) error {
	return s.withAbsent(reply.Refuse(actions("documents"), "the %s plugin was removed: open documents can still be edited, saved and closed; no new ones can be opened", d.Name()))
}

// buildLine is the line of status about a document whose domain is no longer served.
func (s *Session) buildLine(d *document.Document) []string {
	if s.domain(d.Domain().Name()) == nil {
		return []string{fmt.Sprintf("plugin: %s, which was removed: this document can be edited, saved and closed", d.Domain().BuildName())}
	}
	return nil
}

// place is the path of a plugin as the client may see it.
func (s *Session) place(path string) string {
	if !s.Local {
		path = filepath.Base(path)
	}
	return reply.Line(path)
}

// plugins answers the action `plugins`: what is served and what is not.
func (c *call) plugins() (*reply.Reply, error) {
	catalog, docs := c.s.Catalog(), c.s.Documents()
	on := func(d *domain.Domain) string {
		if c.s.shared { // documents of other clients count, too
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
		if why := doc.WhyStays(); why != "" && !c.s.shared {
			fmt.Fprintf(&b, "  %s stays on it: %s\n", quoteShort(doc.Name), why)
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
	case catalog.Unwatched != "" && c.s.Local:
		fmt.Fprintf(&b, "changes of the files are not seen (%s): reload looks at them\n", reply.Line(catalog.Unwatched))
	case catalog.Unwatched != "":
		b.WriteString("changes of the files are not seen: reload looks at them\n")
	case len(catalog.Watched) > 0 && c.s.Local:
		places := make([]string, len(catalog.Watched))
		for i, at := range catalog.Watched {
			places[i] = reply.Line(at)
		}
		fmt.Fprintf(&b, "watched: %s\n", strings.Join(places, ", "))
	}
	return c.asAction(&reply.Reply{Text: b.String()}, c.digest()), nil
}

// digest is the current document's digest, "" if there is none.
func (c *call) digest() string {
	if current := c.s.Current(c.dom); current != nil {
		return current.Summary().Digest
	}
	return ""
}

// reload answers the action `reload`, which looks for plugins again.
func (c *call) reload() (*reply.Reply, error) {
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
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning, Text: "some modules are still being compiled or asked for their manifests, and are served later: see plugins"})
	case err != nil:
		return nil, reply.Refuse(nil, "the call was cancelled; the plugins that were found are served as soon as possible")
	}
	return r, nil
}
