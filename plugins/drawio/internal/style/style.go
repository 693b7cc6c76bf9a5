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
	for rest := string(s); rest != ""; {
		var token string
		if i := strings.LastIndexByte(rest, ';'); i >= 0 {
			token, rest = rest[i+1:], rest[:i]
		} else {
			token, rest = rest, ""
		}
		if len(token) > len(key) && token[len(key)] == '=' && token[:len(key)] == key {
			return token[len(key)+1:], true
		}
	}
	return "", false
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
	if at >= 0 {
		return s[:at] + Style(key+"="+value) + s[end:]
	}
	if s != "" && s[len(s)-1] != ';' {
		s += ";"
	}
	return s + Style(key+"="+value+";")
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
	for {
		at = strings.LastIndexByte(string(s[:end]), ';') + 1
		if token := s[at:end]; len(token) > len(key) && token[len(key)] == '=' && string(token[:len(key)]) == key {
			return at, end
		}
		if at == 0 {
			return -1, -1
		}
		end = at - 1
	}
}
