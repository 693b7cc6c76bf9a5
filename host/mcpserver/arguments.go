package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
)

// arguments holds the arguments of all four tools.
type arguments struct {
	Ops, Then []string
	Q, Action *string  // nil if missing
	More      []string // further actions, of a list of them
	Document  string
	Domain    string
	Topic     string

	notes []string // what was read differently or ignored, for the reply
}

// binder reads the arguments of one tool. It accepts more than the tool's schema says if only one thing can be meant:
// mistakes that models make, keys that clients add, and the arguments of the FCP draft.
type binder struct {
	s          *Server
	dom        string // the tool's domain, "" for a unified tool
	tool, kind string
	takes      []string // arguments in the schema, sorted
	family     []string // names of the domain's tools
}

// bind reads the arguments. It refuses wrong types, and keys that may change what the call does: an op must not reach
// another document because the argument document was misspelt.
func (b *binder) bind(raw any) (arguments, *reply.Reply) {
	var a arguments
	if raw == nil {
		return a, nil
	}
	given, ok := raw.(map[string]any)
	if !ok {
		return a, reply.Errorf(nil, "the arguments of %s must be an object, not %s", b.tool, kindOf(raw))
	}
	k, no := b.readKeys(given)
	if no != nil {
		return a, no
	}
	a.notes = k.notes
	for key, value := range b.fromDraft(k.args) {
		list, err := texts(value)
		if key == "ops" || key == "then" {
			if err != nil {
				return a, reply.Errorf(nil, "the argument %s of %s %s", key, b.tool, err)
			}
			if key == "ops" {
				a.Ops = list
			} else {
				a.Then = list
			}
			continue
		}
		if err != nil {
			return a, reply.Errorf(nil, "the argument %s of %s must be a string, not %s", key, b.tool, kindOf(value))
		}
		if len(list) == 0 {
			return a, reply.Errorf(nil, "the argument %s of %s is an empty list; it must be a string", key, b.tool)
		}
		switch first := list[0]; {
		case key == "q": // several queries, one per line
			all := strings.Join(list, "\n")
			a.Q = &all
		case key == "action":
			a.Action, a.More = &first, list[1:]
		case len(list) > 1:
			return a, reply.Errorf(nil, "the argument %s of %s must be one string, not a list of %d", key, b.tool, len(list))
		case key == "document":
			a.Document = first
		case key == "domain":
			a.Domain = first
		case key == "topic":
			a.Topic = first
		}
	}
	b.stripToolNames(&a)
	return a, nil
}

// texts reads a list of strings. A single string is a list of one, unless it is itself a list in JSON.
func texts(value any) ([]string, error) {
	if one, ok := value.(string); ok {
		var list []string
		if json.Unmarshal([]byte(one), &list) == nil && list != nil {
			return list, nil
		}
		return []string{one}, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list of strings, not %s", kindOf(value))
	}
	out := make([]string, len(list))
	for i, v := range list {
		if out[i], ok = v.(string); !ok {
			return nil, fmt.Errorf("must be a list of strings; each must be a string, not %s", kindOf(v))
		}
	}
	return out, nil
}

// fromDraft makes an action of the FCP draft one text: the action with one argument for each further word.
func (b *binder) fromDraft(args map[string]any) map[string]any {
	if b.kind != abi.TryAction {
		return args
	}
	out := maps.Clone(args)
	if list, err := texts(out["action"]); err == nil && len(list) == 1 {
		out["action"] = b.action(list[0], out)
	}
	maps.DeleteFunc(out, func(key string, _ any) bool { return !slices.Contains(b.takes, key) })
	return out
}

