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

// OAuth makes the gate admit callers with a token that an issuer signed for this server: the server is an OAuth 2.1
// resource server, as MCP's authorization defines it.
type OAuth struct {
	Resource string   // the server's canonical URI, for which tokens are issued
	Issuers  []string // where clients get tokens
	Checker  Checker
}

// Checker checks tokens. Package host/oauth implements it.
type Checker interface {
	// Check returns the token's claims, or a *Denied if it is not valid. Any other error means that this cannot be
	// determined now.
	Check(ctx context.Context, token string) (Claims, error)
	// Err returns why no token can be checked now, nil if some can.
	Err() error
}

// Claims are the contents of a valid token.
type Claims struct {
	Principal string // contains a #, unlike names in token files
	Scopes    []string
	Until     time.Time
}

// Denied reports why a token is not valid. Its text is sent in a header, so it is printable ASCII without quotes.
type Denied struct{ Why string }

func (d *Denied) Error() string { return d.Why }

const metadataPath = "/.well-known/oauth-protected-resource"

// metadataURL is the URL of the server's metadata (RFC 9728): the well-known path goes between the host and the path of
// the resource.
func (o *OAuth) metadataURL() string {
	u, err := url.Parse(o.Resource)
	if err != nil {
		return "" // impossible: checked when the gate was configured
	}
	u.Path = metadataPath + u.Path
	return u.String()
}

// serveMetadata answers a request for the server's metadata, which needs no token, and reports whether it was one.
func (o *OAuth) serveMetadata(w http.ResponseWriter, r *http.Request) bool {
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
	// An error means that the client has disconnected.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"resource":                 o.Resource,
		"resource_name":            "fcp-host",
		"authorization_servers":    o.Issuers,
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         []string{scopeAll, scopeAll + readSuffix},
	})
	return true
}

// challenge is the value of WWW-Authenticate: the error (RFC 6750, "" for none), its description, the scopes to ask
// for, and the URL of the metadata.
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

// denial is why a request is refused.
type denial struct {
	status    int
	text      string
	challenge string // WWW-Authenticate; "" for none
	later     bool   // whether it may succeed a little later
}

// check checks a request's token that is in no token file.
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
	case err != nil: // the reason is only in the log, since anybody may ask
		return Claims{}, &denial{status: http.StatusServiceUnavailable, text: "the keys of the token's issuer are not available now", later: true}
	}
	return claims, nil
}
