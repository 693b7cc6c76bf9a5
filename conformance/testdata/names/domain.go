package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

type verb = pdk.Verb[*doc]

func domain() *pdk.Domain[*doc] {
	d := &pdk.Domain[*doc]{
		Name: "names", Title: "Names", Version: "1.0.0", Summary: "Ordered names and links between them", Extensions: []string{".names"},
		MIME: []string{"text/plain"},
		New: func(r *abi.NewRequest) (*doc, error) {
			return &doc{[]string{"# " + strings.Join(strings.Fields(r.Title), " ")}, "\n"}, nil
		},
		Open: open, Save: save, State: state,
		Edits: func(typ string) pdk.Edit[*doc] {
			if typ == "splice" {
				return &splice{}
			}
			return nil
		},
		Verbs:     verbs(),
		Selectors: selection().Describe(),
		Queries:   queries(),
		Session: []pdk.SessionAction[*doc]{{
			Session: abi.Session{Name: "include", Syntax: "include PATH" + planted("action-takes-all", " [KEY:VALUE…]"), Summary: "add the names of a file", File: 1},
			Run: func(c *pdk.Ctx[*doc], a pdk.Args, file []byte) error {
				names := strings.Fields(string(file))
				c.Created("%d names of %s", len(names), a.Text(0))
				return add(c, names...)
			},
		}},
		Formats: []pdk.Format[*doc]{{
			Format: abi.Format{Name: "upper", Extension: ".txt", MIME: "text/plain", Summary: "in capitals"},
			Params: strings.Fields(planted("export-takes-all", "*")),
			Write: func(d *doc, a pdk.Args) ([]byte, error) {
				if bugged("export-fails") {
					return nil, pdk.Errorf("nothing to write").Tryf("map")
				}
				if bugged("export-changes") {
					d.lines = append(d.lines, "# exported")
				}
				return []byte(strings.ToUpper(strings.Join(d.lines, "\n"))), nil
			},
		}},
		Example: []string{"add alpha beta", "link alpha -> beta"},
		Help: func(d *doc) []abi.Section {
			if d == nil {
				return nil
			}
			if bugged("help-changes") {
				d.lines = append(d.lines, "# helped")
			}
			return []abi.Section{{Title: "Names here", Lines: []string{fmt.Sprint(len(d.names()))}}}
		},
	}
	if bugged("snapshot-forgets") {
		d.Snapshot = func(d *doc) ([]byte, error) { return []byte(strings.Join(d.lines[1:], "\n")), nil }
		d.Restore = func(_ string, data []byte) (*doc, error) { return &doc{strings.Split(string(data), "\n"), "\n"}, nil }
	}
	return d
}

func open(_ string, data []byte) (*doc, []string, error) {
	if !utf8.Valid(data) {
		return nil, nil, pdk.Errorf("not a list of names: the file is not UTF-8 text")
	}
	text, broken := strings.CutSuffix(string(data), "\n")
	d := &doc{}
	if broken || bugged("newline-added") {
		d.end = "\n"
	}
	if bugged("save-unstable") {
		text = string(data)
	}
	if bugged("cr-dropped") {
		text = strings.ReplaceAll(text, "\r", "")
	}
	if bugged("blanks-dropped") { // but not tabs
		text = strings.ReplaceAll(text, " \n", "\n")
	}
	d.lines = strings.Split(text, "\n")
	return d, nil, nil
}

func save(d *doc) ([]byte, error) {
	data := []byte(strings.Join(d.lines, "\n") + d.end)
	if bugged("links-unsaved") {
		data = []byte(strings.Join(slices.DeleteFunc(slices.Clone(d.lines), func(l string) bool { return l != "" && isLink(l) }), "\n") + d.end)
	}
	if bugged("save-forgets") {
		data = []byte("# Conformance\n")
	}
	if bugged("save-changes") {
		d.lines = append(d.lines, "# saved")
	}
	return data, nil
}

func state(d *doc) abi.State {
	s := abi.State{Digest: fmt.Sprintf("%d names %d links", len(d.names()), d.links())}
	if len(d.lines) > 0 && len(d.lines[0]) < 200 && strings.IndexFunc(d.lines[0], unicode.IsControl) < 0 {
		s.Title = strings.TrimPrefix(d.lines[0], "# ")
	}
	switch {
	case bugged("digest-escape"):
		s.Digest += "\x1b[31m"
	case bugged("digest-changes"):
		counter++
		s.Digest += fmt.Sprint(" ", counter)
	case bugged("digest-long"):
		s.Digest += strings.Repeat(".", 300)
	case bugged("digest-empty"):
		s.Digest = ""
	}
	return s
}

