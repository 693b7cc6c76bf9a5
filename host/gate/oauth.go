package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// OAuth makes the gate let in those whose token an issuer signed for this server
// (a resource server of OAuth 2.1, as MCP's authorization has it).
type OAuth struct {
	Resource string   // the server's canonical URI, for which tokens are issued
	Issuers  []string // where clients get tokens
	Checker  Checker
}

// Checker checks tokens. host/oauth has one.
type Checker interface {
	// Check returns what the token says, or a *Denied where it is not valid.
	// Another error means that it cannot be told at the moment.
	Check(ctx context.Context, token string) (Claims, error)
	// Err is why no token can be checked at the moment, nil when some can.
	Err() error
}

// Claims are what a valid token says.
type Claims struct {
	Principal string // of an issuer: it has a # in it, and names in token files have none
	Scopes    []string
	Until     time.Time
}

// Denied is why a token is not valid. Its text goes into a header: it is of
// printable ASCII, without quotes.
type Denied struct{ Why string }

func (d *Denied) Error() string { return d.Why }

const metadataPath = "/.well-known/oauth-protected-resource"

// metadataURL is where the server describes itself (RFC 9728): the well-known
// path goes between the host and the path of the resource.
func (o *OAuth) metadataURL() string {
	u, err := url.Parse(o.Resource)
	if err != nil {
		return "" // whoever made the gate has parsed it
	}
	u.Path = metadataPath + u.Path
	return u.String()
}

// describes answers a request for the server's metadata, which needs no token,
// and reports whether it was one.
func (o *OAuth) describes(w http.ResponseWriter, r *http.Request) bool {
	if o == nil || !strings.HasPrefix(r.URL.Path, metadataPath) {
		return false
	}
	own, err := url.Parse(o.metadataURL())
	if err != nil || r.URL.Path != metadataPath && r.URL.Path != own.Path {
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET the metadata", http.StatusMethodNotAllowed)
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	// An error of the connection: nobody is left to tell.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"resource":                 o.Resource,
		"resource_name":            "fcp-host",
		"authorization_servers":    o.Issuers,
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         []string{scopeAll, scopeAll + readSuffix},
	})
	return true
}

// challenge is the value of WWW-Authenticate: which error (RFC 6750, "" for
// none), why, the scopes to ask for, and where the server describes itself.
func (o *OAuth) challenge(kind, why, scopes string) string {
	var b strings.Builder
	b.WriteString(`Bearer realm="fcp-host"`)
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, `, %s="%s"`, name, value)
		}
	}
	add("error", kind)
	add("error_description", why)
	add("scope", scopes)
	add("resource_metadata", o.metadataURL())
	return b.String()
}

// denial is why a request is not answered.
type denial struct {
	status    int
	text      string
	challenge string // WWW-Authenticate, "" for none
	later     bool   // it may succeed a little later
}

// check finds out whose the token of a request is, where no token file knows it.
func (o *OAuth) check(r *http.Request) (Claims, *denial) {
	if len(r.Header.Values("Authorization")) > 1 {
		const why = "there is more than one Authorization header"
		return Claims{}, &denial{status: http.StatusBadRequest, text: why, challenge: o.challenge("invalid_request", why, "")}
	}
	text, ok := bearer(r)
	if !ok {
		return Claims{}, &denial{status: http.StatusUnauthorized, text: needToken, challenge: o.challenge("", "", scopeAll)}
	}
	claims, err := o.Checker.Check(r.Context(), text)
	var denied *Denied
	switch {
	case errors.As(err, &denied):
		return Claims{}, &denial{status: http.StatusUnauthorized, text: denied.Why, challenge: o.challenge("invalid_token", denied.Why, scopeAll)}
	case err != nil: // the log has it: anybody may ask here
		return Claims{}, &denial{status: http.StatusServiceUnavailable, text: "the keys of the token's issuer cannot be had at the moment", later: true}
	}
	return claims, nil
}
