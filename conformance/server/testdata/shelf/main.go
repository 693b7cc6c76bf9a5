// Command shelf is an FCP server that shares nothing with fcp-host: its own
// JSON-RPC loop, wording, prefixes without a blank, a digest of another form, no
// isError. Its argument names one requirement to break, or another manner:
//
//	words      edits set isError, the session tool refuses in plain words and takes no counts
//	coded      refused edits are JSON-RPC errors
//	ends       the process ends in the middle
//	no-undo    the session tool knows no undo and no redo
//	keeps-log  what was done before new can be undone after it
//	silent     answers are structured content without a text
//	long-name  the tool for operations is called shelf_edit
//	late-key   a parameter is refused in front of the words
//	half-read  open forgets the pairs
//	any-mark   undo to: takes back nothing for a mark that is none, and says it did
//	to-one     undo to: takes back one operation
//	logs-asks  what is asked is kept as something to undo
//	bare-no    a refusal has no digest
//	no-marks   the card does not tell of selectors
//	same-past  history gives one answer
//	same-book  describe gives one answer
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// shelf is the model: books in order, and pairs of them.
type shelf struct {
	books, pairs []string
}

func (s shelf) clone() shelf { return shelf{slices.Clone(s.books), slices.Clone(s.pairs)} }

// place is one point of the history: a state, or a checkpoint's name.
type place struct {
	state shelf
	op    string
	mark  string
}

type server struct {
	bug    string
	open   bool
	now    shelf
	past   []place // what was done, the state before each
	future []place // what was undone, the last undone at the end
	path   string
	asked  int
}

const card = `Keep a shelf of books.

Verbs:
  put BOOK
  take BOOK
  take @all
  retitle BOOK as:NEW
  pair A -> B for:REASON

Selectors: @all
Answers start with: + put, - taken, * retitled, ~ paired, ! refused
A book with blanks in its title goes in "double quotes". Example: put "The Tin Drum"`

func main() {
	s := &server{}
	if len(os.Args) > 1 {
		s.bug = os.Args[1]
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	calls := 0
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct {
					Ops       []string
					Q, Action string
				}
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		var result any
		switch m.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": "2024-11-05", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "shelf", "version": "0"}}
		case "tools/list":
			result = map[string]any{"tools": s.tools()}
		case "tools/call":
			if calls++; s.bug == "ends" && calls > 40 {
				fmt.Fprintln(os.Stderr, "the shelf fell down")
				os.Exit(3)
			}
			a := m.Params.Arguments
			var text string
			refused := false
			switch m.Params.Name {
			case "shelf", "shelf_edit":
				text = s.edit(a.Ops)
				refused = strings.HasPrefix(text, "!") || strings.Contains(text, "\n!")
				if s.bug == "coded" && refused {
					out, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32000, "message": text}})
					fmt.Println(string(out))
					continue
				}
			case "shelf_query":
				text = s.query(a.Q)
			case "shelf_session":
				text = s.session(a.Action)
				if s.bug == "words" {
					text = strings.TrimPrefix(text, "!")
				}
			case "shelf_help":
				text = card
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": refused && s.bug == "words"}
			if s.bug == "silent" {
				result = map[string]any{"content": []any{}, "structuredContent": map[string]any{"text": text}}
			}
		default:
			result = map[string]any{}
		}
		out, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		fmt.Println(string(out))
	}
}

func (s *server) tools() []any {
	tool := func(name, text, arg, schema string) any {
		props := map[string]any{}
		if arg != "" {
			props[arg] = json.RawMessage(schema)
		}
		return map[string]any{"name": name, "description": text, "inputSchema": map[string]any{"type": "object", "properties": props}}
	}
	text := card
	if s.bug == "no-marks" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "  take @all\n", ""), "Selectors: @all", "@ many")
	}
	if s.bug == "S1" {
		text = "Edits a shelf. Ask shelf_help."
	}
	name := "shelf"
	if s.bug == "long-name" {
		name = "shelf_edit"
	}
	list := []any{
		tool(name, text, "ops", `{"type":"array","items":{"type":"string"}}`),
		tool("shelf_query", "map, stats, status, describe BOOK, history N, count", "q", `{"type":"string"}`),
		tool("shelf_session", "new, open, save (./my.shelf), checkpoint, undo, redo, print PATH", "action", `{"type":"string"}`),
		tool("shelf_help", "this card", "", ""),
	}
	if s.bug == "M1" {
		list = append(list, tool("shelf_extra", "one more", "", ""))
	}
	return list
}

// words splits at blanks, double quotes around what holds some.
func words(op string) (out []string) {
	quoted := false
	for _, f := range strings.FieldsFunc(op, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted || r == '\t'
	}) {
		out = append(out, strings.Trim(f, `"`))
	}
	return out
}