func verbs() []verb {
	v := []verb{
		{Verb: abi.Verb{Name: "add", Syntax: "add NAME…", Summary: "add names at the end", Min: 1, Max: -1, Examples: []string{"add gamma", `add delta "e f"`}},
			Run: func(c *pdk.Ctx[*doc], a pdk.Args) error {
				names := a.Texts(0)
				switch {
				case bugged("order-random"):
					c.Created("%s", strings.Join(shuffled(names), ", "))
				case bugged("text-prefix"):
					c.Created("+ %s", strings.Join(names, ", "))
				default:
					c.Created("%s", strings.Join(names, ", "))
				}
				return add(c, names...)
			}},
		{Verb: abi.Verb{Name: "remove", Syntax: "remove NAME|SEL", Summary: "remove names and their links", Max: 1, Select: true, Examples: []string{"remove beta", "remove @recent"}}, Run: remove},
		{Verb: abi.Verb{Name: "rename", Syntax: "rename NAME NEW", Summary: "call a name otherwise", Min: 2, Max: 2, Examples: []string{"rename alpha omega"}},
			Run: func(c *pdk.Ctx[*doc], a pdk.Args) error { return rename(c, a.Text(0), a.Text(1)) }},
		{Verb: abi.Verb{Name: "modify", Syntax: "modify NAME to:NEW", Summary: "rename", Min: 1, Max: 1, Params: []abi.Param{{Key: "to", Value: "NEW"}}, Examples: []string{"modify beta to:zeta"}, Hidden: true},
			Run: func(c *pdk.Ctx[*doc], a pdk.Args) error { return rename(c, a.Text(0), a.String("to", "")) }},
		{Verb: abi.Verb{Name: "copy", Syntax: "copy NAME as:NEW", Summary: "add a name beside another", Min: 1, Max: 1, Params: []abi.Param{{Key: "as", Value: "NEW"}}, Examples: []string{"copy alpha as:kappa"}},
			Run: func(c *pdk.Ctx[*doc], a pdk.Args) error {
				if _, err := c.Model.index().One(a.Text(0), "name", false); err != nil {
					return err
				}
				c.Created("%s", a.String("as", ""))
				return add(c, a.String("as", ""))
			}},
		{Verb: abi.Verb{Name: "link", Syntax: "link A -> B", Summary: "link two names", Min: 3, Max: 3, Examples: []string{"link beta -> alpha"}}, Run: link},
		{Verb: abi.Verb{Name: "sort", Syntax: "sort", Summary: "sort the names", Examples: []string{"sort"}}, Run: sortNames},
		{Verb: abi.Verb{Name: "lines", Syntax: "lines", Summary: "add each raw line as a name", Block: "END", Examples: []string{"lines\nuno\ndos tres\nEND"}},
			Run: func(c *pdk.Ctx[*doc], a pdk.Args) error {
				if len(a.Block) == 0 {
					return pdk.Errorf("no lines")
				}
				c.Created("%d names", len(a.Block))
				return add(c, a.Block...)
			}},
		{Verb: abi.Verb{Name: "fill", Syntax: "fill NAME…", Summary: "add names, but refuse at one called stop", Min: 1, Max: -1, Examples: []string{"fill theta iota"}}, Run: fill},
	}
	switch {
	case bugged("verb-missing"):
		v = append(v, verb{Verb: abi.Verb{Name: "ghost", Syntax: "ghost", Summary: "not there", Examples: []string{"ghost"}},
			Run: func(*pdk.Ctx[*doc], pdk.Args) error { return pdk.Errorf("unknown verb \"ghost\"").Tryf("add alpha") }})
	case bugged("example-wrong"):
		v[0].Examples = append(v[0].Examples, "add x color:red")
	case bugged("no-try"):
		v[1].Examples = nil
	case bugged("id-long"):
		v[0].Run = func(c *pdk.Ctx[*doc], a pdk.Args) error {
			c.Created("%s", a.Text(0))
			c.Touch(strings.Repeat("x", 300))
			return c.Do(&splice{At: len(c.Model.lines), New: []string{a.Text(0)}}, "add")
		}
	}
	return v
}

