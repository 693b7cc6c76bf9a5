package main

import (
	"fmt"
	"slices"
	"strings"
)

// Bugs of the operations, in addition to broken requirements:
//
//	late-key     a parameter before the words is refused
//	no-tabs      a tab does not separate words
//	open-quote   an unclosed quote is accepted
//	one-quote    single quotes are ordinary characters
//	bare-no      a refusal has no digest
//	no-marks     the card does not mention selectors
//	secret-kind  the help does not show defined kinds

// words splits an operation at blanks outside of quotes, and reports whether
// the quotes are closed.
func (s *server) words(op string) (out []string, closed bool) {
	var word strings.Builder
	inside, quote := false, rune(0)
	for _, r := range op {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"', r == '\'' && s.bug != "one-quote":
			quote, inside = r, true
		case r == ' ', r == '\t' && s.bug != "no-tabs":
			if inside {
				out = append(out, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if inside {
		out = append(out, word.String())
	}
	return out, quote == 0 || s.bug == "open-quote"
}

func (s *server) edit(ops []string) string {
	if !s.open {
		return "!nothing on the shelf yet\n  try: shelf_session new \"Mine\""
	}
	before, past, future := s.now.clone(), len(s.past), slices.Clone(s.future)
	var out []string
	for _, op := range ops {
		line, ok := s.one(op)
		if !ok {
			line += s.suggest(op)
		}
		out = append(out, line)
		if !ok {
			if s.bug != "S5" {
				s.now, s.past, s.future = before, s.past[:past], future
			}
			if s.bug == "bare-no" {
				return strings.Join(out, "\n")
			}
			break
		}
	}
	text := strings.Join(out, "\n")
	if s.bug == "S2" {
		text = strings.TrimLeft(strings.ReplaceAll(text, "\n+", "\n"), "+-*~")
	}
	if s.bug != "S3" {
		text += s.digest()
	}
	return text
}

var verbs = []string{"put", "take", "retitle", "shade", "pair", "define"}

func no(format string, args ...any) (string, bool) {
	return "!" + fmt.Sprintf(format, args...), false
}

// one runs an operation, and returns its line and whether it succeeded.
//
// Over 80 lines: a switch over the verbs.
func (s *server) one(op string) (string, bool) {
	w, closed := s.words(op)
	if !closed {
		return no("a quote is open")
	}
	if len(w) == 0 {
		return no("say something")
	}
	verb := strings.ToLower(w[0])
	if s.bug == "M2" {
		verb = w[0]
	}
	// parameters may come anywhere after the verb
	keys := map[string]string{}
	for i := len(w) - 1; i > 0; i-- {
		key, value, ok := strings.Cut(w[i], ":")
		if !ok || value == "" || !slices.Contains([]string{"as", "for", "with", "base"}, key) {
			continue
		}
		if s.bug == "late-key" && i == 1 {
			return no("%s is no book", w[i])
		}
		keys[key], w = value, slices.Delete(w, i, i+1)
	}
	next := s.now.clone()
	at := -1
	if len(w) > 1 {
		at = next.find(w[1])
	}
	kinds := append([]string{"novel", "atlas"}, s.kinds...)
	var line string
	switch {
	case verb == "put" && len(w) == 3 && !slices.Contains(kinds, w[1]):
		return no("there is no kind %s", w[1])
	case verb == "put" && (len(w) == 2 || len(w) == 3):
		b := book{w[len(w)-1], "novel", "plain"}
		if len(w) == 3 {
			b.kind = w[1]
		}
		if next.find(b.title) >= 0 {
			return no("%s stands there already", b.title)
		}
		next.books, line = append(next.books, b), "+"+b.title
	case verb == "take" && len(w) == 2 && w[1] == "@all":
		if len(next.books) == 0 {
			return no("the shelf is empty")
		}
		next, line = shelf{}, "-everything"
	case slices.Contains([]string{"take", "retitle", "shade"}, verb) && len(w) == 2 && at < 0:
		return no("%s is not there", w[1])
	case verb == "take" && len(w) == 2:
		next.books, line = slices.Delete(next.books, at, at+1), "-"+w[1]
	case verb == "retitle" && len(w) == 2 && keys["as"] != "":
		next.books[at].title, line = keys["as"], "*"+keys["as"]
	case verb == "shade" && len(w) == 2 && keys["with"] != "":
		if next.books[at].shade == keys["with"] {
			return "?" + w[1] + " is " + keys["with"] + " already", true
		}
		next.books[at].shade, line = keys["with"], "*"+w[1]+" is "+keys["with"]
	case verb == "pair" && len(w) == 4 && w[2] == "->":
		if at < 0 || next.find(w[3]) < 0 {
			return no("both must be there")
		}
		next.pairs, line = append(next.pairs, w[1]+"+"+w[3]+" "+keys["for"]), "~"+w[1]+" with "+w[3]
	case verb == "define" && len(w) == 2:
		if !slices.Contains(kinds, keys["base"]) {
			return no("there is no kind %q", keys["base"])
		}
		s.kinds = append(s.kinds, w[1]) // kinds belong to the session, not to the shelf
		return "+kind " + w[1], true
	case slices.Contains(verbs, verb):
		return no("%s is not used that way", verb)
	case s.bug == "M7":
		return "*fine", true
	default:
		return no("no such verb: %s", verb)
	}
	if s.bug != "M4" {
		s.future = nil
	}
	s.past = append(s.past, place{state: s.now, op: op})
	s.now = next
	return line, true
}
