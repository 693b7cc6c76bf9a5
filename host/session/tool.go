package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// SetTools sets which typed tools the client may call: DOMAIN for all of a domain's, or DOMAIN/TOOL. With literal the
// client sees the domains' own schemas; unless rated, it may call them at any rate. It is called before the first call.
func (s *Session) SetTools(tools []string, literal, rated bool) {
	s.typed, s.literal, s.rated = tools, literal, rated
}

// Tools lists the typed tools of a catalog's domains that are offered, in order, and a line for each requested one that
// is not.
//
// Of several tools with equal or similar names none is offered: the order of loading must not decide which one a model
// calls.
func (s *Session) Tools(c *domain.Catalog) (tools []*domain.Tool, refused []string) {
	if len(s.typed) == 0 {
		return nil, nil
	}
	refuse := func(name string, d *domain.Domain, format string, args ...any) {
		refused = append(refused, fmt.Sprintf("not offered: the typed tool %s of %s: %s", quoteShort(name), d.Name(), fmt.Sprintf(format, args...)))
	}
	for _, asked := range s.typed {
		if dom, _, _ := strings.Cut(asked, "/"); c.Pending == 0 && byName(c.Domains, dom) == nil {
			refused = append(refused, fmt.Sprintf("not offered: typed tools of %s: no such domain is loaded", quoteShort(dom)))
		}
	}
	var found []*domain.Tool
	for _, d := range c.Domains {
		for _, name := range s.chosenTools(d) {
			t, err := d.TypedTool(name, s.literal)
			if err != nil {
				refuse(name, d, "%s", err)
				continue
			}
			if i := slices.IndexFunc(c.Domains, func(other *domain.Domain) bool { return domain.Alike(name, other.Name()) }); i >= 0 {
				refuse(name, d, "its name is taken by the tools of %s", c.Domains[i].Name())
				continue
			}
			found = append(found, t)
		}
	}
	for _, t := range found {
		i := slices.IndexFunc(found, func(other *domain.Tool) bool { return other.Domain != t.Domain && domain.Alike(t.Name, other.Name) })
		if i < 0 {
			tools = append(tools, t)
			continue
		}
		refuse(t.Name, t.Domain, "%s has one of that name; offer one of the two, as in --tools %s/NAME for each that you want", found[i].Domain.Name(), t.Domain.Name())
	}
	return tools, refused
}

// chosenTools lists the names of a domain's typed tools that were requested.
func (s *Session) chosenTools(d *domain.Domain) (names []string) {
	for _, asked := range s.typed {
		dom, tool, one := strings.Cut(asked, "/")
		switch {
		case !strings.EqualFold(dom, d.Name()):
		case one && !slices.Contains(names, tool):
			names = append(names, tool)
		case !one:
			for _, t := range d.Manifest.Tools {
				if !slices.Contains(names, t.Name) {
					names = append(names, t.Name)
				}
			}
		}
	}
	return names
}

// Tool calls a typed tool. If answer is nil, the reply says why the call failed; else it says which document changed.
func (s *Session) Tool(ctx context.Context, t *domain.Tool, arguments []byte) (r *reply.Reply, answer *domain.Answer) {
	ctx = sandbox.OneCall(ctx)
	arguments, no := t.Admit(arguments, s.rated)
	if no != nil {
		return &reply.Reply{Failed: true}, t.Explain(ctx, s, arguments, no)
	}
	if no := t.Domain.Missing(ctx, t.Wants); no != nil {
		return reply.Errorf(reply.From(no.Try), "%s: %s", t.Name, no.Message), nil
	}
	r = &reply.Reply{}
	var said *abi.ToolResponse
	if t.On == "" {
		err := t.Domain.Free(ctx, s, func(in *domain.Instance) (err error) {
			said, err = t.Call(ctx, in, arguments)
			return err
		})
		select {
		case <-s.done:
			t.Domain.Release(s)
		default:
		}
		if err != nil {
			return document.Failure(err), nil
		}
	} else {
		d, err := s.onDocument(ctx, t)
		if err != nil {
			return document.Failure(err), nil
		}
		if d.Domain() != t.Domain {
			d.Settle(ctx)
		}
		if on := d.Domain(); on != t.Domain {
			return reply.Errorf(actions("status"), "%s is a tool of %s, and this document runs on %s: save it, close it and open it again", t.Name, t.Domain.BuildName(), on.BuildName()), nil
		}
		if r, said = d.Tool(ctx, t, arguments); said == nil {
			return r, conflict(t, r)
		}
	}
	answer = t.Answer(said)
	answer.Warnings = append(answer.Warnings, r.Warnings...)
	r.Failed = answer.Failed
	return r, answer
}

// conflict is the answer to a call that was rolled back because somebody else changed or is saving the folder; nil for
// another reason.
func conflict(t *domain.Tool, r *reply.Reply) *domain.Answer {
	var stale *document.Stale
	var locked *document.Locked
	text := strings.TrimPrefix(r.String(), "! ")
	refuse := func(code int, message string, data any) *domain.Answer {
		a := t.Refuse(code, message, text, data)
		if a.Error != nil { // otherwise the text has them
			a.Warnings = r.Warnings
		}
		return a
	}
	switch {
	case errors.As(r.Cause, &stale) && t.Stale != 0:
		recovery := "Nothing was changed. What is there now is read before the next call: call again"
		if stale.Kept != "" {
			recovery = "What this call wrote is kept as " + stale.Kept + ". What is there now is read before the next call: call again"
		}
		return refuse(t.Stale, "Stale Cache", map[string]string{"path": stale.Path, "expected_hash": stale.Expected, "actual_hash": stale.Actual, "recovery": recovery})
	case errors.As(r.Cause, &locked) && t.Locked != 0:
		data := map[string]any{"lock_file": locked.Path, "suggestion": "Another program is saving this folder: call again; if that does not help, end the program"}
		if locked.Holder > 0 {
			data["holder_pid"] = locked.Holder
		}
		return refuse(t.Locked, "Lock Error", data)
	}
	return nil
}

// onDocument returns the document that a tool works on: the current one of its domain.
func (s *Session) onDocument(ctx context.Context, t *domain.Tool) (*document.Document, error) {
	if s.shared {
		return nil, reply.Refuse(nil, "%s works on the current document, and this connection keeps none: connect with a protocol version that has sessions", t.Name)
	}
	if t.On == abi.OnFolder {
		return s.Folder(ctx, t.Domain)
	}
	return s.find(ctx, t.Domain.Name(), "")
}
