// Command shelf is an FCP server that shares nothing with fcp-host: it has its own
// JSON-RPC loop and wording, prefixes without a blank, a digest of another form, and
// no isError. Its argument names a requirement to break, or another variant:
//
//	words      edits set isError, the session tool refuses in plain words and accepts no counts
//	coded      refused edits are JSON-RPC errors
//	ends       the process exits early
//	silent     answers are structured content without a text
//	long-name  the tool for operations is called shelf_edit
//
// words.go, session.go and suggest.go list its other bugs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// book is one book of the shelf.
type book struct {
	title, kind, shade string
}

// shelf is the model: books in order, and pairs of them.
type shelf struct {
	books []book
	pairs []string
}

func (s shelf) clone() shelf { return shelf{slices.Clone(s.books), slices.Clone(s.pairs)} }

func (s shelf) find(title string) int {
	return slices.IndexFunc(s.books, func(b book) bool { return b.title == title })
}

// place is a point in the history: a state, or a checkpoint's name.
type place struct {
	state shelf
	op    string
	mark  string
}

type server struct {
	bug    string
	open   bool
	now    shelf
	kinds  []string // kinds made by define
	past   []place  // done operations, each with the state before it
	future []place  // undone operations, the last one at the end
	path   string
	asked  int
}

const card = `Keep a shelf of books.

Verbs:
  put BOOK
  put KIND BOOK
  take BOOK
  take @all
  retitle BOOK as:NEW
  shade BOOK with:COLOUR
  pair A -> B for:REASON
  define KIND base:KIND

Kinds: novel, atlas
Selectors: @all
Answers start with: + put, - taken, * changed, ~ paired, ? nothing to do, ! refused
A book with blanks in its title goes in quotes. Example: put atlas Mercator`

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
			case "shelf_help":
				text = s.help()
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

func (s *server) help() string {
	if len(s.kinds) == 0 || s.bug == "secret-kind" {
		return card
	}
	return card + "\nYour kinds: " + strings.Join(s.kinds, ", ")
}

func (s *server) digest() string {
	return fmt.Sprintf("\ndigest: %db %dp", len(s.now.books), len(s.now.pairs))
}
