package gate

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

const needToken = "a token is needed: send the header Authorization: Bearer TOKEN"

// identify finds the call's principal and what it may do, or returns why the call is denied.
func (g *Gate) identify(r *http.Request, c *conn, call *Call) *denial {
	unix := c != nil && c.unix
	if unix {
		no := ""
		if c.err != nil {
			no = "the user at the other end of the socket is unknown"
		} else if c.uid != os.Getuid() && c.uid != 0 && !slices.Contains(g.c.Users, c.uid) {
			no = fmt.Sprintf("the user %d may not use this socket", c.uid)
		}
		if no != "" && g.c.Tokens == nil && g.c.OAuth == nil {
			return &denial{status: http.StatusForbidden, text: no}
		} else if no != "" {
			return g.unauthorized(no)
		}
		call.Principal = "uid-" + strconv.Itoa(c.uid)
	}
	switch {
	case g.c.Tokens != nil || g.c.OAuth != nil:
		if text, ok := bearer(r); ok && g.c.Tokens != nil {
			if call.Principal, ok = g.c.Tokens.principal(text); ok {
				return nil
			}
		}
		if g.c.OAuth == nil {
			return g.unauthorized(needToken)
		}
		claims, no := g.c.OAuth.check(r)
		if no != nil {
			return no
		}
		call.Principal, call.until, call.scopes = claims.Principal, claims.Until, scopesOf(claims.Scopes)
		if len(call.scopes.names) == 0 {
			const why = "the token has no scope of this server"
			return &denial{status: http.StatusForbidden, text: why, challenge: g.c.OAuth.challenge("insufficient_scope", why, scopeAll)}
		}
	case g.c.Open && !unix:
		call.Principal = Anyone
	}
	if call.Principal == "" {
		return g.unauthorized("all requests are refused")
	}
	return nil
}

// unauthorized is the denial of a caller without a valid token.
func (g *Gate) unauthorized(text string) *denial {
	no := &denial{status: http.StatusUnauthorized, text: text, challenge: `Bearer realm="fcp-host"`}
	if g.c.OAuth != nil {
		no.challenge = g.c.OAuth.challenge("", "", scopeAll)
	}
	return no
}

// bearer is the bearer token of a request.
func bearer(r *http.Request) (string, bool) {
	all := r.Header.Values("Authorization")
	if len(all) != 1 {
		return "", false
	}
	scheme, text, ok := strings.Cut(all[0], " ")
	return strings.TrimSpace(text), ok && strings.EqualFold(scheme, "Bearer")
}

// checkOrigin returns why a request is refused, or "". A browser must not reach this server for a page of another site:
// such a request has that site as its Origin or, after DNS rebinding, as its Host.
func (g *Gate) checkOrigin(r *http.Request) string {
	if !g.allowed(r.Host) {
		return fmt.Sprintf("the Host %q is not one of this server's names", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !g.allowed(u.Host) {
			return fmt.Sprintf("requests from pages of %q are not answered", origin)
		}
	}
	return ""
}

// allowed reports whether host, with or without a port, is the loopback or one of the configured names.
func (g *Gate) allowed(host string) bool {
	host = hostName(host)
	return Loopback(host) || slices.ContainsFunc(g.c.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// hostName returns a host without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}
