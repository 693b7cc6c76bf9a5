// The bookmarks domain edits lists of links, one "URL title" a line, and exchanges them with
// a server. It is the example of docs/authoring.md for a domain that makes requests.
package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// List is the model: the lines of the file.
type List struct{ Lines []string }

func (l *List) has(url string) bool {
	return slices.ContainsFunc(l.Lines, func(line string) bool { return link(line).URL == url })
}

// Link is a bookmark, also in the server's JSON.
type Link struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

func link(line string) Link {
	url, title, _ := strings.Cut(line, " ")
	return Link{url, title}
}

// Splice is the domain's only edit: it replaces Old by New.
type Splice struct {
	At       int
	Old, New []string
}

func (s *Splice) Type() string       { return "splice" }
func (s *Splice) Do(l *List) error   { return l.replace(s.At, s.Old, s.New) }
func (s *Splice) Undo(l *List) error { return l.replace(s.At, s.New, s.Old) }

func (l *List) replace(at int, old, lines []string) error {
	l.Lines = slices.Replace(l.Lines, at, at+len(old), lines...)
	return nil
}

func add(c *pdk.Ctx[*List], b Link) error {
	b.Title = strings.Join(strings.Fields(b.Title), " ")
	switch {
	case strings.ContainsAny(b.URL, " \r\n") || !strings.Contains(b.URL, "://"):
		return pdk.Errorf("%q is not a URL", b.URL).Try("add https://example.com Example")
	case c.Model.has(b.URL):
		return pdk.Unchanged("%s is already in the list", b.URL)
	}
	c.Created("%s", b.URL)
	return c.Do(&Splice{At: len(c.Model.Lines), New: []string{b.URL + " " + b.Title}}, "add "+b.URL, b.URL)
}

func remove(c *pdk.Ctx[*List], a pdk.Args) error {
	for i, line := range c.Model.Lines {
		if link(line).URL == a.Text(0) {
			c.Deleted("%s", a.Text(0))
			return c.Do(&Splice{At: i, Old: []string{line}}, "remove "+a.Text(0), a.Text(0))
		}
	}
	return pdk.Errorf("no bookmark %s", a.Text(0))
}

func list(v *pdk.View[*List], a pdk.Args) (abi.QueryResponse, error) {
	if a.Verb == "stats" {
		return abi.QueryResponse{Text: fmt.Sprintf("%d bookmarks", len(v.Model.Lines))}, nil
	}
	return abi.QueryResponse{Text: strings.Join(v.Model.Lines, "\n")}, nil
}

// onServer returns the server's bookmarks that contain a text.
func onServer(h *pdk.Host, text string) (links []Link, err error) {
	res, err := h.HTTP("server", pdk.Get("bookmarks").Query("q", text))
	if err == nil {
		err = res.JSON(&links)
	}
	return links, err
}

// search finds bookmarks in the document and, with the grant, on the server.
func search(v *pdk.View[*List], a pdk.Args) (abi.QueryResponse, error) {
	var out []string
	for _, line := range v.Model.Lines {
		if strings.Contains(line, a.Text(0)) {
			out = append(out, line)
		}
	}
	if !v.Can("http:server") {
		out = append(out, "(not asked: the server, which needs http:server)")
	} else if links, err := onServer(v.Host, a.Text(0)); err != nil {
		return abi.QueryResponse{}, err
	} else {
		for _, b := range links {
			out = append(out, "on the server: "+b.URL+" "+b.Title)
		}
	}
	return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
}

// pull first asks the server, then edits: the events contain its answer, so undo and
// replay send no requests.
func pull(c *pdk.Ctx[*List], _ pdk.Args, _ []byte) error {
	links, err := onServer(c.Host, "")
	if err != nil {
		return err
	}
	n := 0
	for _, b := range links {
		if err := add(c, b); err == nil {
			n++
		} else if !pdk.IsUnchanged(err) {
			c.Warn("left out: %v", err)
		}
	}
	if n == 0 {
		return pdk.Unchanged("all %d bookmarks of the server are already here", len(links))
	}
	c.Bulk("pulled %d bookmarks", n)
	return nil
}

