package gate

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Scopes are fcp (everything), fcp:read (nothing is changed), fcp:DOMAIN and
// fcp:DOMAIN:read.
const (
	scopeAll   = "fcp"
	readSuffix = ":read"
)

var scopeText = regexp.MustCompile(`^fcp(:[A-Za-z0-9_-]{1,64})?(:read)?$`)

// A level is what a scope lets its holder do.
type level int

const (
	none level = iota
	reads
	edits
)

func levelOf(change bool) level {
	if change {
		return edits
	}
	return reads
}

// scopes are what a token lets its holder do.
type scopes struct {
	names []string // of ours, as the token has them
	all   level
	of    map[string]level // by domain
}

// scopesOf reads those scopes that are ours.
func scopesOf(words []string) *scopes {
	s := &scopes{of: map[string]level{}}
	for _, word := range words {
		if !scopeText.MatchString(word) || slices.Contains(s.names, word) {
			continue
		}
		s.names = append(s.names, word)
		dom, read := strings.CutSuffix(strings.TrimPrefix(word, scopeAll), readSuffix)
		dom = strings.TrimPrefix(dom, ":")
		if l := levelOf(!read); dom == "" {
			s.all = max(s.all, l)
		} else {
			s.of[dom] = max(s.of[dom], l)
		}
	}
	return s
}

// may reports whether they suffice for what reads, or changes, documents of a
// domain; "" means those of all domains.
func (s *scopes) may(domain string, change bool) bool {
	return max(s.all, s.of[domain]) >= levelOf(change)
}

// with are the names of what a client needs to ask for to have one more.
func (s *scopes) with(domain string, change bool) string {
	need := scopeAll
	if domain != "" {
		need += ":" + domain
	}
	if !change {
		need += readSuffix
	}
	return strings.Join(append(slices.Clone(s.names), need), " ")
}

// May reports whether the caller may read, or change, documents of a domain;
// "" means those of all domains. Only tokens of an issuer are limited.
func (c *Call) May(domain string, change bool) bool {
	return c == nil || c.scopes == nil || c.scopes.may(domain, change)
}

// Needs is May for what the call is about: without it, the call is answered with
// status 403, which tells the client what to ask its issuer for. It returns why
// the call is refused, "" where it is not.
func (c *Call) Needs(domain string, change bool) (why string) {
	if c.May(domain, change) {
		return ""
	}
	c.lacks = c.scopes.with(domain, change)
	text := "your token does not let you read "
	if change {
		text = "your token does not let you change "
	}
	if domain == "" {
		text += "documents of all domains"
	} else {
		text += "documents of " + domain
	}
	return text + "; a token with these scopes does: " + c.lacks
}

// Several says that the request has several messages, of which each is answered
// for itself: what one of them lacks is not the status of all.
func (c *Call) Several() {
	if c != nil {
		c.several = true
	}
}

// short puts what the call lacks into the header of its answer.
func (c *Call) short(h http.Header) bool {
	if c == nil || c.lacks == "" || c.several {
		return false
	}
	h.Set("WWW-Authenticate", c.g.c.OAuth.challenge("insufficient_scope", "", c.lacks))
	return true
}

// While returns a context that ends when the caller's token does, for what would
// last longer than a call.
func (c *Call) While(ctx context.Context) (context.Context, context.CancelFunc) {
	if c == nil || c.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, c.until)
}
