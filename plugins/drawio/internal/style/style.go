// Package style knows what a cell looks like: the style text of draw.io, the shape
// types and themes this domain offers, and the colours and keys it accepts.
package style

import "strings"

// Style is a cell's style: tokens separated by ";", each "key=value" or bare.
// It is kept and changed as text, so tokens that nobody names survive in
// their place, whatever they are.
type Style string

// Get is the value of key and whether there is one. Of several the last
// counts, as in draw.io.
func (s Style) Get(key string) (string, bool) {
	at, end := s.find(key)
	if at < 0 {
		return "", false
	}
	return string(s[at+len(key)+1 : end]), true
}

// Is reports whether key has that value.
func (s Style) Is(key, value string) bool {
	v, ok := s.Get(key)
	return ok && v == value
}

// Bare reports whether the style has the bare token, such as "ellipse".
func (s Style) Bare(token string) bool {
	for rest := string(s); ; {
		t, tail, more := strings.Cut(rest, ";")
		if t == token {
			return true
		}
		if !more {
			return false
		}
		rest = tail
	}
}

// Set gives key the value: in its place, or at the end.
func (s Style) Set(key, value string) Style {
	at, end := s.find(key)
	switch {
	case at >= 0:
		return s[:at] + Style(key) + "=" + Style(value) + s[end:]
	case s != "" && s[len(s)-1] != ';':
		return s + ";" + Style(key) + "=" + Style(value) + ";"
	}
	return s + Style(key) + "=" + Style(value) + ";"
}

// Drop removes every token "key=…".
func (s Style) Drop(key string) Style {
	for {
		at, end := s.find(key)
		if at < 0 {
			return s
		}
		if end < len(s) {
			end++
		}
		s = s[:at] + s[end:]
	}
}

// find is where the last token "key=…" starts and ends, -1 when there is none.
func (s Style) find(key string) (at, end int) {
	end = len(s)
	for i := len(s) - 1; i >= -1; i-- {
		if i >= 0 && s[i] != ';' {
			continue
		}
		if at := i + 1; end-at > len(key) && s[at+len(key)] == '=' && string(s[at:at+len(key)]) == key {
			return at, end
		}
		end = i
	}
	return -1, -1
}
