package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

const (
	maxHeaders    = 32      // set by a guest
	maxFieldValue = 4 << 10 // bytes of a value that is sent
	maxAnswered   = 256     // header lines of a response
)

// guestHeaders are the headers that a guest may set. All others belong to the endpoint or the connection.
var guestHeaders = []string{
	"Accept", "Accept-Language", "Content-Language", "Content-Type", "Idempotency-Key",
	"If-Match", "If-Modified-Since", "If-None-Match", "If-Unmodified-Since", "Prefer", "X-Request-Id",
}

// ownHeaders are headers that no endpoint may set: they frame a message, say on whose behalf it is sent, or change its
// method.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Forwarded", "Host", "Http2-Settings", "Keep-Alive", "Te", "Trailer",
	"Idempotency-Key", "X-Idempotency-Key", // one for each request, never the same for all
	"Transfer-Encoding", "Upgrade", "Via", "X-Http-Method", "X-Http-Method-Override", "X-Method-Override",
	"X-Original-Url", "X-Rewrite-Url", "X-Real-Ip",
}

// dropped are headers of a response that no guest gets: cookies, hop-by-hop headers, and lengths and encodings of a
// body that it gets decoded.
var dropped = []string{
	"Connection", "Content-Encoding", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Connection",
	"Set-Cookie", "Set-Cookie2", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func checkEndpointHeader(name string) error {
	key := textproto.CanonicalMIMEHeaderKey(name)
	if !isToken(name) {
		return errors.New("not a header's name")
	}
	if slices.Contains(ownHeaders, key) || strings.HasPrefix(key, "Proxy-") || strings.HasPrefix(key, "X-Forwarded-") {
		return errors.New("no endpoint sets this header")
	}
	return nil
}

// requestHeader returns the headers to send: the guest's, if it may set them, and the endpoint's.
func (e *Endpoint) requestHeader(guest []KeyValue) (http.Header, error) {
	if len(guest) > maxHeaders {
		return nil, fmt.Errorf("%d headers, at most %d are sent", len(guest), maxHeaders)
	}
	h := http.Header{"User-Agent": {"fcp-host"}}
	for _, kv := range e.headers {
		h[textproto.CanonicalMIMEHeaderKey(kv.Key)] = []string{kv.Value}
	}
	for _, kv := range guest {
		key := textproto.CanonicalMIMEHeaderKey(kv.Key)
		if !slices.Contains(guestHeaders, key) {
			return nil, fmt.Errorf("header %s is not one that a guest sets: %s", quote(kv.Key), strings.Join(guestHeaders, ", "))
		}
		if h[key] != nil {
			return nil, fmt.Errorf("header %s is set already, by the endpoint or twice", key)
		}
		if !isFieldValue(kv.Value) {
			return nil, fmt.Errorf("header %s: its value holds control characters or is longer than %d bytes", key, maxFieldValue)
		}
		h[key] = []string{kv.Value}
	}
	if v, ok := h["Idempotency-Key"]; ok {
		// net/http repeats a POST that has one, which must not happen. In lower case it does not recognize the header.
		delete(h, "Idempotency-Key")
		h["idempotency-key"] = v
	}
	return h, nil
}

// overridesMethod reports whether some framework takes a GET with this query parameter for another method. PHP reads
// "." and " " in a name as "_".
func overridesMethod(key string) bool {
	key = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(key))
	key = strings.TrimRight(key, "_")
	return slices.Contains([]string{"_method", "_httpmethod", "x_http_method", "x_http_method_override", "x_method_override"}, key)
}

// responseHeader returns the headers of a response that a guest gets, sorted by name.
func (c *Client) responseHeader(h http.Header, head bool) ([]KeyValue, error) {
	drop := slices.Clone(dropped)
	for _, v := range h["Connection"] {
		for name := range strings.SplitSeq(v, ",") {
			drop = append(drop, textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)))
		}
	}
	if !head {
		drop = append(drop, "Content-Length")
	}
	var out []KeyValue
	for _, key := range slices.Sorted(maps.Keys(h)) {
		if slices.Contains(drop, key) {
			continue
		}
		for _, v := range h[key] {
			if len(out) == maxAnswered {
				return nil, fmt.Errorf("more than %d header lines", maxAnswered)
			}
			out = append(out, KeyValue{c.redactor.Text(key), c.redactor.Text(strings.ToValidUTF8(v, "\uFFFD"))})
		}
	}
	return out, nil
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

func isFieldValue(s string) bool {
	return len(s) <= maxFieldValue && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
