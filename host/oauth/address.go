package oauth

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/fcp-host/fcp-host/host/gate"
)

const maxURL = 512

// plainURL has no character that would need to be escaped in a header.
var plainURL = regexp.MustCompile(`^[A-Za-z0-9:/?#\[\]@!$&'()*+,;=._~%-]+$`)

// address parses the URL of a server: https, or http on the loopback, where nobody
// can eavesdrop.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > maxURL || !plainURL.MatchString(text) || u.Host == "":
		return nil, errors.New("it is not a URL such as https://auth.example")
	case u.Scheme != "https" && (u.Scheme != "http" || !gate.Loopback(u.Hostname())):
		return nil, errors.New("it must begin with https://")
	case u.User != nil || u.Fragment != "" || strings.Contains(text, "#"):
		return nil, errors.New("it must have no user and no #")
	}
	return u, nil
}

// WrongIssuer returns why a text is not an issuer's identifier, or nil if it is one.
func WrongIssuer(text string) error {
	u, err := address(text)
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		err = errors.New("it must have no ?")
	}
	return err
}

// Canonical returns a resource's URI in the form that is compared: scheme and host in
// lower case, without the scheme's default port and a slash at the end.
func Canonical(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" || len(text) > maxURL || !plainURL.MatchString(text) {
		return "", errors.New("it is not a URL such as https://edit.example/mcp")
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("it must begin with https://, or http:// for this machine")
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#") {
		return "", errors.New("it must have no user, no ? and no #")
	}
	if port := u.Port(); port == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	u.Host = strings.TrimSuffix(u.Host, ":")
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	return u.String(), nil
}

// wellKnown lists the URLs of an issuer's metadata, in the order in which MCP
// requires clients to try them.
func wellKnown(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil // it was checked
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	base := u.Scheme + "://" + u.Host
	list := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		list = append(list, base+path+"/.well-known/openid-configuration")
	}
	return list
}
