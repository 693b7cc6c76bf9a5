package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Catalog lists the domains that are served now, and the modules that are not.
func (s *Session) Catalog() *domain.Catalog { return s.source.Catalog() }

// Opened returns a channel that is closed once a client need not wait any longer for modules whose manifests are not
// known yet.
func (s *Session) Opened() <-chan struct{} { return s.source.Opened() }

// Done returns a channel that is closed with the session.
func (s *Session) Done() <-chan struct{} { return s.done }

// Domains lists the domains that are served now.
func (s *Session) Domains() []*domain.Domain { return s.source.Catalog().Domains }

// Compiling lists the served domains of that name, or all if it is "", whose modules are being compiled: until then their
// calls take longer.
func (s *Session) Compiling(dom string) (names []string) {
	for _, d := range s.Domains() {
		if (dom == "" || d.Name() == dom) && d.Plugin().Compiling() {
			names = append(names, d.Name())
		}
	}
	return names
}

// domain returns the served domain of that name, or nil.
func (s *Session) domain(name string) *domain.Domain { return byName(s.Domains(), name) }

func byName(domains []*domain.Domain, name string) *domain.Domain {
	for _, d := range domains {
		if strings.EqualFold(d.Name(), name) {
			return d
		}
	}
	return nil
}

// awaitOpened waits until the source is opened, or ctx or the session is done.
func (s *Session) awaitOpened(ctx context.Context) {
	select {
	case <-s.source.Opened():
	case <-ctx.Done():
	case <-s.done:
	}
}

// Await waits until a domain of that name is served or known not to exist, at most for the limit Wait.
func (s *Session) Await(ctx context.Context, name string) {
	s.await(ctx, func(domains []*domain.Domain) bool { return byName(domains, name) != nil })
}

// await waits until enough returns true or all domains are served, at most for the limit Wait, and returns the domains.
func (s *Session) await(ctx context.Context, enough func([]*domain.Domain) bool) []*domain.Domain {
	late := time.NewTimer(s.limits.Wait)
	defer late.Stop()
	for {
		c := s.source.Catalog()
		if c.Pending == 0 || enough(c.Domains) {
			return c.Domains
		}
		select {
		case <-c.Next:
		case <-late.C:
			return c.Domains
		case <-ctx.Done():
			return c.Domains
		case <-s.done:
			return c.Domains
		}
	}
}

// noDomain refuses a call for a domain that is not served.
func (s *Session) noDomain(name string, try ...reply.Suggestion) *reply.Refusal {
	return s.withAbsent(reply.Refuse(try, "no domain %s is loaded", quoteShort(name)))
}

// maxAbsent is how many modules that are not served one text names.
const maxAbsent = 10

// absentLines names the modules that are not served, the typed tools that are not offered, the roots that grant
// nothing and the domains that are not compiled.
func (s *Session) absentLines() []string {
	c := s.source.Catalog()
	_, refused := s.Tools(c)
	return slices.Concat(Absent(c, maxWhy), refused, s.MissingRoots(), interpretedLines(c))
}

// interpretedLines names the domains whose modules could not be compiled in time.
func interpretedLines(c *domain.Catalog) (lines []string) {
	for _, d := range c.Domains {
		if why := d.Plugin().Uncompiled(); why != "" {
			lines = append(lines, fmt.Sprintf("%s is interpreted, about 30 times slower than compiled: %s; the action reload compiles it again", d.Name(), reply.Line(why)))
		}
	}
	return lines
}

// MissingRoots says in one line each which roots, general ones and those of single domains, grant nothing.
func (s *Session) MissingRoots() []string {
	lines := slices.Clone(s.roots.Missing())
	for _, d := range s.Domains() {
		for _, line := range s.rootsOf(d).Missing() {
			if s.rootsOf(d) != s.roots && !slices.Contains(lines, line) {
				lines = append(lines, "of "+d.Name()+", "+line)
			}
		}
	}
	if len(lines) > maxAbsent {
		lines = append(lines[:maxAbsent:maxAbsent], fmt.Sprintf("%d more roots grant nothing", len(lines)-maxAbsent))
	}
	for i, line := range lines {
		lines[i] = reply.Line(line)
	}
	return lines
}

// absent is absentLines as warnings.
func (s *Session) absent() (lines []reply.Result) {
	for _, line := range s.absentLines() {
		lines = append(lines, reply.Result{Prefix: reply.Warning, Text: line})
	}
	return lines
}

func (s *Session) withAbsent(no *reply.Refusal) *reply.Refusal {
	no.After = append(no.After, s.absent()...)
	return no
}

// maxWhy is how many characters of the reason a reply gives for a module that is not served.
const maxWhy = 200

// Absent names the first modules that a catalog does not serve, one per line, and counts the others. Of each reason,
// which may be the module's own text, it gives at most why characters.
func Absent(c *domain.Catalog, why int) (lines []string) {
	for _, a := range c.Absent[:min(len(c.Absent), maxAbsent)] {
		text := "not served: " + quoteShort(a.Name)
		if a.Later {
			text = "not yet served: " + quoteShort(a.Name)
		}
		if reason := []rune(a.Why); why > 0 {
			if len(reason) > why {
				reason = append(slices.Clone(reason[:why-1]), '…')
			}
			text += ": " + reply.Line(string(reason))
		}
		lines = append(lines, text)
	}
	if more := len(c.Absent) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("not served: %d more", more))
	}
	return lines
}
