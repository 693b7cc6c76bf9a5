package web

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// KeyValue is a header or a query parameter.
type KeyValue struct{ Key, Value string }

// Endpoint is where requests may go: an origin, a base path below which they stay, and headers that the host adds.
// [NewEndpoint] makes it; it is immutable. Printing it prints no secret.
type Endpoint struct {
	Name      string
	Origin    string   // scheme, host and port, as in "https://flows.example:8443"
	Variables []string // variables in the base and the headers, without duplicates, in order

	base    *url.URL   // the Origin, parsed
	path    string     // escaped, "" or "/api/v1"
	headers []KeyValue // with the variables' values
	secrets []string
	private bool           // may dial private addresses
	exact   netip.Addr     // the base's host, if the user wrote it as an address
	roots   *x509.CertPool // nil for the system's
}

// Options are what the user adds to the manifest.
type Options struct {
	// Lookup returns the value of a variable, from the environment or a file, and whether it is set.
	Lookup func(name string) (value string, ok bool)
	// Configured means that the user wrote the base, not the manifest. A base that is a variable always counts as the
	// user's.
	Configured bool
	// CA holds PEM certificates that replace the system's roots.
	CA []byte
}

// minSecret is the minimum length of a header variable's value, in bytes. Removing a shorter one would damage replies.
const minSecret = 8

var (
	variableBase = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}((?:/[A-Za-z0-9._~-]+)*)$`)
	headerValue  = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9._-]* )?\$\{([A-Za-z_][A-Za-z0-9_]*)(:-)?\}$`)
)

// Variables returns the variables of a base and headers, without duplicates, in order. A variable may stand only at the
// start of the base, followed by nothing but a path, or be a header's whole value or all after its scheme ("Bearer
// ${KEY}"; with "Bearer ${KEY:-}" the header is omitted if KEY is not set). Otherwise it fails.
func Variables(base string, headers []KeyValue) ([]string, error) {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if name, _, ok := BaseVariable(base); ok {
		add(name)
	} else if strings.Contains(base, "${") {
		return nil, fmt.Errorf("base %q: a variable is the whole base, or all but a path behind it, as in ${FLOWISE_API_URL}/api/v1", base)
	}
	for _, h := range headers {
		if m := headerValue.FindStringSubmatch(h.Value); m != nil {
			add(m[2])
		} else if strings.Contains(h.Value, "${") {
			return nil, fmt.Errorf("header %s: a variable is the whole value or follows a scheme, as in Bearer ${FLOWISE_API_KEY}", h.Key)
		}
	}
	return names, nil
}

// BaseVariable splits a base into its variable and the path after it: "${FLOWISE_API_URL}/api/v1".
func BaseVariable(base string) (name, path string, ok bool) {
	if m := variableBase.FindStringSubmatch(base); m != nil {
		return m[1], m[2], true
	}
	return "", "", false
}

// Below appends a path to a base, unless the base's own path ends in it.
func Below(base, path string) string {
	base = strings.TrimSpace(base)
	if u, err := url.Parse(base); err != nil || path == "" || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(strings.TrimSuffix(u.EscapedPath(), "/"), path) {
		return base
	}
	return strings.TrimSuffix(base, "/") + path
}

// OptionalVariable reports whether requests work without a variable: only headers that are then omitted name it.
func OptionalVariable(base string, headers []KeyValue, name string) bool {
	first, _, _ := BaseVariable(base)
	needed := first == name
	for _, h := range headers {
		if m := headerValue.FindStringSubmatch(h.Value); m != nil && m[2] == name && m[3] == "" {
			needed = true
		}
	}
	return !needed
}

// NewEndpoint validates a base and headers and substitutes the variables. Its errors name variables, but never their
// values.
func NewEndpoint(name, base string, headers []KeyValue, o Options) (*Endpoint, error) {
	e := &Endpoint{Name: name, private: o.Configured}
	var err error
	if e.Variables, err = Variables(base, headers); err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", name, err)
	}
	what := fmt.Sprintf("endpoint %s: base %q", name, base)
	if variable, path, ok := BaseVariable(base); ok {
		e.private = true
		if base, err = o.value(variable); err != nil {
			return nil, fmt.Errorf("endpoint %s: base: %w", name, err)
		}
		base = Below(base, path)
		what = fmt.Sprintf("endpoint %s: base ${%s}", name, variable)
	}
	if err := e.setBase(base); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	for _, h := range headers {
		if err := e.addHeader(h, o); err != nil {
			return nil, fmt.Errorf("endpoint %s: header %s: %w", name, h.Key, err)
		}
	}
	if o.CA != nil {
		e.roots = x509.NewCertPool()
		if !e.roots.AppendCertsFromPEM(o.CA) {
			return nil, fmt.Errorf("endpoint %s: the CA file holds no PEM certificate", name)
		}
	}
	return e, nil
}