// shuffled returns names in the order of a hash table.
func shuffled(names []string) []string {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	var out []string
	for n := range m {
		out = append(out, n)
	}
	return out
}

// query is a query that takes exactly as many words as its syntax has, and selectors if its syntax has one.
func query(name, syntax, summary string, words int, run func(v *pdk.View[*doc], a pdk.Args) (string, error)) pdk.Query[*doc] {
	return pdk.Query[*doc]{Query: abi.Query{Name: name, Syntax: syntax, Summary: summary},
		Run: func(v *pdk.View[*doc], a pdk.Args) (abi.QueryResponse, error) {
			if !bugged("query-takes-all") && (len(a.Positionals) != words || len(a.Params) > 0 || len(a.Selectors) > 0 && !strings.Contains(syntax, "@SEL")) {
				return abi.QueryResponse{}, pdk.Errorf("%s: it reads: %s", name, syntax)
			}
			text, err := run(v, a)
			if bugged("part-miscounts") && err == nil {
				out := v.Page()
				out.Line(func(b []byte) []byte { return append(b, text...) })
				return out.Answer(2), nil
			}
			return abi.QueryResponse{Text: text}, err
		}}
}

// list prints names on one line.
// planted returns text if this instance has the bug, else nothing.
func planted(bug, text string) string {
	if bugged(bug) {
		return text
	}
	return ""
}

func list(d *doc, at []int) string {
	out := "names:"
	for _, i := range at {
		out += " " + pdk.Quote(d.lines[i])
	}
	return out
}

func queries() []pdk.Query[*doc] {
	list := listed()
	if bugged("query-missing") {
		list = append(list, query("ghost", "ghost", "not there", 0, func(*pdk.View[*doc], pdk.Args) (string, error) {
			return "", pdk.Errorf("unknown query \"ghost\"").Tryf("map")
		}))
	}
	return list
}

func listed() []pdk.Query[*doc] {
	return []pdk.Query[*doc]{
		query("map", "map", "all names", 0, func(v *pdk.View[*doc], a pdk.Args) (string, error) {
			if bugged("query-changes") {
				v.Model.lines = append(v.Model.lines, "# asked")
			}
			return list(v.Model, v.Model.names()), nil
		}),
		query("stats", "stats", "counts", 0, func(v *pdk.View[*doc], a pdk.Args) (string, error) {
			if bugged("query-remembers") {
				return fmt.Sprintf("%d names were added", counter), nil
			}
			return fmt.Sprintf("%d names, %d links", len(v.Model.names()), v.Model.links()), nil
		}),
		query("describe", "describe NAME|*", "a name and its links", 1, func(v *pdk.View[*doc], a pdk.Args) (string, error) {
			if a.Text(0) == "*" {
				return strings.Join(v.Model.lines, "\n"), nil
			}
			i, err := v.Model.index().One(a.Text(0), "name", false)
			if err != nil && bugged("try-asks") {
				return "", pdk.Errorf("%v", err).Tryf("describe nobody")
			}
			if err != nil {
				return "", err
			}
			name := v.Model.lines[i]
			if bugged("describe-traps") && len(v.Model.names()) > 5 {
				panic("too many names")
			}
			out := []string{"name: " + name}
			for _, l := range v.Model.lines {
				if from, to, ok := strings.Cut(l, " -> "); ok && (from == name || to == name) {
					out = append(out, l)
				}
			}
			return strings.Join(out, "\n"), nil
		}),
		query("list", "list [@SEL]", "names that selectors match", 0, func(v *pdk.View[*doc], a pdk.Args) (string, error) {
			if len(a.Selectors) == 0 {
				return list(v.Model, v.Model.names()), nil
			}
			at, err := selection().Select(v.Model, v.Recent, a.Selectors)
			return list(v.Model, at), err
		}),
		query("find", "find TEXT", "names that hold a text", 1, func(v *pdk.View[*doc], a pdk.Args) (string, error) {
			at := slices.DeleteFunc(v.Model.names(), func(i int) bool { return !strings.Contains(v.Model.lines[i], a.Text(0)) })
			return list(v.Model, at), nil
		}),
	}
}
