package session

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Prefer says which domain opens files of an extension that several domains
// claim and can read, before the first call.
func (s *Session) Prefer(domains map[string]string) { s.preferred = domains }

// claiming lists the domains whose kind of file the name says this is: by the
// longest extension that fits (".drawio.svg" before ".svg"), else by how the
// content starts.
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

// settled is the one of several domains that claim a file which the settings
// name for its extension, or nil.
func (s *Session) settled(claims []*domain.Domain, path string) *domain.Domain {
	for _, d := range claims {
		if s.preferred[d.Extension(filepath.Base(path))] == d.Name() {
			return d
		}
	}
	return nil
}

// whose chooses the domain that opens a file, among those that may read it where
// it lies: the only one that claims it, the only one that can read what it holds,
// or else the one that the settings name. Nobody is first: otherwise it asks.
func (c *call) whose(path string, roots *files.Roots, f file) (*domain.Domain, *reply.Reply) {
	shows := roots.Show(f.real)
	if with, ok := c.op.Param("with"); ok {
		c.s.Await(c.ctx, with)
		if d := c.s.domain(with); d != nil {
			return d, nil
		}
		return nil, c.s.absent(reply.Errorf(nil, "cannot open %s: no domain %s is loaded; there are %s", shows, shown(with), strings.Join(c.s.names(), ", ")))
	}
	domains := c.s.await(c.ctx, func(domains []*domain.Domain) bool { return len(claiming(domains, f.real, f.data)) > 0 })
	claims := claiming(domains, f.real, f.data)
	if len(claims) == 0 {
		var known []string
		for _, d := range domains {
			known = append(known, fmt.Sprintf("%s (%s)", d.Name(), domain.Opens(d.Manifest)))
		}
		return nil, c.s.absent(reply.Errorf(nil, "cannot open %s: no loaded domain knows this kind of file; there are %s", shows, strings.Join(known, ", ")))
	}
	if within := slices.DeleteFunc(slices.Clone(claims), func(d *domain.Domain) bool { return !c.there(d, path) }); len(within) > 0 {
		claims = within
	}
	if len(claims) == 1 {
		return claims[0], nil
	}
	var able []*domain.Domain
	var reasons []string
	for _, d := range claims {
		if err := reads(c.ctx, d, f); err != nil {
			reasons = append(reasons, fmt.Sprintf("%s: %s", d.Name(), err))
			continue
		}
		able = append(able, d)
	}
	switch d := c.s.settled(able, f.real); {
	case len(able) == 1:
		return able[0], nil
	case d != nil:
		return d, nil
	case len(able) == 0:
		return nil, reply.Errorf(nil, "cannot open %s: no domain that claims this kind of file can read it\n%s", shows, strings.Join(reasons, "\n"))
	}
	names := make([]string, len(able))
	var try []reply.Suggestion
	for i, d := range able {
		names[i] = d.Name()
		op := *c.op
		op.Params = append(slices.Clone(op.Params), grammar.Param{Key: "with", Value: d.Name()})
		if len(try) < abi.MaxTry {
			try = append(try, reply.Action("%s", op.String()))
		}
	}
	return nil, reply.Errorf(try, "several domains open %s: %s; say which", shows, strings.Join(names, ", "))
}

// reads reports whether a domain takes a file, which it is asked in an instance
// of its own. One that gives no answer in time is held to take it.
func reads(ctx context.Context, d *domain.Domain, f file) error {
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
