package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Bugs of the queries and the session, in addition to broken requirements:
//
//	no-undo     the session tool has neither undo nor redo
//	lost-undo   undo reports in plain words that there is nothing to undo
//	undo-one    undo and redo accept a count but move by one
//	keeps-log   operations before new can be undone after it
//	half-read   open loses the pairs
//	any-mark    undo to: an unknown checkpoint undoes nothing and reports success
//	to-one      undo to: undoes only one operation
//	mute        the session's answers have no digest
//	logs-asks   queries become entries of the history
//	same-past   history always answers the same
//	same-book   describe always answers the same
//	flat-book   describe answers the same for every existing book
//	fixed-book  describe does not show changed properties

func (s *server) query(q string) string {
	if !s.open {
		return "!nothing on the shelf yet"
	}
	if s.bug == "M6" {
		if s.asked++; s.asked%20 == 0 {
			s.now.books = append(s.now.books, book{title: "asked"})
		}
	}
	if s.bug == "logs-asks" && strings.HasPrefix(q, "history") {
		s.past = append(s.past, place{state: s.now, op: q})
	}
	w := strings.Fields(q)
	switch {
	case len(w) > 0 && (w[0] == "history" && s.bug == "same-past" || w[0] == "describe" && s.bug == "same-book"):
		return "a lot"
	case q == "map":
		var titles []string
		for _, b := range s.now.books {
			titles = append(titles, fmt.Sprintf("%s (%s, %s)", b.title, b.kind, b.shade))
		}
		return "On the shelf: " + strings.Join(titles, " | ") + " Pairs: " + strings.Join(s.now.pairs, " | ")
	case q == "stats" || q == "count":
		return fmt.Sprint(len(s.now.books), " books")
	case q == "status":
		return "file " + s.path
	case len(w) == 2 && w[0] == "describe":
		return s.describe(w[1])
	case len(w) == 2 && w[0] == "history" && s.bug != "S7":
		var out []string
		for _, p := range s.past {
			out = append(out, p.op)
		}
		return "Done: " + strings.Join(out, "; ")
	}
	return "!I cannot answer that"
}

func (s *server) describe(title string) string {
	i := s.now.find(title)
	switch {
	case i < 0 && s.bug == "S6" && len(s.future) > 0:
		return title + " stands at 1, plain"
	case i < 0:
		return "!there is no " + title
	case s.bug == "flat-book":
		return "a book"
	case s.bug == "fixed-book":
		return title + " is a book"
	}
	return fmt.Sprintf("%s stands at %d, %s", title, i+1, s.now.books[i].shade)
}

func (s *server) session(action string) string {
	text := s.act(action)
	if s.bug == "words" {
		text = strings.TrimPrefix(text, "!")
	}
	if s.open && s.bug != "mute" && s.bug != "S3" {
		text += s.digest()
	}
	return text
}

func (s *server) act(action string) string {
	w, _ := s.words(action)
	if len(w) == 0 {
		return "!say something"
	}
	if w[0] == "new" {
		past := s.past
		*s = server{bug: s.bug, open: true}
		if s.bug == "keeps-log" {
			s.past = past
		}
		return "+a new shelf"
	}
	if w[0] == "open" && len(w) == 2 {
		data, err := os.ReadFile(w[1])
		if err != nil {
			return "!cannot read that"
		}
		*s = server{bug: s.bug, open: true, path: w[1], now: s.read(string(data))}
		return "+read"
	}
	if !s.open {
		return "!nothing on the shelf yet"
	}
	switch w[0] {
	case "save":
		if len(w) == 2 && strings.HasPrefix(w[1], "as:") {
			s.path = w[1][3:]
		}
		if s.path == "" {
			return "!where to? try: save as:./my.shelf"
		}
		if s.bug != "M3" || len(w) == 2 {
			os.WriteFile(s.path, []byte(s.now.file()), 0o644)
		}
		return "*saved"
	case "print":
		if len(w) != 2 {
			return "!print where to?"
		}
		os.WriteFile(w[1], []byte(s.query("map")), 0o644)
		return "*printed"
	case "checkpoint":
		s.past = append(s.past, place{mark: w[1]})
		return "*marked"
	case "undo", "redo":
		if s.bug == "no-undo" {
			break
		}
		if s.bug == "lost-undo" {
			return "nothing there"
		}
		return s.move(w)
	}
	return "!I cannot do that"
}

// file writes a line for each book, and a line for each pair.
func (s shelf) file() string {
	var b strings.Builder
	for _, k := range s.books {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", k.title, k.kind, k.shade)
	}
	return b.String() + "---\n" + strings.Join(s.pairs, "\n")
}

func (s *server) read(data string) (out shelf) {
	books, pairs, _ := strings.Cut(data, "---\n")
	for line := range strings.Lines(books) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		out.books = append(out.books, book{f[0], f[1], f[2]})
	}
	if pairs != "" && s.bug != "half-read" {
		out.pairs = strings.Split(pairs, "\n")
	}
	return out
}

func (s *server) move(w []string) string {
	n, to := 1, ""
	if len(w) == 2 {
		if c, err := strconv.Atoi(w[1]); err == nil {
			if s.bug == "words" {
				return "!one at a time, please"
			}
			n = c
		}
		to = strings.TrimPrefix(w[1], "to:")
	}
	if s.bug == "undo-one" {
		n = 1
	}
	done := 0
	switch {
	case w[0] == "redo":
		for ; done < n && len(s.future) > 0; done++ {
			p := s.future[len(s.future)-1]
			s.future = s.future[:len(s.future)-1]
			s.past = append(s.past, place{state: s.now, op: p.op})
			s.now = p.state
		}
	case strings.HasPrefix(strings.Join(w[1:], ""), "to:"):
		if !slices.ContainsFunc(s.past, func(p place) bool { return p.mark == to }) {
			if s.bug == "any-mark" {
				return "*went back"
			}
			return "!no mark " + to
		}
		for s.past[len(s.past)-1].mark != to {
			s.back()
			done++
			if s.bug == "to-one" {
				break
			}
		}
	default:
		for done < n && len(s.past) > 0 {
			if s.back() {
				done++
			}
		}
	}
	if done == 0 {
		return "!nothing to do"
	}
	return fmt.Sprint("*", done, " moved")
}

// back undoes the newest place, and reports whether that was an op.
func (s *server) back() bool {
	p := s.past[len(s.past)-1]
	s.past = s.past[:len(s.past)-1]
	if p.mark != "" {
		return false
	}
	s.future = append(s.future, place{state: s.now, op: p.op})
	s.now = p.state
	if s.bug == "M5" && s.now.find("ghost") < 0 {
		s.now = s.now.clone()
		s.now.books = append(s.now.books, book{title: "ghost"})
	}
	return true
}