// push sends the bookmarks that the server does not have, all at once.
func push(c *pdk.Ctx[*List], _ pdk.Args, _ []byte) error {
	links, err := onServer(c.Host, "")
	if err != nil {
		return err
	}
	var posts []pdk.Request
	var urls []string
	for _, line := range c.Model.Lines {
		b := link(line)
		if !slices.ContainsFunc(links, func(l Link) bool { return l.URL == b.URL }) {
			posts, urls = append(posts, pdk.Post("bookmarks").JSON(b).To("server")), append(urls, b.URL)
		}
	}
	for i, answer := range pdk.All(c, posts...) {
		if err := answer.Check(); err != nil { // others may have arrived: report each outcome instead of failing
			c.Warn("%s: %v", urls[i], err)
		}
	}
	c.Bulk("sent %d bookmarks: %s", len(posts), strings.Join(urls, " "))
	return nil
}

// find is a typed tool: JSON in, JSON out, without a document.
func find(c *pdk.Ctx[*List], args []byte) (pdk.ToolResult, error) {
	var in struct{ Text string }
	if err := json.Unmarshal(args, &in); err != nil {
		return pdk.ToolResult{}, err
	}
	links, err := onServer(c.Host, in.Text)
	if err != nil {
		return pdk.ToolResult{}, err
	}
	out, err := json.Marshal(map[string]any{"bookmarks": append([]Link{}, links...)})
	return pdk.ToolResult{JSON: out}, err
}

var server = []string{"http:server"}

var domain = &pdk.Domain[*List]{
	Name: "bookmarks", Title: "Bookmarks", Version: "1.0.0", Summary: "lists of links", Extensions: []string{".links"},
	New: func(*abi.NewRequest) (*List, error) { return &List{}, nil },
	Open: func(_ string, data []byte) (*List, []string, error) {
		return &List{strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })}, nil, nil
	},
	Save:  func(l *List) ([]byte, error) { return []byte(strings.Join(l.Lines, "\n")), nil },
	State: func(l *List) abi.State { return abi.State{Digest: fmt.Sprintf("%d bookmarks", len(l.Lines))} },
	Edits: func(string) pdk.Edit[*List] { return &Splice{} },
	Wants: []abi.Want{{Kind: abi.WantHTTP, Name: "server", Reason: "It finds, fetches and sends your bookmarks.",
		Base: "${BOOKMARKS_URL}", Headers: []abi.KeyValue{{Key: "Authorization", Value: "Token ${BOOKMARKS_TOKEN}"}}, Reads: true}},
	Verbs: []pdk.Verb[*List]{
		{Verb: abi.Verb{Name: "add", Syntax: "add URL [TITLE]", Summary: "add a bookmark", Min: 1, Max: 2, Examples: []string{`add https://go.dev "Go"`}},
			Run: func(c *pdk.Ctx[*List], a pdk.Args) error { return add(c, Link{a.Text(0), a.Text(1)}) }},
		{Verb: abi.Verb{Name: "remove", Syntax: "remove URL", Summary: "take one out", Min: 1, Max: 1, Examples: []string{"remove https://go.dev"}}, Run: remove},
	},
	Queries: []pdk.Query[*List]{
		{Query: abi.Query{Name: "map", Syntax: "map", Summary: "every bookmark", Takes: &abi.Takes{}}, Run: list},
		{Query: abi.Query{Name: "stats", Syntax: "stats", Summary: "how many", Takes: &abi.Takes{}}, Run: list},
		{Query: abi.Query{Name: "search", Syntax: "search TEXT", Summary: "bookmarks here and on the server", Takes: &abi.Takes{Min: 1, Max: 1}}, Run: search},
	},
	Session: []pdk.SessionAction[*List]{
		{Session: abi.Session{Name: "pull", Syntax: "pull", Summary: "add the server's bookmarks", Wants: server}, Run: pull},
		{Session: abi.Session{Name: "push", Syntax: "push", Summary: "send bookmarks that the server lacks", Wants: server}, Run: push},
	},
	Tools: []pdk.Tool[*List]{{Run: find, Tool: abi.Tool{Name: "find_bookmarks", Description: "Find bookmarks on the server.", ReadOnly: true, Wants: server,
		InputSchema:  []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		OutputSchema: []byte(`{"type":"object","properties":{"bookmarks":{"type":"array","items":{"type":"object"}}},"required":["bookmarks"]}`)}}},
}

func init() { pdk.Serve(domain) }

func main() {}