// action appends the draft's arguments to verb as words, and removes them from given.
func (b *binder) action(verb string, given map[string]any) string {
	if title, isNew := strings.CutPrefix(verb, "new "); isNew {
		if dom, ok := word(given["domain"]); ok && title != "" { // new takes the domain before the title
			delete(given, "domain")
			if first, _, _ := strings.Cut(title, " "); !strings.EqualFold(first, dom) {
				verb = "new " + dom + " " + title
			}
		}
	}
	var words strings.Builder
	words.WriteString(verb)
	for _, key := range draftWords() {
		text, ok := word(given[key])
		if !ok {
			continue
		}
		delete(given, key)
		switch key {
		case "domain", "n":
			words.WriteString(" " + text)
		case "to", "as":
			words.WriteString(" " + key + ":" + grammar.Quote(text))
		case "force":
			if text == "true" {
				words.WriteString(" force")
			}
		case "format":
			document, _ := given["document"].(string)
			if strings.EqualFold(strings.TrimSpace(verb), "save") {
				if b.saves(document, text) {
					continue
				}
				words.Reset()
				words.WriteString("export")
			}
			words.WriteString(" " + grammar.Quote(text))
		default:
			words.WriteString(" " + grammar.Quote(text))
		}
	}
	return words.String()
}

// draftWords lists the arguments of the draft that are words of an action, in their order.
func draftWords() []string {
	return []string{"domain", "format", "title", "name", "file", "path", "n", "to", "as", "force"}
}

// word prints a JSON value as a word of an action.
func word(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// saves reports whether format is the one of the document's own files, not an export format.
func (b *binder) saves(document, format string) bool {
	d := b.s.domainOf(b.dom, document)
	return d == nil || strings.EqualFold(format, d.Name()) ||
		slices.ContainsFunc(d.Manifest.Extensions, func(e string) bool { return strings.EqualFold(e, "."+strings.TrimPrefix(format, ".")) })
}

// stripToolNames removes tool names in front of ops, queries and actions: a model that was told to try "midi_session
// undo" may send that as an action.
func (b *binder) stripToolNames(a *arguments) {
	d := b.s.domainOf(b.dom, a.Document)
	for i := range a.Ops {
		a.Ops[i] = b.withoutTool(a.Ops[i], func(word string) bool { return d != nil && d.Knows(word) })
	}
	for i := range a.Then {
		a.Then[i] = b.withoutTool(a.Then[i], func(word string) bool { return d != nil && (d.Answers(word) || session.Knows(d, word)) })
	}
	if a.Q != nil {
		*a.Q = b.withoutTool(*a.Q, func(word string) bool { return d != nil && d.Answers(word) })
	}
	a.Topic = b.withoutTool(a.Topic, func(string) bool { return false })
	isAction := func(word string) bool { return session.Knows(d, word) }
	if a.Action != nil {
		*a.Action = b.withoutTool(*a.Action, isAction)
	}
	for i := range a.More {
		a.More[i] = b.withoutTool(a.More[i], func(word string) bool { return isAction(word) || d != nil && d.Answers(word) })
	}
}

// withoutTool removes a tool's name from the start of text, unless that word is a known verb, query or action.
func (b *binder) withoutTool(text string, known func(word string) bool) string {
	first, rest, more := strings.Cut(strings.TrimLeft(text, " \t"), " ")
	first = strings.ToLower(first)
	if !more || !slices.Contains(b.family, first) || known(first) {
		return text
	}
	return rest
}

// domainOf returns the domain that a call is about, or nil.
func (s *Server) domainOf(dom, document string) *domain.Domain {
	for _, d := range s.session.Served(s.session.Catalog()) {
		if d.Name() == dom {
			return d
		}
	}
	for _, d := range s.session.Documents() {
		if strings.EqualFold(d.Name, document) {
			return d.Domain()
		}
	}
	if d := s.session.Current(""); d != nil {
		return d.Domain()
	}
	return nil
}

// properties lists the names of a tool's arguments, sorted.
func properties(tool mcp.Tool) []string {
	var s struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(tool.RawInputSchema, &s); err != nil {
		panic(err) // impossible: made by schema
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// kindOf names the type of a JSON value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
