package main

import (
	"slices"
	"strings"
)

// Bugs of the suggestions:
//
//	S4         there are none
//	verb-only  there are none for a misspelt book
//	bare-try   only the verb is suggested
//	wrong-try  the suggestion is not an operation
//	idle-try   the suggestion changes nothing
//	grim-try   the suggestion takes every book
//	one-try    every mistake gets the same suggestion

// suggest returns a suggestion for a failed operation, as a line of the reply; "" for none.
func (s *server) suggest(op string) string {
	w, closed := s.words(op)
	if !closed || len(w) == 0 || s.bug == "S4" {
		return ""
	}
	var mended [][]string
	replace := func(i int, known []string) {
		for _, k := range known {
			if alike(w[i], k) {
				m := slices.Clone(w)
				m[i] = k
				mended = append(mended, m)
			}
		}
	}
	replace(0, verbs)
	var titles []string
	for _, b := range s.now.books {
		titles = append(titles, b.title)
	}
	for i := 1; i < len(w) && s.bug != "verb-only"; i++ {
		replace(i, titles)
	}
	for i := len(w) - 1; i > 0; i-- {
		mended = append(mended, slices.Delete(slices.Clone(w), i, i+1))
	}
	for _, m := range mended {
		try := quoted(m)
		if s.works(try) {
			return "\n  try: " + s.spoilt(try)
		}
	}
	return ""
}

// works tries an operation on a copy.
func (s *server) works(op string) bool {
	copied := &server{bug: s.bug, open: true, now: s.now.clone(), kinds: slices.Clone(s.kinds)}
	line, ok := copied.one(op)
	return ok && !strings.HasPrefix(line, "?")
}

// spoilt returns the suggestion, or a bad one if the bug asks for it.
func (s *server) spoilt(try string) string {
	verb, _, _ := strings.Cut(try, " ")
	switch {
	case s.bug == "bare-try":
		return verb
	case s.bug == "wrong-try":
		return "frobnicate it all"
	case s.bug == "one-try":
		return "put Emma"
	case s.bug == "idle-try" && len(s.now.books) > 0:
		b := s.now.books[0]
		return quoted([]string{"shade", b.title, "with:" + b.shade})
	case s.bug == "grim-try" && len(s.now.books) > 0:
		return "take @all"
	}
	return try
}

func quoted(w []string) string {
	w = slices.Clone(w)
	for i := range w {
		if strings.Contains(w[i], " ") {
			w[i] = `"` + w[i] + `"`
		}
	}
	return strings.Join(w, " ")
}

// alike reports whether one word is the other with one or two letters left out.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(b)-len(a) > 2 || len(a) < 2 {
		return false
	}
	i := 0
	for j := 0; j < len(b) && i < len(a); j++ {
		if a[i] == b[j] {
			i++
		}
	}
	return i == len(a)
}
