package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// references turns parameters whose keys are schemes into words: flow:Support names a remote document, file:/tmp/a.mid a
// file.
func (c *call) references(keys []string) {
	for i := 0; i < len(c.op.Params); i++ {
		p := c.op.Params[i]
		if slices.Contains(keys, p.Key) {
			continue
		}
		if ref := p.Key + ":" + p.Value; files.IsURI(ref) || c.remoteOf(ref) != nil {
			op := *c.op
			op.Params = slices.Delete(slices.Clone(op.Params), i, i+1)
			op.Positionals = append(slices.Clone(op.Positionals), abi.Positional{Text: ref})
			c.op = &op
			i--
		}
	}
}

// remoteOf is the domain with remote documents of the reference's scheme, or nil.
func (c *call) remoteOf(ref string) *domain.Domain {
	if !strings.Contains(ref, ":") {
		return nil
	}
	has := func(d *domain.Domain) bool { return document.Scheme(d, ref) }
	if c.dom != "" {
		if d := c.s.domain(c.dom); d != nil && has(d) {
			return d
		}
		return nil
	}
	domains := c.s.await(c.ctx, func(domains []*domain.Domain) bool { return slices.ContainsFunc(domains, has) })
	if i := slices.IndexFunc(domains, has); i >= 0 {
		return domains[i]
	}
	return nil
}

func (c *call) openRemote(d *domain.Domain, ref string) (*reply.Reply, error) {
	c.about = d
	failing := "cannot open " + reply.Place(ref)
	got, err := document.Fetch(c.ctx, d, c.s, ref) // the document's name is known once it is fetched
	if err != nil {
		return nil, c.failure(err, failing)
	}
	want := strings.TrimSuffix(got.Name, filepath.Ext(got.Name))
	if want == "" {
		_, want, _ = strings.Cut(ref, ":")
	}
	return c.opened(d, want, failing, got.Ref, func(name string) (*document.Document, []string, error) {
		return document.OpenRemote(c.ctx, d, c.s.rootsOf(d), name, got)
	}, func(doc *document.Document) string {
		return fmt.Sprintf("opened %s as %q (%s), revision %s", reply.Place(got.Ref), doc.Name, d.Name(), grammar.Quote(got.Revision))
	})
}

func (c *call) pull(d *document.Document) (*reply.Reply, error) {
	force := c.keyword(0) == "force"
	if !force && len(c.op.Positionals) > 0 {
		return nil, reply.Refuse(actions("pull"), "pull takes nothing but force; it fetches the current document again")
	}
	return d.Pull(c.ctx, force), nil
}

// stillGranted reports whether a leftover remote document may be offered: all wants that it was edited with are still
// granted.
func (s *Session) stillGranted(l *leftover) bool {
	d := s.domain(l.Domain)
	if d == nil || !document.Scheme(d, l.Ref) {
		return false
	}
	can := d.Can()
	return !slices.ContainsFunc(l.Can, func(want string) bool { return !slices.Contains(can, want) })
}