func (o Options) value(name string) (string, error) {
	if o.Lookup != nil {
		if v, ok := o.Lookup(name); ok && v != "" {
			return v, nil
		}
	}
	return "", fmt.Errorf("%s is not set", name)
}

// setBase parses the base. Its errors do not contain the base, which may be a variable's value.
func (e *Endpoint) setBase(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return errors.New("not a URL such as https://flows.example/api/v1")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("only https and http are supported")
	case u.Scheme == "http" && !e.private:
		return errors.New("a manifest's own base must be https")
	case u.User != nil:
		return errors.New("the URL must have no user and password: use a header")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("the URL must have no query and no fragment: requests have their own")
	}
	host, err := hostOf(u)
	if err != nil {
		return err
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && e.private {
		e.exact = addr.Unmap()
	}
	e.base = &url.URL{Scheme: u.Scheme, Host: host}
	e.Origin = e.base.String()
	if checkEscaped(u.EscapedPath()) != nil {
		return errors.New("its path holds dots, empty segments, backslashes or control characters")
	}
	e.path = strings.TrimSuffix(u.EscapedPath(), "/")
	return nil
}

// hostOf returns the host and port of a URL in canonical form: lower case, without the scheme's default port.
func hostOf(u *url.URL) (string, error) {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
		host = addr.String()
	} else if !isHostName(host) {
		return "", errors.New("its host is neither an address nor a name of ASCII letters, digits, dots and hyphens (xn--… for others)")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" && !strings.HasSuffix(u.Host, ":") || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return host, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", errors.New("its port is not 1 to 65535")
	}
	return fmt.Sprintf("%s:%d", host, n), nil
}

func isHostName(s string) bool {
	for label := range strings.SplitSeq(strings.TrimSuffix(s, "."), ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
				return false
			}
		}
	}
	return len(s) <= 253
}

func (e *Endpoint) addHeader(h KeyValue, o Options) error {
	if err := checkEndpointHeader(h.Key); err != nil {
		return err
	}
	if slices.ContainsFunc(e.headers, func(have KeyValue) bool { return strings.EqualFold(have.Key, h.Key) }) {
		return errors.New("set twice")
	}
	if m := headerValue.FindStringSubmatch(h.Value); m != nil {
		v, err := o.value(m[2])
		if err != nil && m[3] != "" {
			return nil
		}
		if err != nil {
			return err
		}
		// The last line of a file ends with a newline.
		v = strings.TrimRight(v, "\r\n")
		if !isVisible(v) {
			return fmt.Errorf("the value of %s has characters other than visible ASCII", m[2])
		}
		if len(v) < minSecret {
			return fmt.Errorf("the value of %s is shorter than %d characters, too short to be kept out of replies", m[2], minSecret)
		}
		e.secrets = append(e.secrets, v)
		if strings.EqualFold(m[1], "basic ") {
			e.secrets = append(e.secrets, passwords(v)...)
		}
		h.Value = m[1] + v
	}
	if !isFieldValue(h.Value) {
		return errors.New("its value holds control characters or is too long")
	}
	e.headers = append(e.headers, h)
	return nil
}

// passwords returns the parts of basic authentication's credentials that are secret.
func passwords(credentials string) []string {
	pair, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		return nil
	}
	_, password, _ := strings.Cut(string(pair), ":")
	if len(password) < minSecret || !isVisible(password) {
		return nil
	}
	return []string{password}
}

// isVisible reports whether s consists of printable ASCII.
func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// String describes the endpoint without its secrets.
func (e *Endpoint) String() string { return e.Name + " (" + e.Origin + ")" }

// GoString describes the endpoint without its secrets.
func (e *Endpoint) GoString() string { return "web.Endpoint{" + e.String() + "}" }

// RedactorOf returns a Redactor for the secrets of all these endpoints.
func RedactorOf(endpoints ...*Endpoint) *Redactor {
	var secrets []string
	for _, e := range endpoints {
		secrets = append(secrets, e.secrets...)
	}
	return NewRedactor(secrets...)
}