func (s *server) edit(ops []string) string {
	if !s.open {
		return "!nothing on the shelf yet\n  try: new \"Mine\""
	}
	before, length := s.now.clone(), len(s.past)
	var out []string
	for _, op := range ops {
		line, ok := s.one(op)
		out = append(out, line)
		if !ok {
			if s.bug != "S5" {
				s.now, s.past = before, s.past[:length]
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
		text += fmt.Sprintf("\ndigest: %db %dp", len(s.now.books), len(s.now.pairs))
	}
	return text
}

func (s *server) no(try, format string, args ...any) (string, bool) {
	text := "!" + fmt.Sprintf(format, args...)
	if s.bug != "S4" {
		text += "\n  try: " + try
	}
	return text, false
}

func (s *server) one(op string) (string, bool) {
	w := words(op)
	if len(w) == 0 {
		return s.no("put Dune", "say something")
	}
	verb := strings.ToLower(w[0])
	if s.bug == "M2" {
		verb = w[0]
	}
	// as: and for: may stand anywhere behind the verb.
	keys := map[string]string{}
	for i := len(w) - 1; i > 0; i-- {
		key, value, ok := strings.Cut(w[i], ":")
		if !ok || value == "" || key != "as" && key != "for" {
			continue
		}
		if s.bug == "late-key" && i == 1 {
			return s.no("put Dune", "%s is no book", w[i])
		}
		keys[key], w = value, slices.Delete(w, i, i+1)
	}
	next := s.now.clone()
	var line string
	switch {
	case verb == "put" && len(w) == 2:
		if slices.Contains(next.books, w[1]) {
			return s.no("put Dune", "%s stands there already", w[1])
		}
		next.books, line = append(next.books, w[1]), "+"+w[1]
	case verb == "take" && len(w) == 2:
		if w[1] == "@all" {
			if len(next.books) == 0 {
				return s.no("put Dune", "the shelf is empty")
			}
			next, line = shelf{}, "-everything"
			break
		}
		i := slices.Index(next.books, w[1])
		if i < 0 {
			return s.no("put Dune", "%s is not there", w[1])
		}
		next.books, line = slices.Delete(next.books, i, i+1), "-"+w[1]
		if s.bug == "S6" {
			next.books = slices.Clip(next.books)
		}
	case verb == "retitle" && len(w) == 2 && keys["as"] != "":
		i := slices.Index(next.books, w[1])
		if i < 0 {
			return s.no("put Dune", "%s is not there", w[1])
		}
		next.books[i], line = keys["as"], "*"+keys["as"]
	case verb == "pair" && len(w) == 4 && w[2] == "->":
		if !slices.Contains(next.books, w[1]) || !slices.Contains(next.books, w[3]) {
			return s.no("put Dune", "both must be there")
		}
		next.pairs, line = append(next.pairs, w[1]+"+"+w[3]+" "+keys["for"]), "~"+w[1]+" with "+w[3]
	case slices.Contains([]string{"put", "take", "retitle", "pair"}, verb):
		return s.no("put Dune", "%s is not used that way", verb)
	case s.bug == "M7":
		return "*fine", true
	default:
		return s.no("put Dune", "no such verb: %s", verb)
	}
	if s.bug != "M4" {
		s.future = nil
	}
	s.past = append(s.past, place{state: s.now, op: op})
	s.now = next
	return line, true
}

func (s *server) query(q string) string {
	if !s.open {
		return "!nothing on the shelf yet"
	}
	if s.bug == "M6" {
		if s.asked++; s.asked%20 == 0 {
			s.now.books = append(s.now.books, "asked")
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
		return "On the shelf: " + strings.Join(s.now.books, " | ") + " Pairs: " + strings.Join(s.now.pairs, " | ")
	case q == "stats" || q == "count":
		return fmt.Sprint(len(s.now.books), " books")
	case q == "status":
		return "file " + s.path
	case len(w) == 2 && w[0] == "describe":
		books := s.now.books
		if s.bug == "S6" && len(s.future) > 0 {
			books = append(slices.Clone(books), w[1])
		}
		if i := slices.Index(books, w[1]); i >= 0 {
			return fmt.Sprintf("%s stands at %d", w[1], i+1)
		}
		return "!there is no " + w[1]
	case len(w) == 2 && w[0] == "history" && s.bug != "S7":
		var out []string
		for _, p := range s.past {
			out = append(out, p.op)
		}
		return "Done: " + strings.Join(out, "; ")
	}
	return "!I cannot answer that"
}

func (s *server) session(action string) string {
	w := words(action)
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
		books, pairs, _ := strings.Cut(strings.TrimSpace(string(data)), "\n---\n")
		if s.bug == "half-read" {
			pairs = ""
		}
		*s = server{bug: s.bug, open: true, path: w[1], now: shelf{split(books), split(pairs)}}
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
			os.WriteFile(s.path, []byte(strings.Join(s.now.books, "\n")+"\n---\n"+strings.Join(s.now.pairs, "\n")), 0o644)
		}
		return "*saved"
	case "print":
		if len(w) != 2 {
			return "!print where to?"
		}
		os.WriteFile(w[1], []byte(strings.Join(s.now.books, "\n")), 0o644)
		return "*printed"
	case "checkpoint":
		s.past = append(s.past, place{mark: w[1]})
		return "*marked"
	case "undo", "redo":
		if s.bug == "no-undo" {
			break
		}
		return s.move(w)
	}
	return "!I cannot do that"
}

func split(s string) []string {
	if s == "" || s == "---" {
		return nil
	}
	return strings.Split(s, "\n")
}

func (s *server) move(w []string) string {
	n, to := 1, ""
	if len(w) == 2 {
		if c, err := strconv.Atoi(w[1]); err == nil && s.bug != "words" {
			n = c
		}
		to = strings.TrimPrefix(w[1], "to:")
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
	if s.bug == "M5" {
		slices.Sort(s.now.books)
		s.now.books = slices.Compact(append(s.now.books, "ghost"))
	}
	return true
}
