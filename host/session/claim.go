package session

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// claiming lists the domains that claim a file: those with the longest extension that fits its name (".drawio.svg"
// before ".svg"), or if none fits, those whose magic bytes its content has.
func claiming(domains []*domain.Domain, path string, data []byte) (out []*domain.Domain) {
	longest := 1
	for _, d := range domains {
		switch n := len(d.Extension(filepath.Base(path))); {
		case n > longest:
			out, longest = []*domain.Domain{d}, n
		case n == longest:
			out = append(out, d)
		}
	}
	if out != nil {
		return out
	}
	for _, d := range domains {
		if slices.ContainsFunc(d.Manifest.Magic, func(m abi.Magic) bool {
			return len(m.Bytes) > 0 && m.Offset >= 0 && m.Offset <= len(data) && bytes.HasPrefix(data[m.Offset:], m.Bytes)
		}) {
			out = append(out, d)
		}
	}
	return out
}

// preferredOf is the one of several claiming domains that the settings prefer for the file's extension, or nil.
func (s *Session) preferredOf(claims []*domain.Domain, path string) *domain.Domain {
	for _, d := range claims {
		if s.Preferred[d.Extension(filepath.Base(path))] == d.Name() {
			return d
		}
	}
	return nil
}

// chooseDomain chooses the domain that opens a file, among those whose roots it lies in: the only one that claims it,
// the only one that can read it, or the preferred one. Otherwise the reply asks the client to choose.
func (c *call) chooseDomain(path string, roots *files.Roots, f file) (*domain.Domain, error) {
	shows := roots.Show(f.real)
	if with, ok := c.op.Param("with"); ok {
		c.s.Await(c.ctx, with)
		if d := c.s.domain(with); d != nil {
			return d, nil
		}
		return nil, c.s.withAbsent(reply.Refuse(nil, "cannot open %s: no domain %s is loaded; there are %s", shows, quoteShort(with), strings.Join(c.s.names(), ", ")))
	}
	domains := c.s.await(c.ctx, func(domains []*domain.Domain) bool { return len(claiming(domains, f.real, f.data)) > 0 })
	claims := claiming(domains, f.real, f.data)
	if len(claims) == 0 {
		var known []string
		for _, d := range domains {
			known = append(known, fmt.Sprintf("%s (%s)", d.Name(), domain.Opens(d.Manifest)))
		}
		return nil, c.s.withAbsent(reply.Refuse(nil, "cannot open %s: no loaded domain knows this kind of file; there are %s", shows, strings.Join(known, ", ")))
	}
	if within := slices.DeleteFunc(slices.Clone(claims), func(d *domain.Domain) bool { return !c.fileExists(d, path) }); len(within) > 0 {
		claims = within
	}
	if len(claims) == 1 {
		return claims[0], nil
	}
	var able []*domain.Domain
	var reasons []string
	for _, d := range claims {
		if err := canRead(c.ctx, d, f); err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		able = append(able, d)
	}
	switch d := c.s.preferredOf(able, f.real); {
	case len(able) == 1:
		return able[0], nil
	case d != nil:
		return d, nil
	case len(able) == 0:
		return nil, reply.Refuse(nil, "cannot open %s: no domain that claims this kind of file can read it\n%s", shows, strings.Join(reasons, "\n"))
	}
	return nil, reply.Refuse(c.withEach(able), "several domains open %s: %s; say which", shows, strings.Join(namesOf(able), ", "))
}

// canRead returns nil if a domain can open a file, which it tries on a new instance. A domain that does not answer in
// time counts as able to.
func canRead(ctx context.Context, d *domain.Domain, f file) error {
	in, err := d.Start(ctx, 0)
	if err == nil {
		defer in.Close()
		_, err = in.Open(ctx, &abi.OpenRequest{Name: filepath.Base(f.real), Data: f.data})
	}
	if domain.Late(err) || ctx.Err() != nil {
		return nil
	}
	return err
}
