package session

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// growing is a source whose catalog is replaced by the test.
type growing struct {
	atomic.Pointer[domain.Catalog]
	next chan struct{}
}

func newGrowing(c domain.Catalog) *growing {
	g := &growing{}
	g.become(c)
	return g
}

func (g *growing) Catalog() *domain.Catalog { return g.Load() }

func (g *growing) Opened() <-chan struct{} { return domain.List{}.Opened() }

func (g *growing) Rescan(context.Context) error { return nil }

func (g *growing) become(c domain.Catalog) {
	before := g.next
	g.next = make(chan struct{})
	c.Next = g.next
	g.Store(&c)
	if before != nil {
		close(before)
	}
}

func TestACallWaitsForADomainThatIsNotServedYet(t *testing.T) {
	d := list(t)
	c := newClient(t, "", d)
	c.put("a.thing", "#list A\nx")
	for action, unlike := range map[string]string{`new list "T"`: "! new needs", "open ./a.thing": "! cannot open"} {
		g := newGrowing(domain.Catalog{Pending: 1, Absent: []domain.Absent{{Name: "list.wasm", Why: "not yet"}}})
		c.source = g
		answer := make(chan *reply.Reply)
		go func() { answer <- c.Session.Session(ctx, "", "", action) }()
		g.become(domain.Catalog{Pending: 2}) // not it
		g.become(domain.Catalog{Domains: []*domain.Domain{d}, Pending: 1})
		if r := <-answer; r.Failed || strings.Contains(r.String(), unlike) {
			t.Errorf("%s: %s", action, r)
		}
		g.become(domain.Catalog{Domains: []*domain.Domain{d}})
	}
	g := newGrowing(domain.Catalog{Pending: 1})
	c.source = g
	answer := make(chan *reply.Reply)
	go func() { answer <- c.Session.Help(ctx, "", "nobody", "") }()
	g.become(domain.Catalog{Domains: []*domain.Domain{d}}) // nothing comes any more
	if r := <-answer; !r.Failed {
		t.Error(r)
	}
}

func TestStatusAndHelpNameWhatIsNotServed(t *testing.T) {
	d := list(t)
	c := newClient(t, "list", d)
	catalog := domain.Catalog{Domains: []*domain.Domain{d}}
	for i := range 12 {
		catalog.Absent = append(catalog.Absent, domain.Absent{Name: fmt.Sprintf("m%d\n.wasm", i), Why: "why" + strings.Repeat("y", 300) + "\x1b[2J\n! gone"})
	}
	c.source = newGrowing(catalog)
	check := func(what, text string, prefix string) {
		t.Helper()
		n := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, prefix+"not served: ") {
				n++
			}
			if len(line) > 800 && strings.Contains(line, "not served") {
				t.Errorf("%s: a line of %d bytes", what, len(line))
			}
		}
		if n != maxAbsent+1 || !strings.Contains(text, prefix+`not served: "m0\n.wasm": whyy`) || !strings.Contains(text, prefix+"not served: 2 more") || strings.Contains(text, "m10") ||
			strings.Contains(text, "\x1b") || strings.Contains(text, "\n! gone") {
			t.Errorf("%s: %d lines\n%s", what, n, text)
		}
	}
	check("status without a document", c.Session.Session(ctx, "list", "", "status").String(), "? ")
	check("the query status without a document", c.Query(ctx, "list", "", "status").String(), "? ")
	c.Session.Session(ctx, "list", "", `new "T"`)
	check("status", c.Session.Session(ctx, "list", "", "status").String(), "? ")
	query := c.Query(ctx, "list", "", "status").String()
	check("the query status", query, "? ")
	if lines := strings.Split(query, "\n"); !strings.HasPrefix(lines[len(lines)-1], "[") {
		t.Errorf("the last line is not the digest: %s", query)
	}
	check("the help", c.Help(ctx, "list", "", "").Text, "  ")
	check("the help of all", New(c.source, c.roots).Help(ctx, "", "", "").Text, "  ")
	if r := New(newGrowing(domain.Catalog{}), c.roots).Session(ctx, "", "", "enable"); !r.Failed {
		t.Error(r)
	}
}
