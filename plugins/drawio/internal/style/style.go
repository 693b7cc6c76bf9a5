// Package style reads and changes the styles of draw.io cells. It contains the shape types and themes of this domain,
// and the colours and keys that it accepts.
package style

import "strings"

// Style is the style of a cell: tokens separated by ";", each "key=value" or bare. It is kept and changed as text, so
// that unknown tokens stay in place.
type Style string

// Get returns the value of key and whether it is set. If it is set several times the last value counts, as in draw.io.
func (s Style) Get(key string) (string, bool) {
	at, end := s.find(key)
	if at < 0 {
		return "", false
	}
	return string(s[at+len(key)+1 : end]), true
}

// Is reports whether key is set to value.
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

// Set sets key to value, in place or at the end.
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

// find returns the offsets at which the last token "key=…" starts and ends; at is -1 if there is none.
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
