package web

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxURL is the longest path with its query, in bytes after escaping. Servers accept 8 KiB of request line.
const maxURL = 8000

// url returns the URL of a request: the base path, the segments, the query.
func (e *Endpoint) url(path []string, query []KeyValue) (*url.URL, error) {
	escaped := e.path
	for i, s := range path {
		if err := checkSegment(s); err != nil {
			return nil, fmt.Errorf("path segment %d (%s): %w", i+1, quote(s), err)
		}
		escaped += "/" + url.PathEscape(s)
	}
	if escaped == "" {
		escaped = "/"
	}
	u := *e.base
	u.RawPath = escaped
	var err error
	if u.Path, err = url.PathUnescape(escaped); err != nil {
		return nil, err
	}
	var q strings.Builder
	for i, kv := range query {
		if i > 0 {
			q.WriteByte('&')
		}
		q.WriteString(url.QueryEscape(kv.Key) + "=" + url.QueryEscape(kv.Value))
	}
	u.RawQuery = q.String()
	if n := len(u.RequestURI()); n > maxURL {
		return nil, fmt.Errorf("the URL has %d bytes, at most %d are sent", n, maxURL)
	}
	return &u, nil
}

// checkSegment refuses what a server may take for something else than one segment, as it is or after one or two more
// decodings: servers and proxies decode more often than they should. A slash is data (a name such as "team/flow"), so
// it is escaped, and each part between slashes must satisfy the same rules.
func checkSegment(s string) error {
	for range 3 {
		if !utf8.ValidString(s) {
			return errors.New("it is not UTF-8")
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
			return errors.New("backslashes and control characters are refused, encoded ones too")
		}
		for piece := range strings.SplitSeq(s, "/") {
			// Some servers cut off ";parameters" before they look for dots, and some file systems drop trailing dots
			// and blanks.
			piece, _, _ = strings.Cut(piece, ";")
			if strings.TrimFunc(piece, func(r rune) bool { return r == '.' || unicode.IsSpace(r) }) == "" {
				return errors.New(`empty segments, "." and ".." are refused, encoded ones too`)
			}
		}
		s = unescape(s)
	}
	return nil
}

// unescape decodes each valid %XX and leaves others: strict decoders refuse "..%2f%zz", lenient ones see the dots.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c, n := percent([]byte(s[i:min(i+3, len(s))]))
		if n == 0 {
			c, n = s[i], 1
		}
		out = append(out, c)
		i += n
	}
	return string(out)
}

// checkEscaped applies the rules of segments to an escaped path, which is "" or starts with a slash. Its last segment
// may be empty.
func checkEscaped(path string) error {
	if path == "" {
		return nil
	}
	rest, ok := strings.CutPrefix(path, "/")
	if !ok {
		return errors.New("no absolute path")
	}
	if rest == "" {
		return nil
	}
	for s := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		if err := checkSegment(unescape(s)); err != nil {
			return err
		}
	}
	return nil
}

// resolveRedirect resolves a Location against a URL of the endpoint, and fails if the result is outside of the
// endpoint. Location contains no secrets: a part of one could not be recognized in the error.
func (e *Endpoint) resolveRedirect(from *url.URL, location string) (*url.URL, error) {
	u, err := from.Parse(location)
	if err != nil {
		return nil, errors.New("to an invalid URL")
	}
	host, err := hostOf(u)
	if err != nil || u.Scheme != e.base.Scheme || host != e.base.Host || u.User != nil || u.Opaque != "" {
		return nil, fmt.Errorf("to %s, outside of the grant (%s)", quote(u.Scheme+"://"+u.Host), e.Origin)
	}
	path := u.EscapedPath()
	if path != e.path && !strings.HasPrefix(path, e.path+"/") || checkEscaped(path) != nil {
		return nil, errors.New("to a path outside of the grant")
	}
	if len(u.RequestURI()) > maxURL {
		return nil, errors.New("to an address that is too long")
	}
	u.Fragment, u.RawFragment = "", ""
	u.Host = host
	return u, nil
}
