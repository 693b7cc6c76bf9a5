package gate

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Scopes are fcp (everything), fcp:read (reading), fcp:DOMAIN and fcp:DOMAIN:read.
const (
	scopeAll   = "fcp"
	readSuffix = ":read"
)

var scopeText = regexp.MustCompile(`^fcp(:[A-Za-z0-9_-]{1,64})?(:read)?$`)

// level is what a scope allows.
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

// scopes are what a token allows.
type scopes struct {
	names []string // the token's scopes that belong to this server
	all   level
	of    map[string]level // by domain
}

// scopesOf parses the scopes that belong to this server.
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

// may reports whether the scopes allow reading, or changing, documents of a domain; "" means of all domains.
func (s *scopes) may(domain string, change bool) bool {
	return max(s.all, s.of[domain]) >= levelOf(change)
}

// with lists the scopes that a client has to request to get one more, the present ones included.
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

// May reports whether the caller may read, or change, documents of a domain; "" means of all domains. Only tokens of
// issuers are limited.
func (c *Call) May(domain string, change bool) bool {
	return c == nil || c.scopes == nil || c.scopes.may(domain, change)
}

// Needs checks May for what the call is about, and returns why the call must be refused, or "". If it must, the
// response gets the status 403 and a header that tells the client which scopes to request.
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

// SetSeveral notes that the request has several messages, each with its own answer, so that a missing scope of one of
// them does not become the status of all.
func (c *Call) SetSeveral() {
	if c != nil {
		c.several = true
	}
}

// addScopeChallenge adds the scopes that the call lacks to the header, and reports whether there are any.
func (c *Call) addScopeChallenge(h http.Header) bool {
	if c == nil || c.lacks == "" || c.several {
		return false
	}
	h.Set("WWW-Authenticate", c.g.c.OAuth.challenge("insufficient_scope", "", c.lacks))
	return true
}

// UntilExpiry returns a context that ends when the caller's token expires, for what may outlast that.
func (c *Call) UntilExpiry(ctx context.Context) (context.Context, context.CancelFunc) {
	if c == nil || c.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, c.until)
}
